// The default sort. policy.hpp has all others, too.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/sort/device/default_sort.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::by_place;
using detail::cluster_sort;
using detail::default_sort;
using detail::onesweep;
using detail::single_block_sort;

/// The default sort.
using default_sort_policy = default_sort;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
