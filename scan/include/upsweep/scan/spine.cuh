// The scan of counts that other operations run between their own kernels, by a policy at compile time.
// variant_spine.hpp has that by a variant at run time.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/default_policy.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A spine compiled into the caller.
template <class Policy = default_scan_policy>
struct policy_spine {
  template <class Count>
  std::size_t workspace_bytes(std::int64_t n) const {
    return Policy::template workspace_bytes<Count, Count*, Count*>(n);
  }
  /// False for more counts than the policy scans.
  bool takes(std::int64_t n) const { return n <= max_items<Policy>; }
  /// Replaces counts[i] by counts[0] + ... + counts[i - 1]; n > 0.
  template <class Count, class Executor>
  status exclusive_sum(Executor& ex, workspace w, Count* counts, std::int64_t n) const {
    return Policy::template run<scan_kind::exclusive, Count>(ex, w, counts, counts, n, plus{}, carry<Count>{0, true});
  }
};

/// The spine that a Scan names: itself, or a scan policy compiled into the caller.
template <class Scan>
struct spine_of {
  using type = policy_spine<Scan>;
};
template <class Scan>
requires requires(const Scan& scan) {
  scan.takes(std::int64_t{});
}
struct spine_of<Scan> {
  using type = Scan;
};
template <class Scan>
using spine_of_t = typename spine_of<Scan>::type;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
