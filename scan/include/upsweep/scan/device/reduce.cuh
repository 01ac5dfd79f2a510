// The sum of n items, and what comes before a rank's items where ranks have a sum each.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/reduce_then_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// *to = the sum, or nothing where `sum` is null. One block.
template <class T>
struct put_sum_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* sum, carry<T>* to) const {
    if (block.thread_rank() != 0) return;
    if (sum != nullptr) to->value = *sum;
    to->present = sum != nullptr;
  }
};

/// *before = init op the sums of the ranks before `rank`, of which one at least is present or init is. One block.
template <class T>
struct sum_of_ranks_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const carry<T>* sums, int rank, Op op, carry<T> init,
                                 T* before) const {
    if (block.thread_rank() != 0) return;
    carry<T> sum = init;
    for (int r = 0; r < rank; ++r) {
      if (sums[r].present) sum = {sum.then(sums[r].value, op), true};
    }
    *before = sum.value;
  }
};

/// Sums of tiles, then of these, until one is left. 1 trip of the items; the operator need not commute.
template <class Block = warp_scans<256>, int Items = 16>
struct reduce_by_tiles {
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  /// The sums of the first two levels: others take these in turns.
  template <class T>
  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<T> sums[2];
  };
  template <class T>
  static layout_plan<T> plan(std::int64_t n) {
    layout_plan<T> p{};
    const std::int64_t tiles = ceil_div(n > 1 ? n : 1, tile_items<T>);
    p.sums[0] = p.layout.template add<T>(tiles);
    p.sums[1] = p.layout.template add<T>(ceil_div(tiles, tile_items<T>));
    return p;
  }

  /// *to = the sum of n >= 0 items.
  template <class T, class Executor, class In, class Op>
  static status run(Executor& ex, workspace w, In in, std::int64_t n, Op op, carry<T>* to) {
    const auto p = plan<T>(n);
    T* const sums[2] = {p.layout.at(w, p.sums[0]), p.layout.at(w, p.sums[1])};
    const reduce_tiles_kernel<T, Block, items<T>> tiles;
    const carry<T> none{T{}, false};
    status s = status::success;
    if (n > 0) s = ex.launch(ceil_div(n, tile_items<T>), tiles, in, n, op, none, sums[0]);
    int level = 0;
    for (std::int64_t left = ceil_div(n, tile_items<T>); left > 1 && s == status::success; ++level) {
      const T* const from = sums[level % 2];
      s = ex.launch(ceil_div(left, tile_items<T>), tiles, from, left, op, none, sums[(level + 1) % 2]);
      left = ceil_div(left, tile_items<T>);
    }
    if (s != status::success) return s;
    return ex.launch(1, put_sum_kernel<T>{}, static_cast<const T*>(n > 0 ? sums[level % 2] : nullptr), to);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
