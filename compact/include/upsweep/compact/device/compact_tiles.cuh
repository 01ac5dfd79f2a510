// Compaction by blocks of one tile each: its elements vote, the tile learns how many are kept before it, and all arrays
// move by the same places. Any vote, any element size.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/copy_back.cuh"
#include "upsweep/compact/device/tile_votes.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/tile_counts.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A route (move_words.cuh) along a list: number i, i < count, is element first + list[begin + i * step] of the input,
/// and becomes element first_to + i * to_step of the output.
struct listed_elements {
  const std::uint16_t* list;
  int begin, step;
  std::int64_t first;
  int count;
  std::int64_t first_to;
  int to_step;

  UPSWEEP_DEVICE std::int64_t from(int i) const { return first + list[begin + i * step]; }
  UPSWEEP_DEVICE std::int64_t to(int i) const { return first_to + static_cast<std::int64_t>(i) * to_step; }
  /// Counted from the end of n elements.
  UPSWEEP_DEVICE listed_elements backwards(std::int64_t n) const {
    return {list, begin, step, first, count, n - 1 - first_to, -to_step};
  }
};

/// Moved is one of moved_arrays.cuh, Counts one of few_tiles.cuh or counts_by_look_back. Totals may be null.
template <int Threads, int Items, class Counts>
struct compact_tiles_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int warp_items = warp_size * Items;
  static constexpr int tile_items = Threads * Items;
  static_assert(tile_items <= 65536, "places in a tile have 16 bits");
  static constexpr bool begins_early = true;

  struct temp_storage {
    typename Counts::temp_storage counts;
    typename tile_votes<Threads, Items>::temp_storage votes;
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
    const tile_votes<Threads, Items> votes(block, s.votes, keep);
    const int kept = votes.kept();
    const std::int64_t before = counts.before(block, s.counts, tile, kept, [&] {
      votes.places(block, 0, [&](int k, int place) {
        const int item = mine + k * warp_size;
        if (keep[k]) {
          s.list[place] = static_cast<std::uint16_t>(item);
        } else if (moved.wants_rejected() && item < valid) {
          s.list[tile_items - 1 - (item - place)] = static_cast<std::uint16_t>(item);
        }
      });
    });  // s.list is written

    const std::int64_t room = results.capacity - before;
    const int taken = room >= kept ? kept : room > 0 ? static_cast<int>(room) : 0;
    const listed_elements run{&s.list[0], 0, 1, first, taken, before, 1};
    moved.move(block, run);
    if (results.indices.wanted()) {
      for (int i = block.thread_rank(); i < taken; i += Threads) results.indices.put(run.to(i), run.from(i));
    }
    if (moved.wants_rejected()) {
      const listed_elements others{&s.list[0], tile_items - 1, -1, first, valid - kept, first - before, 1};
      moved.move_rejected(block, others, n);
    }
    if (tile == last && block.thread_rank() == 0) {
      if (results.num_selected.wanted()) results.put(block, before + kept);
      if (totals != nullptr) *totals = {n, results.clamped(before + kept)};
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
