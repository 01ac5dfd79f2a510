// Scan of few tiles by two launches: the first writes the sum of each tile, and each block of the second adds up those
// of all tiles before its own, after it has scanned its items. No state to clear, no ticket, and no block waits for
// another one of its launch; on sm_90 and later the second launch runs beside the first, up to where it needs the sums.
// But items are read twice, the second time from the L2, and t tiles read t^2 / 2 sums. 3n items moved.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/thread_io.cuh"
#include "upsweep/scan/block/tile_scan.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/flow/sum_of_tiles.cuh"
#include "upsweep/scan/right_identity.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// sums[tile] becomes the tile's sum, the first after init.
template <class T, class Block, int Items>
struct sum_tiles_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr bool lets_next_begin = true;
  static constexpr int tile_items = block_threads * Items;
  using items_scan = block_scan<T, Block>;

  /// As large as that of the second launch: the blocks of two kernels that divide the L1 cache otherwise do not run on
  /// a multiprocessor at the same time.
  union temp_storage {
    typename items_scan::temp_storage scan;
    typename tile_scan<T, Block, Items>::temp_storage of_next;
  };

  template <class Ctx, class In, class Count, class Op, class Init>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Count count, Op op, Init init, T* sums) const {
    const std::int64_t tile = block.block_index(), first = tile * tile_items, left = items_of(count) - first;
    if (may_be_empty<Count> && left <= 0) return;
    const int valid = left < tile_items ? static_cast<int>(left) : tile_items;
    T item[Items];
    thread_io<T, Items>::load(block, in + first, valid, item, right_identity<Op, T>());
    const T sum = items_scan::template reduce_items<has_right_identity<Op, T>>(block, s.scan, item, valid, op);
    if (block.thread_rank() == 0) sums[tile] = tile == 0 ? carry_of<T>(init, true).then(sum, op) : sum;
  }
};

/// Scans the first tile after init, and the others after the sums of those before them. The total is not where count
/// or init lie, which blocks that begin late still read: no scan takes such arguments.
template <scan_kind Kind, class T, class Block, int Items>
struct scan_behind_tiles_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr bool begins_early = true;
  using in_tile = tile_scan<T, Block, Items>;

  struct temp_storage {
    typename in_tile::temp_storage tile;
    uninitialized_array<T, Block::threads / warp_size> before;
  };

  template <class Ctx, class In, class Out, class Count, class Op, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, Op op, Init init,
                                 Total total, const T* sums) const {
    const std::int64_t n = items_of(count), tile = block.block_index(), left = n - tile * in_tile::tile_items;
    if (may_be_empty<Count> && left <= 0) {
      block.wait_for_previous();
      if (n == 0) put_total_of_none<T>(block, init, total);
      return;
    }
    in_tile::template scan<Kind>(block, s.tile, in, out, n, tile, op, [&](const T& aggregate) {
      block.wait_for_previous();
      carry<T> before = carry_of<T>(init, tile == 0);
      if (tile > 0) before = {sum_of_tiles(block, s.before.data(), tile, op, sums_of_launch(block, sums)), true};
      if (left <= in_tile::tile_items) put_total(block, total, before, aggregate, op);
      return before;
    });
  }
};

/// Takes any n; time grows with the square of the tiles.
template <class Block, int Items>
struct direct_reduce_then_scan {
  static constexpr scan_variant variant{scan_strategy::reduce_then_scan, Block::name, Block::threads, Items};
  /// The tile of a T: Items a thread, or as many as fit.
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return plan<T>(n).layout.bytes();
  }

  /// For n > 0. O(n / tile_items).
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    using in_block = block_scan<T, Block>;
    const auto of_tile = [](std::int64_t valid) {
      return in_block::template reduce_operations<items<T>>(valid) +
             in_block::template operations<items<T>>(valid, true);
    };
    const std::int64_t tiles = ceil_div(n, tile_items<T>);
    std::int64_t work = n / tile_items<T> * of_tile(tile_items<T>) + of_tile(n % tile_items<T>) + 1;
    for (std::int64_t tile = 1; tile < tiles; ++tile) {
      work += direct_windows::operations(tile, Block::threads / warp_size);
    }
    return {2, static_cast<double>(work), 3 * static_cast<double>(n) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace w, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    const plan<T> p(bound_of(n));
    if (!p.layout.fits(w)) return status::invalid_value;
    T* const sums = p.layout.at(w, p.sums);
    grid tiles(p.tiles);
    tiles.overlaps_next = true;
    const status summed = ex.launch(tiles, sum_tiles_kernel<T, Block, items<T>>{}, in, n, op, init, sums);
    if (summed != status::success) return summed;
    tiles.overlaps_next = false;
    return ex.launch(tiles, scan_behind_tiles_kernel<Kind, T, Block, items<T>>{}, in, out, n, op, init, total,
                     static_cast<const T*>(sums));
  }

 private:
  template <class T>
  struct plan {
    std::int64_t tiles;
    workspace_layout layout;
    workspace_layout::slot<T> sums;

    constexpr explicit plan(std::int64_t n) : tiles(ceil_div(n, tile_items<T>)), sums(layout.add<T>(tiles)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
