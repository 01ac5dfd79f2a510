// The default compaction. policy.hpp has all others, too.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/compact/device/fused.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::fused;

/// The default compaction.
using default_compact_policy = fused<256, 16, detail::pipelined_compact_shape, 4>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
