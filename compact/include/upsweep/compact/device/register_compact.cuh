// Compaction of one small array in one launch without workspace: by one block, or by the blocks of a cluster, which
// tell one another how many items they keep. Items wait in registers, so that it is safe in place.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/tile_counts.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/prefetch.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// Counts is one of tile_counts.cuh. The blocks have room for all items. By one block or a cluster, it is safe in
/// place.
template <class T, int Threads, int Items, class Counts>
struct register_compact_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int tile_items = Threads * Items;

  static constexpr bool begins_early = true;
  static constexpr bool looks_back = std::is_same_v<Counts, counts_by_look_back>;

  struct temp_storage {
    typename Counts::temp_storage counts;
    uninitialized_array<int, warps> kept;  // of each warp
  };

  template <class Ctx, class Vote, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const T* in, T* out, const Vote& vote, Count count,
                                 const select_results& results, Counts counts) const {
    const std::int64_t n = items_of(block, count);
    const std::int64_t last = n > 0 ? (n - 1) / tile_items : 0;
    if constexpr (looks_back) {
      if (may_be_empty<Count> && block.block_index() > last) return;  // as many blocks take tickets as there are tiles
      prefetch_tile<tile_items>(block, in, n, block.block_index());
    }
    block.wait_for_previous();
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
    if (tile == last && block.thread_rank() == 0) results.put(block, before + kept);
  }
};

/// One array whose items wait in registers, of up to UpTo bytes: up to 256 KiB by one block or a cluster, then by tiles
/// of 16 bytes a thread that look back. Clusters: where the device has them.
template <std::int64_t UpTo = 1 << 20, bool Clusters = true>
class register_compact {
 public:
  template <class T>
  static std::size_t workspace_bytes(std::int64_t n) {
    return memory(std::min(n, UpTo / static_cast<std::int64_t>(sizeof(T))), tile_items<T>).layout.bytes();
  }

  /// Nothing, when this is not for these items or this device; then nothing has happened. n > 0; `w` is large enough.
  template <class T, class Executor, class Count, class Vote>
  static std::optional<status> run(Executor& ex, workspace w, const T* in, T* out, Count count, const Vote& vote,
                                   const select_results& results) {
    const std::int64_t n = bound_of(count);
    if constexpr (sizeof(T) <= 64) {
      constexpr int each = items<T>;
      constexpr std::int64_t of_block = 512 * each, of_cluster = max_cluster_blocks * 256 * each;
      if (n <= of_block) {
        const register_compact_kernel<T, 512, each, counts_of_one_tile> kernel;
        return ex.launch(1, kernel, in, out, vote, count, results, counts_of_one_tile{});
      }
      if (Clusters && ex.has_clusters()) {
        if (n <= of_cluster) return by_cluster<256, each>(ex, in, out, count, vote, results);
        if (n <= 4 * of_cluster) return by_cluster<1024, each>(ex, in, out, count, vote, results);
      }
      if (n <= UpTo / static_cast<std::int64_t>(sizeof(T)) && in != out) {
        const memory m(n, tile_items<T>);
        std::uint32_t* const ticket = m.layout.at(w, m.ticket);
        const status cleared = ex.clear(ticket, workspace_layout::alignment + m.counts.bytes());
        if (cleared != status::success) return cleared;
        const counts_by_look_back counts{tile_counts(m.layout.at(w, m.counts)), {ticket}};
        return ex.launch(ceil_div(n, tile_items<T>), register_compact_kernel<T, threads, each, counts_by_look_back>{},
                         in, out, vote, count, results, counts);
      }
    }
    return {};
  }

 private:
  static constexpr int threads = 256;  // of a block that looks back
  template <class T>
  static constexpr int items = sizeof(T)<4 ? 4 : sizeof(T)> 16 ? 1 : static_cast<int>(16 / sizeof(T));
  template <class T>
  static constexpr int tile_items = threads* items<T>;

  /// The ticket lies in front of the counts, so that one clear does for both.
  struct memory {
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> ticket;
    workspace_layout::slot<std::uint64_t> counts;

    memory(std::int64_t n, int tile_items) {
      ticket = layout.add<std::uint32_t>(1);
      counts = layout.add<std::uint64_t>(static_cast<std::size_t>(ceil_div(n, tile_items)));
    }
  };

  template <int Threads, int Items, class T, class Executor, class Count, class Vote>
  static status by_cluster(Executor& ex, const T* in, T* out, Count count, const Vote& vote,
                           const select_results& results) {
    const auto tiles = static_cast<unsigned>(ceil_div(bound_of(count), Threads * Items));
    const int blocks = static_cast<int>(std::bit_ceil(tiles));
    return ex.launch(grid(blocks, 0, blocks), register_compact_kernel<T, Threads, Items, counts_of_cluster>{}, in, out,
                     vote, count, results, counts_of_cluster{});
  }
};

/// In its place: nothing is for it.
struct no_register_compact {
  template <class T>
  static std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }
  template <class... Arguments>
  static std::optional<status> run(const Arguments&...) {
    return {};
  }
};

}  // namespace upsweep
