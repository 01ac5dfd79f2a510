// The default scan. policy.hpp has all others, too.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <limits>

#include "upsweep/scan/device/default_scan.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::default_scan;  // one of the others, by n, type and GPU

/// The most items that a policy scans; for all but naive_quadratic, the limit of a grid.
template <class Policy>
inline constexpr std::int64_t max_items = [] {
  if constexpr (requires { Policy::max_items; }) return Policy::max_items;
  return (std::numeric_limits<std::int64_t>::max)();
}();

/// The default scan.
using default_scan_policy = default_scan;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
