// Compaction by blocks of one tile each: its elements vote, the tile learns how many are kept before it, and all arrays
// move by the same places. Any vote, any element size.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/compact/device/settle.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Elements on their way, in order: number i of them, i < count, is element first + list[begin + i * step] of the
/// input, and becomes element to + i * to_step of the output.
struct moved_stretch {
  const std::uint16_t* list;
  int begin, step;
  std::int64_t first;
  int count;
  std::int64_t to;
  int to_step;

  UPSWEEP_DEVICE std::int64_t from(int i) const { return first + list[begin + i * step]; }
  UPSWEEP_DEVICE std::int64_t place(int i) const { return to + static_cast<std::int64_t>(i) * to_step; }
  /// Counted from the end of n elements.
  UPSWEEP_DEVICE moved_stretch backwards(std::int64_t n) const {
    return {list, begin, step, first, count, n - 1 - to, -to_step};
  }
};

/// What is moved: arrays of bytes.
struct moved_bytes {
  move_batch batch;

  UPSWEEP_DEVICE bool wants_rejected() const { return batch.with_rejected; }
  template <class Ctx>
  UPSWEEP_DEVICE void move(Ctx& block, const moved_stretch& run) const {
    for (int a = 0; a < batch.size;) {
      if (are_numbers(a)) {
        move_numbers(block, run, a);
        a += together;
      } else {
        move(block, run, batch.array[a], batch.array[a].out);
        ++a;
      }
    }
  }
  /// `run` leads forwards.
  template <class Ctx>
  UPSWEEP_DEVICE void move_rejected(Ctx& block, const moved_stretch& run, std::int64_t n) const {
    for (int a = 0; a < batch.size; ++a) {
      const moved_array& m = batch.array[a];
      if (m.rejected != nullptr) move(block, m.rejects_backwards ? run.backwards(n) : run, m, m.rejected);
    }
  }

 private:
  /// Words that a thread loads before it stores the first, of each array.
  static constexpr int at_once = 4;
  /// Arrays of numbers of 4 bytes that are moved together, so that fewer loads wait for one another.
  static constexpr int together = 4;

  UPSWEEP_DEVICE bool are_numbers(int first) const {
    if (first + together > batch.size) return false;
    bool all = true;
    UPSWEEP_UNROLL
    for (int a = 0; a < together; ++a) {
      all = all && batch.array[first + a].words == 1 && batch.array[first + a].word_bytes == 4;
    }
    return all;
  }

  template <class Ctx>
  UPSWEEP_DEVICE void move_numbers(Ctx& block, const moved_stretch& run, int first) const {
    for (int begin = block.thread_rank(); begin < run.count; begin += at_once * Ctx::threads) {
      std::uint32_t value[together][at_once]{};
      UPSWEEP_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const int i = begin + k * Ctx::threads;
        if (i >= run.count) continue;
        const std::int64_t from = run.from(i);
        UPSWEEP_UNROLL
        for (int a = 0; a < together; ++a) {
          value[a][k] = static_cast<const std::uint32_t*>(batch.array[first + a].in)[from];
        }
      }
      UPSWEEP_UNROLL
      for (int k = 0; k < at_once; ++k) {
        const int i = begin + k * Ctx::threads;
        if (i >= run.count) continue;
        const std::int64_t to = run.place(i);
        UPSWEEP_UNROLL
        for (int a = 0; a < together; ++a) {
          static_cast<std::uint32_t*>(batch.array[first + a].out)[to] = value[a][k];
        }
      }
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void move(Ctx& block, const moved_stretch& run, const moved_array& m, void* to) {
    with_word(m.word_bytes, [&](auto word) {
      using word_type = decltype(word);
      const auto* const in = static_cast<const word_type*>(m.in);
      if (m.words == 1) {
        move_words<true>(block, run, in, static_cast<word_type*>(to), 1);
      } else {
        move_words<false>(block, run, in, static_cast<word_type*>(to), m.words);
      }
    });
  }

  /// A thread's words are as many apart as there are threads.
  template <bool OneWord, class Word, class Ctx>
  static UPSWEEP_DEVICE void move_words(Ctx& block, const moved_stretch& run, const Word* in, Word* out,
                                        std::uint32_t words_of_element) {
    const std::uint32_t words = OneWord ? 1 : words_of_element;
    const auto rank = static_cast<std::uint32_t>(block.thread_rank());
    const std::uint32_t step = Ctx::threads / words, rest = Ctx::threads % words;
    std::uint32_t i = rank / words, w = rank % words;
    while (static_cast<int>(i) < run.count) {
      Word value[at_once]{};
      std::int64_t to[at_once];
      UPSWEEP_UNROLL
      for (int k = 0; k < at_once; ++k) {
        to[k] = -1;
        if (static_cast<int>(i) < run.count) {
          value[k] = in[run.from(static_cast<int>(i)) * words + w];
          to[k] = run.place(static_cast<int>(i)) * words + w;
        }
        i += step;
        w += rest;
        if (w >= words) {
          w -= words;
          ++i;
        }
      }
      UPSWEEP_UNROLL
      for (int k = 0; k < at_once; ++k) {
        if (to[k] >= 0) out[to[k]] = value[k];
      }
    }
  }
};

/// What is moved: the items of an iterator, to another and, unless Rejected is no_items, to a third.
struct no_items {};
template <class In, class Out, class Rejected = no_items>
struct moved_items {
  In in;
  Out out;
  Rejected rejected;
  bool rejects_backwards;

