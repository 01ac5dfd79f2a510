// The loop that all the others are measured against. Runs on the host, so only the sim's memory can be scanned by it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

struct serial {
  static constexpr scan_variant variant{scan_strategy::serial, block_algorithm::warp_scans, 0, 0};

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }

  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    const auto items = static_cast<double>(n);
    return {1, items, 2 * items * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`. not_supported on a GPU.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor&, workspace, In in, Out out, std::int64_t n, Op op, carry<T> init) {
    if constexpr (!Executor::is_sim) {
      return status::not_supported;
    } else {
      for (std::int64_t i = 0; i < n; ++i) {
        const T inclusive = init.then(static_cast<T>(in[i]), op);
        if constexpr (Kind == scan_kind::inclusive) {
          out[i] = inclusive;
        } else {
          out[i] = init.value;
        }
        init = {inclusive, true};
      }
      return status::success;
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
