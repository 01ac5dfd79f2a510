// Segments that are too long for one block, sorted by passes of onesweep that go over the tiles of all of them at once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>

#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/device/onesweep_histogram.cuh"
#include "upsweep/sort/device/onesweep_pass.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/device/segment_lists.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The list of large segments as the kernels after it see it.
struct large_segments {
  const listed_segment* list;
  const std::uint64_t* count;
  std::int64_t room, tile_room;
  std::int64_t tile_items;         ///< of the tiles of the passes
  std::uint32_t* tiles_done;       ///< of each segment, in all steps: see segment_lists
  std::uint32_t* segment_of_tile;  ///< of each tile, written where it is counted

  UPSWEEP_DEVICE std::int64_t segments() const {
    const auto counted = static_cast<std::int64_t>(*count >> segment_lists::tile_bits);
    return counted < room ? counted : room;
  }
  UPSWEEP_DEVICE std::int64_t tiles() const {
    const auto counted = static_cast<std::int64_t>(*count & segment_lists::tile_mask);
    return counted < tile_room ? counted : tile_room;
  }
  /// The segment whose tile that is, the last one that does not begin after it.
  UPSWEEP_DEVICE std::int64_t find(std::int64_t tile) const {
    std::int64_t low = 0, high = segments();
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (list[middle].first_tile <= tile ? low : high) = middle;
    }
    return low;
  }
};

/// Blocks count the digits of all passes, each in a run of tiles, and clear the words of their look-back. Who counts
/// the last tile of a segment plans the passes of it.
template <class Histogram, class Key, class Digit, int MaxPasses, int Threads, int InFlight>
struct segments_histogram_kernel {
  static constexpr int block_threads = Threads;
  static constexpr bool lets_next_begin = true;
  static constexpr int radix = Histogram::radix;
  static constexpr int in_flight = Histogram::items_per_thread < InFlight ? Histogram::items_per_thread : InFlight;
  using temp_storage = typename Histogram::temp_storage;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, pass_digits<Digit, MaxPasses> d,
                                 large_segments large, onesweep_control control, sort_input input,
                                 std::uint32_t* words) const {
    const std::int64_t tiles = large.tiles(), blocks = block.num_blocks();
    const std::int64_t end = tiles * (block.block_index() + 1) / blocks;
    for (std::int64_t tile = tiles * block.block_index() / blocks, next; tile < end; tile = next) {
      const std::int64_t slot = large.find(tile);
      const listed_segment of = large.list[slot];
      const std::int64_t of_segment = ceil_div(of.items, large.tile_items), behind = of.first_tile + of_segment;
      // Tiles of no segment, whose room is that of one which did not fit, are left one by one.
      next = behind <= tile ? tile + 1 : behind < end ? behind : end;
      UPSWEEP_NO_UNROLL
      for (std::int64_t t = tile + block.thread_rank(); t < next; t += block_threads) {
        large.segment_of_tile[t] = static_cast<std::uint32_t>(slot);
      }
      if (behind <= tile) continue;
      // Each thread clears what it has read itself.
      for (int i = block.thread_rank(); i < MaxPasses * radix; i += block_threads) s.count[i / radix][i % radix] = 0;
      UPSWEEP_NO_UNROLL
      for (std::int64_t i = tile * radix + block.thread_rank(); i < next * radix; i += block_threads) words[i] = 0;
      block.barrier();  // s.count is clear
      const std::int64_t first = (tile - of.first_tile) * large.tile_items,
                         up_to = (next - of.first_tile) * large.tile_items;
      count(block, s, keys + of.begin + first, (up_to < of.items ? up_to : of.items) - first, d);
      block.barrier();  // every thread has counted
      const std::int64_t of_slot = slot * MaxPasses;
      UPSWEEP_NO_UNROLL
      for (int i = block.thread_rank(); i < d.count * radix; i += block_threads) {
        const std::uint32_t c = s.count[i / radix][i % radix];
        if (c == 0) continue;
        if (Histogram::is_wide(of.items)) {
          block.atomic_add(control.first + of_slot * radix + i, std::uint64_t{c});
        } else {
          block.atomic_add(control.count + of_slot * radix + i, c);
        }
      }
      block.barrier();  // every thread's sums are there
      if (block.thread_rank() == 0) {
        const auto counted = static_cast<std::uint32_t>(next - tile);
        block.fence();  // releases the sums of the whole block
        s.is_last = block.atomic_add(large.tiles_done + slot, counted) + counted == of_segment;
        s.in_order = false;
        block.fence();  // acquires those of the other tiles
      }
      block.barrier();  // s.is_last is known
      if (!s.is_last) continue;
      Histogram::plan(block, s, of.items, d.count,
                      onesweep_control{nullptr, control.count + of_slot * radix, control.first + of_slot * radix,
                                       control.passes + of_slot},
                      input);
      block.barrier();  // s has been read
    }
  }

 private:
  template <class Ctx>
  static UPSWEEP_DEVICE void count(Ctx& block, temp_storage& s, const Key* keys, std::int64_t items,
                                   const pass_digits<Digit, MaxPasses>& d) {
    UPSWEEP_NO_UNROLL
    for (std::int64_t first = 0; first < items; first += block_threads * in_flight) {
      const int at = block.thread_rank(), step = block_threads * in_flight,
                valid = items - first < step ? static_cast<int>(items - first) : step;
      Key key[in_flight];
      UPSWEEP_UNROLL
      for (int i = 0; i < in_flight; ++i) {
        const int from = at + i * block_threads;
        key[i] = keys[first + (from < valid ? from : 0)];
      }
      UPSWEEP_UNROLL
      for (int p = 0; p < MaxPasses; ++p) {
        if (p >= d.count) break;
        const Digit digit = d.digit[p];
        UPSWEEP_UNROLL
        for (int i = 0; i < in_flight; ++i) {
          if (at + i * block_threads < valid) block.atomic_add(&s.count[p][digit(key[i])], 1u, block_scope);
        }
      }
    }
  }
};

