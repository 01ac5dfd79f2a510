// Scan by one block, for few items: one launch, no workspace, no memory between load and store but for the block's
// scan. More items than a tile come one tile after the other. 2n items moved; O(n) work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/thread_io.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/right_identity.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <scan_kind Kind, class T, class Block, int Items>
struct single_block_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr int tile_items = block_threads * Items;
  using tile_io = thread_io<T, Items>;
  using items_scan = block_scan<T, Block>;
  using temp_storage = typename items_scan::temp_storage;

  /// Every tile is loaded before the one before it is scanned.
  template <class Ctx, class In, class Out, class Count, class Op, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, Op op, Init init,
                                 Total total) const {
    const std::int64_t n = items_of(count);
    if (may_be_empty<Count> && n == 0) return put_total_of_none<T>(block, init, total);
    carry<T> before = carry_of<T>(init, true);
    T item[Items];
    const T padding = right_identity<Op, T>();
    tile_io::load(block, in, items_of_tile(n), item, padding);
    for (std::int64_t first = 0;; first += tile_items) {
      const std::int64_t left = n - first;
      const bool is_last = left <= tile_items;
      T next[Items]{};
      if (!is_last) tile_io::load(block, in + (first + tile_items), items_of_tile(left - tile_items), next, padding);
      items_scan::template scan_items<Kind, has_right_identity<Op, T>>(
          block, s, item, items_of_tile(left), op, [&](const T& aggregate) {
            const carry<T> before_tile = before;
            if (!is_last) before = {before.then(aggregate, op), true};
            if (is_last) put_total(block, total, before, aggregate, op);
            return before_tile;
          });
      tile_io::store(block, out + first, items_of_tile(left), item);
      if (is_last) return;
      block.barrier();  // s has been read
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) item[i] = next[i];
    }
  }

 private:
  /// Of the items that are left, those of the next tile.
  static UPSWEEP_DEVICE int items_of_tile(std::int64_t left) {
    return left < tile_items ? static_cast<int>(left) : tile_items;
  }
};

template <class Block, int Items>
struct single_block {
  static constexpr scan_variant variant{scan_strategy::single_block, Block::name, Block::threads, Items};
  /// The tile of a T: Items a thread, or as many as fit.
  template <class T>
  static constexpr int items = items_in_registers<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }

  /// For n > 0. Each thread carries the sum on to the next tile for itself.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    const auto of_tile = [](std::int64_t valid) {
      return block_scan<T, Block>::template operations<items<T>>(valid, true);
    };
    const std::int64_t carried = (ceil_div(n, tile_items<T>) - 1) * Block::threads;
    const std::int64_t work = n / tile_items<T> * of_tile(tile_items<T>) + of_tile(n % tile_items<T>) + carried;
    return {1, static_cast<double>(work), 2 * static_cast<double>(n) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    return ex.launch(1, single_block_kernel<Kind, T, Block, items<T>>{}, in, out, n, op, init, total);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
