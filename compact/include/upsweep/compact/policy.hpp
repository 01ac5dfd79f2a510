// The compactions, for a call that names one: the default comes with the call itself.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/compact/default_policy.hpp"
#include "upsweep/compact/device/hole_filling.cuh"
#include "upsweep/compact/device/vote_scan_compact.cuh"
#include "upsweep/scan/policy.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// A compaction policy is a method: fused<>, vote_scan_compact<ScanPolicy>, or, where order does not
/// matter, hole_filling<ScanPolicy>.
using detail::hole_filling;
using detail::vote_scan_compact;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