/// Of the `all` passes of a sort, those from `begin` on and before `end`.
struct pass_range {
  int begin, end, all;
};

/// Of all tiles, those from `begin` on and before `end`, which have no more items than a look-back can count. Where a
/// segment goes over its begin, `first` tells where the keys of each digit go; over its end, `next` is told that.
struct segment_tile_range {
  std::int64_t begin, end;
  const std::uint64_t* first;
  std::uint64_t* next;
};

/// Two arrays for the keys and values between the passes, in which every large segment has its own part. So segments
/// that overlap find what they left, and no place lies outside of a segment.
template <class Key, class Value>
struct segment_spares {
  Key *keys_a, *keys_b;
  Value *values_a, *values_b;
};

/// One pass over the tiles of all large segments, or, `AtOnce`, several: a block takes one tile after the other, and
/// those of a pass come after those of the pass before. A tile waits until that one has done all tiles of its segment.
/// One pass is a kernel of its own as its digit is an argument then, which takes no registers, and it tells nothing of
/// its tiles.
template <class Pass, class Key, class Value, class Digit, int MaxPasses, bool AtOnce>
struct segments_pass_kernel {
  static constexpr int block_threads = Pass::block_threads;
  static constexpr int blocks_per_multiprocessor =
      Pass::has_values || Pass::block_threads > 256 ? Pass::blocks_per_multiprocessor : 4;
  using digits_type = pass_digits<Digit, AtOnce ? MaxPasses : 1>;  ///< those of the range
  struct temp_storage {
    typename Pass::temp_storage pass;
    std::int64_t segment;
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, sort_arrays<Key, Value> all,
                                 segment_spares<Key, Value> spares, large_segments large, digits_type d,
                                 pass_range passes, segment_tile_range range, const std::uint64_t* first,
                                 const sort_pass* plans, ordered_tile_id ids, std::uint32_t* words) const {
    const std::int64_t tiles = large.tiles();
    const auto sort = [&](std::int64_t slot, std::int64_t tile, const Digit& digit, int p) {
      const listed_segment of = large.list[slot];
      const bool has_items = (tile - of.first_tile) * Pass::tile_items < of.items;
      if (has_items) {
        sort_tile(block, s.pass, all, spares, of, digit, p, passes.all, range, first + slot * MaxPasses * Pass::radix,
                  plans + slot * MaxPasses, words, tile);
      }
      block.barrier();  // the tile is done, and s may hold what is of the next one
      return has_items;
    };
    if constexpr (!AtOnce) {
      if (block.thread_rank() == 0) std::memcpy(static_cast<void*>(&s.pass.digit_again), d.digit, sizeof(Digit));
      for (;;) {
        const std::int64_t tile = range.begin + ids.take(block, s.pass.ticket);
        if (tile >= tiles || tile >= range.end) return;
        sort(large.segment_of_tile[tile], tile, d.digit[0], passes.begin);
      }
    } else {
      if (tiles == 0) return;
      for (;;) {
        if (block.thread_rank() == 0) take_tile(block, s, large, d, passes, ids, tiles);
        block.barrier();  // what comes is known
        const std::int64_t round = s.pass.ticket.tile / tiles, tile = s.pass.ticket.tile - round * tiles;
        const int p = passes.begin + static_cast<int>(round);
        if (p >= passes.end) return;
        const std::int64_t slot = s.segment;
        const Digit digit = s.pass.digit_again[0];
        const bool has_items = sort(slot, tile, digit, p);
        if (block.thread_rank() == 0 && has_items && p + 1 < passes.end) {
          block.fence();  // releases what the whole block has stored
          block.atomic_add(large.tiles_done + slot, 1u);
        }
      }
    }
  }

