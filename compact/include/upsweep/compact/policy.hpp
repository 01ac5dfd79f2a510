// The compaction that is used where none is named.
#pragma once

#include "upsweep/compact/device/fused.cuh"
#include "upsweep/compact/device/vote_scan_compact.cuh"
#include "upsweep/scan/spine.cuh"

namespace upsweep {

/// A compaction policy is a method: fused<>, or vote_scan_compact<policy_spine<ScanPolicy>> with its scan.
using default_compact_policy = fused<>;

}  // namespace upsweep
