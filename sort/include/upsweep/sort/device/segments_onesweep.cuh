// Segments that are too long for one block, sorted by passes of onesweep that go over the tiles of all of them at once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>

#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/device/onesweep_histogram.cuh"
#include "upsweep/sort/device/onesweep_pass.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/device/segment_lists.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The list of large segments as the kernels behind it see it.
struct large_segments {
  const listed_segment* list;
  const std::uint64_t* count;
  std::int64_t room, tile_room;

  UPSWEEP_DEVICE std::int64_t segments() const {
    const auto counted = static_cast<std::int64_t>(*count >> segment_lists::tile_bits);
    return counted < room ? counted : room;
  }
  UPSWEEP_DEVICE std::int64_t tiles() const {
    const auto counted = static_cast<std::int64_t>(*count & segment_lists::tile_mask);
    return counted < tile_room ? counted : tile_room;
  }
  /// The segment whose tile that is, the last one that does not begin behind it.
  UPSWEEP_DEVICE std::int64_t segment_of(std::int64_t tile) const {
    std::int64_t low = 0, high = segments();
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (list[middle].first_tile <= tile ? low : high) = middle;
    }
    return low;
  }
};

/// A block after the other counts the digits of all passes in a tile, and clears the words of its look-back.
template <class Key, class Digit, int MaxPasses, int RadixBits, int TileItems>
struct segments_histogram_kernel {
  static constexpr int block_threads = 256;
  static constexpr int radix = 1 << RadixBits;
  struct temp_storage {
    std::uint32_t count[MaxPasses * radix];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, pass_digits<Digit, MaxPasses> d,
                                 large_segments large, std::uint32_t* counts, std::uint32_t* words) const {
    for (std::int64_t tile = block.block_index(); tile < large.tiles(); tile += block.num_blocks()) {
      const std::int64_t slot = large.segment_of(tile);
      const listed_segment of = large.list[slot];
      const std::int64_t first = (tile - of.first_tile) * TileItems, left = of.items - first;
      const int valid = left < TileItems ? static_cast<int>(left) : TileItems;
      // Each thread clears what it has read itself.
      for (int i = block.thread_rank(); i < MaxPasses * radix; i += block_threads) s.count[i] = 0;
      for (int i = block.thread_rank(); i < radix; i += block_threads) words[tile * radix + i] = 0;
      block.barrier();  // s.count is clear
      for (int at = block.thread_rank(); at < valid; at += block_threads) {
        const Key key = keys[of.begin + first + at];
        UPSWEEP_UNROLL
        for (int p = 0; p < MaxPasses; ++p) {
          if (p < d.count) block.atomic_add(&s.count[p * radix + static_cast<int>(d.digit[p](key))], 1u, block_scope);
        }
      }
      block.barrier();  // every thread has counted
      for (int i = block.thread_rank(); i < d.count * radix; i += block_threads) {
        if (s.count[i] != 0) block.atomic_add(counts + slot * MaxPasses * radix + i, s.count[i]);
      }
    }
  }
};

/// A block after the other plans the passes of a segment.
template <class Histogram, int MaxPasses>
struct segments_plan_kernel {
  static constexpr int block_threads = Histogram::block_threads;
  using temp_storage = typename Histogram::temp_storage;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, large_segments large, int passes,
                                 onesweep_control control, sort_input input) const {
    const std::int64_t all = large.segments();
    for (std::int64_t i = block.block_index(); i < all; i += block.num_blocks()) {
      if (block.thread_rank() == 0) s.in_order = false;
      block.barrier();  // s.in_order is written
      Histogram::plan(
          block, s, large.list[i].items, passes,
          onesweep_control{control.ticket, control.count + i * MaxPasses * Histogram::radix,
                           control.first + i * MaxPasses * Histogram::radix, control.passes + i * MaxPasses},
          input);
      block.barrier();  // s has been read
    }
  }
};

/// Two arrays for the keys and values between the passes, in which every large segment has its own part. So segments
/// that overlap find what they left, and no place lies outside of a segment.
template <class Key, class Value>
struct segment_spares {
  Key *keys_a, *keys_b;
  Value *values_a, *values_b;
};

/// One pass over the tiles of all large segments. A block takes one after the other.
template <class Pass, class Key, class Value, class Digit, int MaxPasses>
struct segments_pass_kernel {
  static constexpr int block_threads = Pass::block_threads;
  static constexpr int blocks_per_multiprocessor = Pass::has_values ? Pass::blocks_per_multiprocessor : 4;
  using temp_storage = typename Pass::temp_storage;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, sort_arrays<Key, Value> all,
                                 segment_spares<Key, Value> spares, large_segments large, Digit digit, int p,
                                 int passes, const std::uint64_t* first, const sort_pass* plans, std::uint32_t* ticket,
                                 std::uint32_t* words) const {
    const ordered_tile_id ids{ticket};
    if (block.thread_rank() == 0) std::memcpy(static_cast<void*>(&s.digit_again), &digit, sizeof digit);
    for (;;) {
      const std::int64_t tile = ids.take(block, s.ticket);
      if (tile >= large.tiles()) return;
      sort_tile(block, s, all, spares, large, digit, p, passes, first, plans, words, tile);
      block.barrier();  // s may hold what is of the next tile
    }
  }

 private:
  template <class Ctx>
  static UPSWEEP_DEVICE void sort_tile(Ctx& block, temp_storage& s, const sort_arrays<Key, Value>& all,
                                       const segment_spares<Key, Value>& spares, const large_segments& large,
                                       const Digit& digit, int p, int passes, const std::uint64_t* first,
                                       const sort_pass* plans, std::uint32_t* words, std::int64_t tile) {
    const std::int64_t slot = large.segment_of(tile);
    const listed_segment of = large.list[slot];
    const sort_pass pass = plans[slot * MaxPasses + p];
    if (pass.action == pass_action::skip || of.items == 0) return;
    bool is_last = true;
    for (int later = p + 1; later < passes; ++later) {
      if (plans[slot * MaxPasses + later].action != pass_action::skip) is_last = false;
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
    std::uint32_t* const own_words = words + Pass::lookback::words_of(of.first_tile);
    const std::uint64_t* const first_of_pass = first + (slot * MaxPasses + p) * Pass::radix;
    const sort_portion portion{{0, of.items, nullptr, own_words, first_of_pass, nullptr}, false};
    const int valid = left < Pass::tile_items ? static_cast<int>(left) : Pass::tile_items;
    Pass::sort_tile(block, s, arrays, digit, pass, portion, in_segment, in_segment == tiles - 1, valid,
                    typename Pass::lookback(own_words, tiles, pass.turn));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
