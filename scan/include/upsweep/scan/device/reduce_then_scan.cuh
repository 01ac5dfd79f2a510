// Scan by reductions (Merrill & Grimshaw, "Parallel scan for stream architectures", 2009): reduce each tile, scan the
// sums, scan each tile after the sum before it. The recursion ends at one tile, so any n will do. 3n items moved, a
// quarter less than by scan_then_propagate, since the first pass writes no items; O(n) work, 2 launches a level.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/tile_scan.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// sums[tile] becomes the tile's sum, the first after `init`, so that the inclusive scan of the sums is what comes
/// before each next tile.
template <class T, class Block, int Items>
struct reduce_tiles_kernel {
  static constexpr int block_threads = Block::threads;
  using in_tile = tile_scan<T, Block, Items>;
  using temp_storage = typename in_tile::temp_storage;

  template <class Ctx, class In, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, std::int64_t n, Op op, carry<T> init,
                                 T* sums) const {
    const std::int64_t tile = block.block_index();
    const T sum = in_tile::reduce(block, s, in, n, tile, op);
    if (block.thread_rank() == 0) sums[tile] = tile == 0 ? init.then(sum, op) : sum;
  }
};

/// Scans the first tile after `init` and tile i > 0 after prefixes[i - 1]. The last tiles come first: they were reduced
/// last, and may be in the L2 still.
template <scan_kind Kind, class T, class Block, int Items>
struct scan_behind_sums_kernel {
  static constexpr int block_threads = Block::threads;
  using in_tile = tile_scan<T, Block, Items>;
  using temp_storage = typename in_tile::temp_storage;

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, std::int64_t n, Op op, carry<T> init,
                                 const T* prefixes) const {
    const std::int64_t tile = ceil_div(n, in_tile::tile_items) - 1 - block.block_index();
    const carry<T> before = tile == 0 ? init : carry<T>{prefixes[tile - 1], true};
    in_tile::template scan<Kind>(block, s, in, out, n, tile, op, [&](const T&) { return before; });
  }
};

template <class Block, int Items>
struct reduce_then_scan {
  static constexpr scan_variant variant{scan_strategy::reduce_then_scan, Block::name, Block::threads, Items};
  /// The tile of a T: Items a thread, or as many as fit.
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    const level_plan<T> p(n);
    const std::size_t here = p.layout.bytes();
    return p.tiles > 1 ? here + workspace_bytes<T, T*, T*>(p.tiles) : here;
  }

  /// For n > 0.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    const std::int64_t passes = n > tile_items<T> ? 2 : 1;
    return {static_cast<double>(passes), static_cast<double>(operations<T>(true, n)),
            static_cast<double>((1 + passes) * n) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, std::int64_t n, Op op, carry<T> init) {
    if (w.bytes < workspace_bytes<T, In, Out>(n) || w.data == nullptr) return status::invalid_value;
    const level_plan<T> p(n);
    T* const sums = p.layout.at(w, p.sums);
    const T* const read_sums = sums;  // as most items are read, so that the kernels of both are the same
    const scan_behind_sums_kernel<Kind, T, Block, items<T>> scan_tiles;
    if (p.tiles > 1) {
      status s = ex.launch(p.tiles, reduce_tiles_kernel<T, Block, items<T>>{}, in, n, op, init, sums);
      if (s != status::success) return s;
      s = run<scan_kind::inclusive, T>(ex, p.layout.rest(w), read_sums, sums, p.tiles, op, carry<T>{init.value, false});
      if (s != status::success) return s;
    }
    return ex.launch(p.tiles, scan_tiles, in, out, n, op, init, read_sums);
  }

 private:
  template <class T>
  static constexpr std::int64_t operations(bool behind_init, std::int64_t n) {
    using in_block = block_scan<T, Block>;
    const auto scan = [](std::int64_t valid, bool behind_carry) {
      return in_block::template operations<items<T>>(valid, behind_carry);
    };
    const auto reduce = [](std::int64_t valid) { return in_block::template reduce_operations<items<T>>(valid); };
    if (n <= tile_items<T>) return scan(n, behind_init);
    const std::int64_t whole = n / tile_items<T>, rest = n % tile_items<T>;
    return whole * reduce(tile_items<T>) + reduce(rest) + (behind_init ? 1 : 0) +
           operations<T>(false, ceil_div(n, tile_items<T>)) + scan(tile_items<T>, behind_init) +
           (whole - 1) * scan(tile_items<T>, true) + scan(rest, true);
  }

  template <class T>
  struct level_plan {
    std::int64_t tiles;
    workspace_layout layout;
    workspace_layout::slot<T> sums;

    constexpr explicit level_plan(std::int64_t n) : tiles(ceil_div(n, tile_items<T>)), sums(layout.add<T>(tiles)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