  /// Of n elements, of which there is room for `room` kept ones at least. What is rejected to the back of `out` lies in
  /// it.
  std::array<memory_use, 3> uses(std::int64_t n, std::int64_t room) const {
    if constexpr (std::is_same_v<Out, Rejected> && std::is_pointer_v<Out>) {
      if (rejects_backwards && rejected == out) return {use_of(in, n, false), use_of(out, n, true), {}};
    }
    return {use_of(in, n, false), use_of(out, room, true), use_of(rejected, (std::min<std::int64_t>)(n, 1), true)};
  }
  UPSWEEP_DEVICE static constexpr bool wants_rejected() { return !std::is_same_v<Rejected, no_items>; }
  template <class Ctx>
  UPSWEEP_DEVICE void move(Ctx& block, const moved_stretch& run) const {
    for (int i = block.thread_rank(); i < run.count; i += Ctx::threads) out[run.place(i)] = in[run.from(i)];
  }
  template <class Ctx>
  UPSWEEP_DEVICE void move_rejected(Ctx& block, const moved_stretch& forwards, std::int64_t n) const {
    if constexpr (wants_rejected()) {
      const moved_stretch run = rejects_backwards ? forwards.backwards(n) : forwards;
      for (int i = block.thread_rank(); i < run.count; i += Ctx::threads) rejected[run.place(i)] = in[run.from(i)];
    }
  }
};

/// Counts is one of tile_counts.cuh. Totals may be null.
template <int Threads, int Items, class Counts>
struct compact_tiles_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int warp_items = warp_size * Items;
  static constexpr int tile_items = Threads * Items;
  static_assert(tile_items <= 65536, "places in a tile have 16 bits");
  static constexpr bool begins_early = true;

  struct temp_storage {
    typename Counts::temp_storage counts;
    uninitialized_array<int, warps> kept;  // of each warp
    /// The tile's elements that are kept, in order, and from the back on, backwards, those that are not.
    uninitialized_array<std::uint16_t, tile_items> list;
  };

  template <class Ctx, class Vote, class Count, class Moved>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Vote& vote, Count count, const Moved& moved,
                                 const select_results& results, compact_totals* totals, const Counts& counts) const {
    const std::int64_t n = items_of(block, count);
    const std::int64_t last = n > 0 ? (n - 1) / tile_items : 0;
    if constexpr (may_be_empty<Count> && Counts::takes_tickets) {
      if (block.block_index() > last) return;
    }
    block.wait_for_previous();
    const std::int64_t tile = counts.tile(block, s.counts);
    const std::int64_t first = tile * tile_items;
    const int valid = tile < last ? tile_items : tile == last ? static_cast<int>(n - first) : 0;

    const int mine = block.warp() * warp_items + block.lane();
    bool keep[Items];
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) keep[k] = mine + k * warp_size < valid && vote(first + mine + k * warp_size);
    lane_mask votes[Items];
    int of_warp = 0;
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      votes[k] = block.ballot(keep[k]);
      of_warp += count_lanes(votes[k]);
    }
    if (block.lane() == 0) s.kept[block.warp()] = of_warp;
    block.barrier();  // s.kept is written
    const int of_lane = block.lane() < warps ? s.kept[block.lane()] : 0;
    const int up_to_lane = warp_inclusive_scan(block, of_lane, plus{});
    const int kept = block.shuffle(up_to_lane, warp_size - 1);

    const std::int64_t before = counts.before(block, s.counts, tile, kept, [&] {
      int at = block.shuffle(up_to_lane - of_lane, block.warp());
      UPSWEEP_UNROLL
      for (int k = 0; k < Items; ++k) {
        const int item = mine + k * warp_size;
        const int place = at + count_lanes(votes[k] & ((lane_mask{1} << block.lane()) - 1));
        if (keep[k]) {
          s.list[place] = static_cast<std::uint16_t>(item);
        } else if (moved.wants_rejected() && item < valid) {
          s.list[tile_items - 1 - (item - place)] = static_cast<std::uint16_t>(item);
        }
        at += count_lanes(votes[k]);
      }
    });  // s.list is written

    const std::int64_t room = results.capacity - before;
    const int taken = room >= kept ? kept : room > 0 ? static_cast<int>(room) : 0;
    const moved_stretch run{&s.list[0], 0, 1, first, taken, before, 1};
    moved.move(block, run);
    if (results.indices.wanted()) {
      for (int i = block.thread_rank(); i < taken; i += Threads) results.indices.put(run.place(i), run.from(i));
    }
    if (moved.wants_rejected()) {
      moved.move_rejected(block, {&s.list[0], tile_items - 1, -1, first, valid - kept, first - before, 1}, n);
    }
    if (tile == last && block.thread_rank() == 0) {
      if (results.num_selected.wanted()) results.put(block, before + kept);
      if (totals != nullptr) *totals = {n, results.clamped(before + kept)};
    }
  }
};

/// The results of a selection from no elements.
struct nothing_selected_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, select_results results) const {
    if (block.thread_rank() == 0) results.put(block, 0);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