 private:
  /// One thread takes a ticket, and waits until the tile's segment has come through the pass before.
  template <class Ctx>
  static UPSWEEP_DEVICE void take_tile(Ctx& block, temp_storage& s, const large_segments& large, const digits_type& d,
                                       pass_range passes, const ordered_tile_id& ids, std::int64_t tiles) {
    const std::int64_t ticket = ids.take_alone(block), round = ticket / tiles, tile = ticket - round * tiles;
    s.pass.ticket.tile = static_cast<std::uint32_t>(ticket);
    const int p = passes.begin + static_cast<int>(round);
    if (p >= passes.end) return;
    UPSWEEP_UNROLL
    for (int i = 0; i < MaxPasses; ++i) {
      if (i == p) std::memcpy(static_cast<void*>(&s.pass.digit_again), &d.digit[i], sizeof(Digit));
    }
    const std::uint32_t slot = large.segment_of_tile[tile];
    s.segment = slot;
    if (round == 0) return;
    // The tiles were counted, too.
    const std::int64_t done = (round + 1) * ceil_div(large.list[slot].items, Pass::tile_items);
    while (block.load_relaxed(large.tiles_done + slot) < done) block.back_off();
    block.fence();  // acquires what the tiles of the pass before have stored
  }

  /// `first` and `plans`: of the passes of the segment.
  template <class Ctx>
  static UPSWEEP_DEVICE void sort_tile(Ctx& block, typename Pass::temp_storage& s, const sort_arrays<Key, Value>& all,
                                       const segment_spares<Key, Value>& spares, const listed_segment& of,
                                       const Digit& digit, int p, int passes, const segment_tile_range& range,
                                       const std::uint64_t* first, const sort_pass* plans, std::uint32_t* words,
                                       std::int64_t tile) {
    const sort_pass pass = plans[p];
    if (pass.action == pass_action::skip) return;
    bool is_last = true;
    for (int later = p + 1; later < passes; ++later) {
      if (plans[later].action != pass_action::skip) is_last = false;
    }
    const std::int64_t in_spares = of.first_tile * Pass::tile_items, in_segment = tile - of.first_tile;
    // All is counted from the segment's begin. What would go to the output before the last pass goes to the spare b.
    const bool reads_b = pass.from == sort_array::out, writes_b = pass.to == sort_array::out && !is_last;
    sort_arrays<Key, Value> arrays{
        all.keys_in + of.begin, all.keys_out + of.begin, spares.keys_a + in_spares, nullptr, nullptr, nullptr};
    if (reads_b || writes_b) arrays.keys_out = spares.keys_b + in_spares;
    if constexpr (Pass::has_values) {
      arrays.values_in = all.values_in == nullptr ? nullptr : all.values_in + of.begin;
      arrays.values_out = reads_b || writes_b ? spares.values_b + in_spares : all.values_out + of.begin;
      arrays.values_spare = spares.values_a + in_spares;
    }
    const std::int64_t tiles = ceil_div(of.items, Pass::tile_items), left = of.items - in_segment * Pass::tile_items;
    if (pass.action == pass_action::copy) return Pass::copy_tile(block, arrays, pass, 0, of.items, in_segment);
    // What this launch has of the segment: all of it in one launch for all.
    std::int64_t before = 0, end = tiles;
    if constexpr (!AtOnce) {
      if (range.begin > of.first_tile) before = range.begin - of.first_tile;
      if (range.end - of.first_tile < tiles) end = range.end - of.first_tile;
    }
    std::uint32_t* const own_words = words + Pass::lookback::words_of(of.first_tile + before);
    const sort_portion portion{
        {before * Pass::tile_items, (end - before) * Pass::tile_items, nullptr, own_words,
         before > 0 ? range.first : first + p * Pass::radix, !AtOnce && end < tiles ? range.next : nullptr},
        !AtOnce && of.items >> 32 != 0};
    const int valid = left < Pass::tile_items ? static_cast<int>(left) : Pass::tile_items;
    Pass::sort_tile(block, s, arrays, digit, pass, portion, in_segment - before, in_segment == end - 1, valid,
                    typename Pass::lookback(own_words, end - before, pass.turn));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
