// The default compaction.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/compact/device/fused.cuh"
#include "upsweep/compact/device/hole_filling.cuh"
#include "upsweep/compact/device/vote_scan_compact.cuh"
#include "upsweep/scan/spine.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::fused;
using detail::hole_filling;
using detail::vote_scan_compact;

/// A compaction policy is a method: fused<>, vote_scan_compact<ScanPolicy>, or, where order does not
/// matter, hole_filling<ScanPolicy>.
using default_compact_policy = fused<256, 16, detail::pipelined_compact_shape, 4>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
