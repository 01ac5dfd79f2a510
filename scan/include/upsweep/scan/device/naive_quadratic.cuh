// The first try of every article on scan: each thread sums its whole prefix for itself. O(n^2) work and reads, no
// communication at all; refuses n above 2^18.
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

template <scan_kind Kind, int Threads>
struct naive_quadratic_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx, class T, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const T* in, Out out, std::int64_t n, Op op,
                                 carry<T> init) const {
    const std::int64_t i = block.block_index() * Threads + block.thread_rank();
    if (i >= n) return;
    const std::int64_t end = Kind == scan_kind::inclusive ? i + 1 : i;
    for (std::int64_t j = 0; j < end; ++j) init = {init.then(in[j], op), true};
    out[i] = init.value;
  }
};

template <int Threads = 256>
struct naive_quadratic {
  static constexpr scan_variant variant{scan_strategy::naive_quadratic, block_algorithm::warp_scans, 0, 0};
  static constexpr std::int64_t max_items = std::int64_t{1} << 18;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return items_plan<T>(n).layout.bytes();
  }

  /// For n > 0.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    const auto items = static_cast<double>(n), read = items * (items - 1) / 2;
    return {2, read, (3 * items + read) * sizeof(T)};
  }

  /// Scans 0 < n <= max_items items of `in` to `out` after `init`; not_supported for more. Since `out` may be `in`, the
  /// prefixes are read from a copy.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, std::int64_t n, Op op, carry<T> init) {
    if (n > max_items) return status::not_supported;
    const items_plan<T> p(n);
    if (!p.layout.fits(w)) return status::invalid_value;
    T* const copy = p.layout.at(w, p.copy);
    const std::int64_t blocks = ceil_div(n, Threads);
    const status s = ex.launch(blocks, copy_items_kernel<Threads>{}, in, copy, n);
    if (s != status::success) return s;
    return ex.launch(blocks, naive_quadratic_kernel<Kind, Threads>{}, static_cast<const T*>(copy), out, n, op, init);
  }

 private:
  template <class T>
  struct items_plan {
    workspace_layout layout;
    workspace_layout::slot<T> copy;

    constexpr explicit items_plan(std::int64_t n) : copy(layout.add<T>(n)) {}
  };
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
