// Scan by one cluster of blocks, for some tens of thousands of items: one launch, no workspace. Each block scans a
// tile, and tells the others its sum through their shared memory; there is one barrier of the cluster between. More
// items than the cluster has tiles come round after round. 2n items moved; O(n) work. Needs sm_90.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/thread_io.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/right_identity.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// For a grid of one cluster, of at most MaxBlocks blocks.
template <scan_kind Kind, class T, class Block, int Items, int MaxBlocks>
struct cluster_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr int tile_items = block_threads * Items;
  using tile_io = thread_io<T, Items>;
  using items_scan = block_scan<T, Block>;
  using tile_sums = uninitialized_array<T, MaxBlocks>;

  struct temp_storage {
    typename items_scan::temp_storage scan;
    tile_sums sums[2];  // of this round's tiles, and of the next one's: others may be there already
  };

  /// Every tile is loaded before the one of the round before is scanned.
  template <class Ctx, class In, class Out, class Count, class Op, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, Op op, Init init,
                                 Total total) const {
    const std::int64_t n = items_of(count);
    if (may_be_empty<Count> && n == 0) return put_total_of_none<T>(block, init, total);
    carry<T> before = carry_of<T>(init, true);
    const int rank = block.cluster_rank(), blocks = block.cluster_blocks();
    const std::int64_t round_items = std::int64_t{tile_items} * blocks;
    std::int64_t first = std::int64_t{tile_items} * rank;
    T item[Items];
    const T padding = right_identity<Op, T>();
    tile_io::load(block, in + first, items_of_tile(n - first), item, padding);
    block.cluster_barrier_relaxed();  // all blocks have begun
    for (int slot = 0;; slot = 1 - slot, first += round_items) {
      const std::int64_t left = n - first;                                   // from this block's tile on
      const std::int64_t of_round = left + std::int64_t{tile_items} * rank;  // from the round's first tile on
      const bool is_last = of_round <= round_items;
      const int tiles = is_last ? static_cast<int>(ceil_div(of_round, tile_items)) : blocks;
      if (rank >= tiles) return meet(block);
      T next[Items]{};
      if (!is_last) tile_io::load(block, in + (first + round_items), items_of_tile(left - round_items), next, padding);
      items_scan::template scan_items<Kind, has_right_identity<Op, T>>(
          block, s.scan, item, items_of_tile(left), op, [&](const T& aggregate) {
            const carry<T> of_tile = before_tile(block, s.sums[slot], aggregate, tiles, is_last, before, op);
            if (is_last && rank == tiles - 1) put_total(block, total, of_tile, aggregate, op);
            return of_tile;
          });
      tile_io::store(block, out + first, items_of_tile(left), item);
      if (is_last) return;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) item[i] = next[i];
    }
  }

 private:
  /// Of the items that are left, those of the next tile; none when that is negative.
  static UPSWEEP_DEVICE int items_of_tile(std::int64_t left) {
    return left < tile_items ? static_cast<int>(left < 0 ? 0 : left) : tile_items;
  }

  /// The sums of the round's tiles are there. It also keeps s.scan from being used again too early, and the sums: who
  /// writes those of the next round but one has come by here twice.
  template <class Ctx>
  static UPSWEEP_DEVICE void meet(Ctx& block) {
    block.cluster_barrier();
  }

  /// Tells all blocks the sum of this one's tile. Returns what comes before the tile; `before` becomes what comes
  /// before the next round.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE carry<T> before_tile(Ctx& block, tile_sums& sums, const T& aggregate, int tiles, bool is_last,
                                             carry<T>& before, Op op) {
    const int rank = block.cluster_rank();
    if (block.thread_rank() < block.cluster_blocks()) {
      *block.cluster_shared(sums.data() + rank, block.thread_rank()) = aggregate;
    }
    meet(block);
    // Every warp scans all sums.
    T sum = aggregate;
    if (block.lane() < tiles) sum = sums[block.lane()];
    sum = warp_inclusive_scan<MaxBlocks>(block, sum, op, tiles);
    const T in_front = block.shuffle(sum, rank > 0 ? rank - 1 : 0);
    const carry<T> of_tile = rank > 0 ? carry<T>{before.then(in_front, op), true} : before;
    if (!is_last) before = {before.then(block.shuffle(sum, tiles - 1), op), true};
    return of_tile;
  }
};

/// MaxBlocks: 2 to 16. On a GPU that takes no cluster of so many, the largest that it takes goes more rounds.
template <class Block, int Items, int MaxBlocks = max_cluster_blocks>
struct cluster {
  static_assert(MaxBlocks >= 2 && MaxBlocks <= max_cluster_blocks && std::has_single_bit(unsigned{MaxBlocks}),
                "a cluster has 2, 4, 8 or 16 blocks");
  static constexpr scan_variant variant{scan_strategy::cluster, Block::name, Block::threads, Items};
  /// The tile of a T: Items a thread, or as many as fit.
  template <class T>
  static constexpr int items = items_in_registers<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }

  /// For n > 0. Each warp scans the sums of the tiles for itself, each thread carries them on.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    const auto of_tile = [](std::int64_t valid) {
      return block_scan<T, Block>::template operations<items<T>>(valid, true);
    };
    const auto of_sums = [](std::int64_t tiles) {
      return tiles * Block::threads / warp_size * warp_scan_operations<MaxBlocks>(static_cast<int>(tiles)) +
             (tiles - 1) * Block::threads;
    };
    const std::int64_t tiles = ceil_div(n, tile_items<T>), rounds = ceil_div(tiles, MaxBlocks);
    const std::int64_t carried = MaxBlocks * Block::threads;
    const std::int64_t work = n / tile_items<T> * of_tile(tile_items<T>) + of_tile(n % tile_items<T>) +
                              (rounds - 1) * (of_sums(MaxBlocks) + carried) + of_sums(tiles - (rounds - 1) * MaxBlocks);
    return {1, static_cast<double>(work), 2 * static_cast<double>(n) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`; not_supported by a GPU without clusters. n, init and total: as
  /// arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    if (!ex.has_clusters()) return status::not_supported;
    const auto tiles = static_cast<unsigned>((std::min<std::int64_t>)(ceil_div(bound_of(n), tile_items<T>), MaxBlocks));
    status s = status::not_supported;
    for (int blocks = static_cast<int>(std::bit_ceil(tiles)); blocks > 0 && s == status::not_supported; blocks /= 2) {
      s = ex.launch(grid(blocks, 0, blocks), cluster_kernel<Kind, T, Block, items<T>, MaxBlocks>{}, in, out, n, op,
                    init, total);
    }
    return s;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
