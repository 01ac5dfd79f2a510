// Scan by doubling (Hillis & Steele, "Data parallel algorithms", 1986): pass d puts item i - 2^d before item i, for all
// items at once, from one buffer to another. log2(n) passes; O(n log n) work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What the first pass reads: the items after init. Their inclusive scan is the scan of Kind. An exclusive scan's item
/// 0 is init alone, whatever it holds when it is absent: `first` is the first item that counts.
template <scan_kind Kind, class T, class In, class Op>
struct items_behind_init {
  In in;
  carry<T> init;
  Op op;

  UPSWEEP_DEVICE T operator[](std::int64_t i) const {
    if (Kind == scan_kind::exclusive) return i == 0 ? init.value : static_cast<T>(in[i - 1]);
    return i == 0 ? init.then(static_cast<T>(in[0]), op) : static_cast<T>(in[i]);
  }
  std::int64_t first() const { return Kind == scan_kind::exclusive && !init.present ? 1 : 0; }
};

/// to[i] = from[i - distance] op from[i], where i - distance >= first; else from[i].
template <class T, int Threads>
struct hillis_steele_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx, class From, class To, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, From from, To to, std::int64_t n, Op op,
                                 std::int64_t distance, std::int64_t first) const {
    const std::int64_t i = block.block_index() * Threads + block.thread_rank();
    if (i >= n) return;
    const T item = from[i];
    to[i] = i - distance >= first ? op(static_cast<T>(from[i - distance]), item) : item;
  }
};

template <int Threads = 256>
struct hillis_steele {
  static constexpr scan_variant variant{scan_strategy::hillis_steele, block_algorithm::warp_scans, 0, 0};

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return buffers_plan<T>(n).layout.bytes();
  }

  /// For n > 0.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    std::int64_t work = 0;
    for (std::int64_t distance = 1; distance < n; distance *= 2) work += n - distance;
    const std::int64_t moved = 2 * n * passes(n) + work - 1 - (n > 1);  // the first pass does not read init
    return {static_cast<double>(passes(n)), static_cast<double>(work), static_cast<double>(moved) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, std::int64_t n, Op op, carry<T> init) {
    const buffers_plan<T> p(n);
    if (!p.layout.fits(w)) return status::invalid_value;
    T *from = p.layout.at(w, p.even), *to = p.layout.at(w, p.odd);
    const hillis_steele_kernel<T, Threads> pass;
    const std::int64_t blocks = ceil_div(n, Threads);
    const items_behind_init<Kind, T, In, Op> items{in, init, op};
    status s = ex.launch(blocks, pass, items, from, n, op, std::int64_t{1}, items.first());
    for (int i = 1; i < passes(n) && s == status::success; ++i) {
      const std::int64_t distance = std::int64_t{1} << i;
      const T* const items_so_far = from;
      if (i == passes(n) - 1) return ex.launch(blocks, pass, items_so_far, out, n, op, distance, items.first());
      s = ex.launch(blocks, pass, items_so_far, to, n, op, distance, items.first());
      std::swap(from, to);
    }
    return s;
  }

 private:
  /// At least two, so that no pass reads what it writes: `out` may be `in`.
  static constexpr int passes(std::int64_t n) {
    return (std::max)(2, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1))));
  }

  template <class T>
  struct buffers_plan {
    workspace_layout layout;
    workspace_layout::slot<T> even, odd;

    constexpr explicit buffers_plan(std::int64_t n) : even(layout.add<T>(n)), odd(layout.add<T>(n)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
