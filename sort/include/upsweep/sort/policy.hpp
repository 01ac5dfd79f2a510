// The sorts, for a call that names one: the default comes with the call itself.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/policy.hpp"
#include "upsweep/sort/default_policy.hpp"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// A sort policy is a method: default_sort, which picks by the number of keys, onesweep<>,
/// single_block_sort<512, 8, 4> and cluster_sort<512, 8, 4> for few keys, or upsweep_downsweep<ScanPolicy> with any
/// scan.
using detail::upsweep_downsweep;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
