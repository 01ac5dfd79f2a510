// The compaction that is used where none is named.
#pragma once

#include "upsweep/compact/device/vote_scan_compact.cuh"
#include "upsweep/scan/spine.cuh"

namespace upsweep {

/// A compaction policy is a method with its scan: vote_scan_compact<policy_spine<ScanPolicy>>.
using default_compact_policy = vote_scan_compact<policy_spine<>>;

}  // namespace upsweep
