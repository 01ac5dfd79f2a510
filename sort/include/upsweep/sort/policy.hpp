// The sort that is used where none is named.
#pragma once

#include "upsweep/scan/spine.cuh"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep {

/// A sort policy is a method with its scan: upsweep_downsweep<policy_spine<ScanPolicy>>.
using default_sort_policy = upsweep_downsweep<policy_spine<>>;

}  // namespace upsweep
