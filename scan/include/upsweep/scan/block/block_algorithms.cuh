// All block algorithms, for those who go through them.
#pragma once

#include <tuple>

#include "upsweep/scan/block/brent_kung.cuh"
#include "upsweep/scan/block/warp_scans.cuh"

namespace upsweep {

template <int Threads>
using block_algorithms = std::tuple<brent_kung<Threads>,  //
                                    warp_scans<Threads>>;

}  // namespace upsweep
