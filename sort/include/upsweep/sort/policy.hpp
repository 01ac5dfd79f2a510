// The default sort.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/spine.cuh"
#include "upsweep/sort/device/default_sort.cuh"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::by_place;
using detail::cluster_sort;
using detail::default_sort;
using detail::onesweep;
using detail::single_block_sort;
using detail::upsweep_downsweep;

/// A sort policy is a method: default_sort, which picks by the number of keys, onesweep<>,
/// single_block_sort<512, 8, 4> and cluster_sort<512, 8, 4> for few keys, or upsweep_downsweep<ScanPolicy> with any
/// scan.
using default_sort_policy = default_sort;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
