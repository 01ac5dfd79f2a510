// Scan of few segments in few tiles by two launches, as direct_reduce_then_scan.cuh: the first writes what each tile
// hands on, and each block of the second adds up what those before its own tile do.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/segment_heads.cuh"
#include "upsweep/scan/device/segmented_tile.cuh"
#include "upsweep/scan/flow/sum_of_tiles.cuh"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// sums[tile] becomes what the tile hands on, if it has items.
template <scan_kind Kind, class T, class Block, int Items, class Heads>
struct sum_tiles_of_segments_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr bool lets_next_begin = true;
  using in_tile = segmented_tile<Kind, T, Block, Items>;
  static constexpr int tile_items = in_tile::tile_items;

  struct temp_storage {
    typename in_tile::temp_storage tile;
    typename Heads::template temp_storage<tile_items> heads;
  };

  template <class Ctx, class In, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Heads heads, In in, Op op, T init,
                                 segment_sum<T>* sums) const {
    const item_range items = heads.items();
    const std::int64_t first = block.block_index() * tile_items, left = items.count - first;
    if (left <= 0) return;
    const auto& of_tile = heads.template in_tile<tile_items>(block, s.heads, first);
    const auto sum = in_tile::reduce(block, s.tile, of_tile, in + (items.first + first), first, left, op, init);
    if (block.thread_rank() == 0) sums[block.block_index()] = sum;
  }
};

template <scan_kind Kind, class T, class Block, int Items, class Heads>
struct scan_segments_behind_tiles_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr bool begins_early = true;
  using in_tile = segmented_tile<Kind, T, Block, Items>;
  static constexpr int tile_items = in_tile::tile_items;

  struct temp_storage {
    typename in_tile::temp_storage tile;
    typename Heads::template temp_storage<tile_items> heads;
    uninitialized_array<segment_sum<T>, Block::threads / warp_size> before;
  };

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Heads heads, In in, Out out, Op op, T init,
                                 const segment_sum<T>* sums) const {
    const item_range items = heads.items();
    const std::int64_t tile = block.block_index(), first = tile * tile_items, left = items.count - first;
    if (left <= 0) return block.wait_for_previous();
    const auto& of_tile = heads.template in_tile<tile_items>(block, s.heads, first);
    in_tile::scan(
        block, s.tile, of_tile, in + (items.first + first), out + (items.first + first), first, left, op, init,
        [&](const segment_sum<T>&, lane_mask) -> T {
          block.wait_for_previous();
          if (tile > 0) {
            return sum_of_tiles(block, s.before.data(), tile, segment_op<Op>{op}, sums_of_launch(block, sums)).value;
          }
          block.barrier();  // the block's scan has been read
          return {};
        });
  }
};

/// For n items, of `MostBytes` at most, in at most `MostSegments` segments by offsets. Tiles of Block::threads x Items,
/// or as many as fit.
template <class Block, int Items, std::int64_t MostBytes, std::int64_t MostSegments>
struct segmented_reduce_then_scan {
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T>
  static constexpr bool takes(std::int64_t n, std::int64_t segments) {
    return n <= most_items<T> && segments <= MostSegments;
  }
  template <class T>
  static constexpr std::size_t segmented_workspace_bytes(std::int64_t n) {
    return plan<T>((std::min)(n, most_items<T>)).layout.bytes();
  }

  /// As segmented_lookback, where it takes so many.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Offsets, class Op>
  static status segmented(Executor& ex, workspace w, In in, Out out, std::int64_t n, Offsets offsets,
                          std::int64_t segments, Op op, T init) {
    using heads = listed_heads<Offsets>;
    const plan<T> p(n);
    if (!p.layout.fits(w)) return status::invalid_value;
    segment_sum<T>* const sums = p.layout.at(w, p.sums);
    const heads of_segments{{offsets, segments, n}};
    grid tiles(p.tiles);
    tiles.overlaps_next = true;
    const status summed = ex.launch(tiles, sum_tiles_of_segments_kernel<Kind, T, Block, items<T>, heads>{}, of_segments,
                                    in, op, init, sums);
    if (summed != status::success) return summed;
    tiles.overlaps_next = false;
    return ex.launch(tiles, scan_segments_behind_tiles_kernel<Kind, T, Block, items<T>, heads>{}, of_segments, in, out,
                     op, init, static_cast<const segment_sum<T>*>(sums));
  }

 private:
  template <class T>
  static constexpr std::int64_t most_items = MostBytes / static_cast<std::int64_t>(sizeof(T));

  template <class T>
  struct plan {
    std::int64_t tiles;
    workspace_layout layout;
    workspace_layout::slot<segment_sum<T>> sums;

    constexpr explicit plan(std::int64_t n)
        : tiles(ceil_div(n, tile_items<T>)), sums(layout.add<segment_sum<T>>(tiles)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
