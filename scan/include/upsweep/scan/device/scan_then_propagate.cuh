// Scan by levels (Harris, Sengupta & Owens, "Parallel prefix sum (scan) with CUDA", GPU Gems 3, chapter 39): scan each
// tile and note its sum, scan the sums the same way, put the sum before each tile before its items. The recursion ends
// at one tile, so any n will do. 4n items moved; O(n) work, 2 launches a level.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// Scans each tile for itself; the first one after `init`. sums[tile] becomes the tile's sum, the first with `init`, so
/// that the inclusive scan of the sums is what comes before each next tile. In an exclusive scan, the first item of
/// every other tile has no prefix yet: what is written there means nothing.
template <scan_kind Kind, class T, class Block, int Items>
struct scan_tiles_kernel {
  static constexpr int block_threads = Block::threads;
  using in_tile = tile_scan<T, Block, Items>;
  using temp_storage = typename in_tile::temp_storage;

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, std::int64_t n, Op op, carry<T> init,
                                 T* sums) const {
    const std::int64_t tile = block.block_index();
    if (tile > 0) init.present = false;
    in_tile::template scan<Kind>(block, s, in, out, n, tile, op, [&](const T& aggregate) {
      if (block.thread_rank() == 0) sums[tile] = init.then(aggregate, op);
      return init;
    });
  }
};

/// Puts sums[tile - 1] before the items of every tile but the first, which is copied as it is, from `local` to `out`
/// (which may be the same). The last tiles come first: they were written last, and may be in the L2 still.
template <scan_kind Kind, class T, int Threads, int Items>
struct propagate_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;
  struct temp_storage {};

  template <class Ctx, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* local, Out out, std::int64_t n, Op op,
                                 const T* sums) const {
    const std::int64_t tile = ceil_div(n, tile_items) - 1 - block.block_index();
    const std::int64_t first = tile * tile_items;
    const int valid = n - first < tile_items ? static_cast<int>(n - first) : tile_items;
    const carry<T> before{sums[tile > 0 ? tile - 1 : 0], tile > 0};
    T item[Items];
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = i * Threads + block.thread_rank();
      item[i] = at < valid ? local[first + at] : T{};
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = i * Threads + block.thread_rank();
      if (at < valid) {
        const bool alone = Kind == scan_kind::exclusive && at == 0 && before.present;
        out[first + at] = alone ? before.value : before.then(item[i], op);
      }
    }
  }
};

template <class Block, int Items>
struct scan_then_propagate {
  static constexpr scan_variant variant{scan_strategy::scan_then_propagate, Block::name, Block::threads, Items};
  /// The tile of a T: Items a thread, or as many as fit.
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    const level_plan<T, Out> p(n);
    const std::size_t here = p.layout.bytes();
    return p.tiles > 1 ? here + workspace_bytes<T, T*, T*>(p.tiles) : here;
  }

  /// For n > 0; the output is a T*.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    const std::int64_t tiles = ceil_div(n, tile_items<T>), passes = tiles > 1 ? 2 : 1;
    return {static_cast<double>(passes), static_cast<double>(operations<T>(scan_kind::exclusive, true, n)),
            static_cast<double>(2 * passes * n) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, std::int64_t n, Op op, carry<T> init) {
    if (w.bytes < workspace_bytes<T, In, Out>(n) || w.data == nullptr) return status::invalid_value;
    const level_plan<T, Out> p(n);
    T* const sums = p.layout.at(w, p.sums);
    const T* const read_sums = sums;  // as most items are read, so that the kernels of both are the same
    const scan_tiles_kernel<Kind, T, Block, items<T>> scan_tiles;
    if (p.tiles == 1) return ex.launch(1, scan_tiles, in, out, n, op, init, sums);

    T* local;
    status s;
    if constexpr (rereads<T, Out>) {
      local = out;
    } else {
      local = p.layout.at(w, p.local);
    }
    s = ex.launch(p.tiles, scan_tiles, in, local, n, op, init, sums);
    if (s != status::success) return s;
    s = run<scan_kind::inclusive, T>(ex, p.layout.rest(w), read_sums, sums, p.tiles, op, carry<T>{init.value, false});
    if (s != status::success) return s;
    return ex.launch(p.tiles, propagate_kernel<Kind, T, Block::threads, items<T>>{}, static_cast<const T*>(local), out,
                     n, op, read_sums);
  }

 private:
  template <class T>
  static constexpr std::int64_t operations(scan_kind kind, bool behind_init, std::int64_t n) {
    const auto of_tile = [](std::int64_t valid, bool behind_carry) {
      return block_scan<T, Block>::template operations<items<T>>(valid, behind_carry);
    };
    const std::int64_t first = n < tile_items<T> ? n : tile_items<T>, others = n - first;
    const std::int64_t count = of_tile(first, behind_init) + (behind_init ? 1 : 0);
    if (others == 0) return count;
    const std::int64_t tiles = ceil_div(n, tile_items<T>);
    const std::int64_t propagated = kind == scan_kind::exclusive ? others - (tiles - 1) : others;
    return count + others / tile_items<T> * of_tile(tile_items<T>, false) + of_tile(others % tile_items<T>, false) +
           operations<T>(scan_kind::inclusive, false, tiles) + propagated;
  }

  /// The output holds the local scans between the launches, unless it would round them or cannot be read.
  template <class T, class Out>
  static constexpr bool rereads = std::is_same_v<Out, T*>;

  template <class T, class Out>
  struct level_plan {
    std::int64_t tiles;
    workspace_layout layout;
    workspace_layout::slot<T> sums, local;

    constexpr explicit level_plan(std::int64_t n)
        : tiles(ceil_div(n, tile_items<T>)),
          sums(layout.add<T>(tiles)),
          local(layout.add<T>(rereads<T, Out> || tiles == 1 ? 0 : n)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
