// Scan by two sweeps over a balanced tree (Blelloch, "Prefix sums and their applications", 1990), in global memory: up,
// each node becomes the sum of its items; down, each hands what comes before it to its left child, and that with the
// left child's sum to its right. O(n) work, 2 log2(n) + 1 launches.
//
// A node of the level with stride s has the items from 2 s k on, at most 2 s of them, and lies where its last item is.
// Any n will do: the last node of a level may be short, and if its right half is empty it is its left child.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/device/copy_items.cuh"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A node that has two children.
struct sweep_node {
  std::int64_t first, left, right;  ///< its first item; the last ones of its children
};

/// Calls `f(sweep_node)` for the node of this thread, if there is one.
template <int Threads, class Ctx, class F>
UPSWEEP_DEVICE void with_sweep_node(Ctx& block, std::int64_t n, std::int64_t stride, F f) {
  const std::int64_t first = (block.block_index() * Threads + block.thread_rank()) * 2 * stride;
  const std::int64_t left = first + stride - 1, end = first + 2 * stride;
  if (left < n - 1) f(sweep_node{first, left, (end < n ? end : n) - 1});
}
/// Nodes with two children.
constexpr std::int64_t sweep_nodes(std::int64_t n, std::int64_t stride) {
  return (n - stride + 2 * stride - 1) / (2 * stride);
}

/// x[right] = x[left] op x[right].
template <int Threads>
struct up_sweep_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx, class T, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, T* x, std::int64_t n, Op op, std::int64_t stride) const {
    with_sweep_node<Threads>(block, n, stride,
                             [&](const sweep_node& node) { x[node.right] = op(x[node.left], x[node.right]); });
  }
};

/// x[right] is what comes before the node, x[left] the sum of its left child; then each becomes what comes before
/// that child. Before a node that begins at item 0 comes init, if anything, and it need not be written down.
template <int Threads>
struct down_sweep_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx, class T, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, T* x, std::int64_t n, Op op, std::int64_t stride,
                                 carry<T> init) const {
    with_sweep_node<Threads>(block, n, stride, [&](const sweep_node& node) {
      const carry<T> before = node.first == 0 ? init : carry<T>{x[node.right], true};
      const T left = x[node.left];
      if (node.first > 0) x[node.left] = before.value;
      x[node.right] = before.then(left, op);
    });
  }
};

/// From the items and what comes before each to the scan.
template <scan_kind Kind, int Threads>
struct finish_sweeps_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx, class In, class T, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, In in, const T* x, Out out, std::int64_t n, Op op,
                                 carry<T> init) const {
    const std::int64_t i = block.block_index() * Threads + block.thread_rank();
    if (i >= n) return;
    const carry<T> before = i == 0 ? init : carry<T>{x[i], true};
    out[i] = Kind == scan_kind::exclusive ? before.value : before.then(static_cast<T>(in[i]), op);
  }
};

template <int Threads = 256>
struct blelloch_sweeps {
  static constexpr scan_variant variant{scan_strategy::blelloch, block_algorithm::warp_scans, 0, 0};

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return tree_plan<T>(n).layout.bytes();
  }

  /// For n > 0.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    std::int64_t passes = 2, work = 0, moved = 2 * n + 2 * n - 1;
    for (std::int64_t stride = 1; stride < n; stride *= 2) {
      const std::int64_t nodes = sweep_nodes(n, stride), up = 2 * stride < n ? 1 : 0;
      passes += up + 1;
      work += (up + 1) * nodes;
      moved += up * 3 * nodes + 4 * nodes - 2;
    }
    return {static_cast<double>(passes), static_cast<double>(work), static_cast<double>(moved) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, std::int64_t n, Op op, carry<T> init) {
    const tree_plan<T> p(n);
    if (!p.layout.fits(w)) return status::invalid_value;
    T* const x = p.layout.at(w, p.tree);
    status s = ex.launch(ceil_div(n, Threads), copy_items_kernel<Threads>{}, in, x, n);
    const auto blocks = [n](std::int64_t stride) { return ceil_div(sweep_nodes(n, stride), Threads); };
    std::int64_t stride = 1;
    // The sum of the root is not asked for.
    for (; 2 * stride < n && s == status::success; stride *= 2) {
      s = ex.launch(blocks(stride), up_sweep_kernel<Threads>{}, x, n, op, stride);
    }
    for (; stride > 0 && n > 1 && s == status::success; stride /= 2) {
      s = ex.launch(blocks(stride), down_sweep_kernel<Threads>{}, x, n, op, stride, init);
    }
    if (s != status::success) return s;
    return ex.launch(ceil_div(n, Threads), finish_sweeps_kernel<Kind, Threads>{}, in, static_cast<const T*>(x), out, n,
                     op, init);
  }

 private:
  template <class T>
  struct tree_plan {
    workspace_layout layout;
    workspace_layout::slot<T> tree;

    constexpr explicit tree_plan(std::int64_t n) : tree(layout.add<T>(n)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
