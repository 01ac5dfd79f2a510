// The sort that is used where none is named.
#pragma once

#include "upsweep/scan/spine.cuh"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep {

/// A sort policy is a method: onesweep<>, or upsweep_downsweep<policy_spine<ScanPolicy>> with any scan.
using default_sort_policy = onesweep<>;

}  // namespace upsweep
