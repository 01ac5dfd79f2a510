// Compaction of one small array in one launch without workspace: by one block, or by the blocks of a cluster, which
// tell one another how many items they keep. Items wait in registers, so that it is safe in place.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/tile_counts.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

/// Counts is counts_of_one_tile or counts_of_cluster. The blocks have room for all items.
template <class T, int Threads, int Items, class Counts>
struct cluster_compact_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int tile_items = Threads * Items;

  struct temp_storage {
    typename Counts::temp_storage counts;
    uninitialized_array<int, warps> kept;  // of each warp
  };

  template <class Ctx, class Vote, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const T* in, T* out, const Vote& vote, Count count,
                                 const select_results& results, Counts counts) const {
    const std::int64_t n = items_of(block, count);
    const std::int64_t tile = counts.tile(block, s.counts);
    const std::int64_t first = tile * tile_items + block.warp() * warp_size * Items + block.lane();
    uninitialized_array<T, Items> item;
    bool keep[Items];
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      const std::int64_t i = first + k * warp_size;
      keep[k] = i < n && vote(i);
      if (i < n) item[k] = in[i];
    }
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
    const std::int64_t before = counts.before(block, s.counts, tile, kept, [] {});
    std::int64_t to = before + block.shuffle(up_to_lane - of_lane, block.warp());
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      const std::int64_t at = to + count_lanes(votes[k] & ((lane_mask{1} << block.lane()) - 1));
      if (keep[k] && at < results.capacity) {
        out[at] = item[k];
        if (results.indices.wanted()) results.indices.put(at, first + k * warp_size);
      }
      to += count_lanes(votes[k]);
    }
    if (tile == block.num_blocks() - 1 && block.thread_rank() == 0) results.put(block, before + kept);
  }
};

/// One array of up to 256 KiB, by any vote. In place, the vote may look at its own item and at what is not written.
class cluster_compact {
 public:
  template <class T>
  static constexpr bool takes_items = sizeof(T) <= 64;

  /// Nothing, when this is not for so many items or this device; then nothing has happened. n > 0.
  template <class T, class Executor, class Count, class Vote>
  static std::optional<status> run(Executor& ex, const T* in, T* out, Count count, const Vote& vote,
                                   const select_results& results) {
    if constexpr (takes_items<T>) {
      constexpr int items = sizeof(T) < 4 ? 4 : sizeof(T) > 16 ? 1 : static_cast<int>(16 / sizeof(T));
      constexpr std::int64_t small = 512 * items, middle = 256 * items, large = 1024 * items;
      const std::int64_t n = bound_of(count);
      if (n <= small) {
        const cluster_compact_kernel<T, 512, items, counts_of_one_tile> kernel;
        return ex.launch(1, kernel, in, out, vote, count, results, counts_of_one_tile{});
      }
      if (!ex.has_clusters()) return {};
      if (n <= max_cluster_blocks * middle) return launch<256, items>(ex, in, out, count, vote, results);
      if (n <= max_cluster_blocks * large) return launch<1024, items>(ex, in, out, count, vote, results);
    }
    return {};
  }

 private:
  template <int Threads, int Items, class T, class Executor, class Count, class Vote>
  static status launch(Executor& ex, const T* in, T* out, Count count, const Vote& vote,
                       const select_results& results) {
    const auto tiles = static_cast<unsigned>(ceil_div(bound_of(count), Threads * Items));
    const int blocks = static_cast<int>(std::bit_ceil(tiles));
    return ex.launch(grid(blocks, 0, blocks), cluster_compact_kernel<T, Threads, Items, counts_of_cluster>{}, in, out,
                     vote, count, results, counts_of_cluster{});
  }
};

}  // namespace upsweep
