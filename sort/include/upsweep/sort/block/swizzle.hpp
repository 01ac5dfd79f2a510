// Where words lie in shared memory, so that strides by powers of two meet in few banks.
#pragma once

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

/// A permutation of each row of 32 neighbours: words 32, 64, ..., 1024 apart lie in many banks.
UPSWEEP_HOST_DEVICE constexpr int swizzled(int i) {
  return i ^ ((i / warp_size ^ i / (8 * warp_size)) % warp_size);
}

}  // namespace upsweep
