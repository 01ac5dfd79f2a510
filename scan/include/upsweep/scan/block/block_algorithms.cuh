// All block algorithms, for those who go through them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <tuple>

#include "upsweep/scan/block/blelloch.cuh"
#include "upsweep/scan/block/brent_kung.cuh"
#include "upsweep/scan/block/brent_kung_padded.cuh"
#include "upsweep/scan/block/kogge_stone.cuh"
#include "upsweep/scan/block/raking.cuh"
#include "upsweep/scan/block/reduce_scan.cuh"
#include "upsweep/scan/block/sklansky.cuh"
#include "upsweep/scan/block/warp_radix_brent_kung.cuh"
#include "upsweep/scan/block/warp_radix_brent_kung_fused.cuh"
#include "upsweep/scan/block/warp_radix_raking.cuh"
#include "upsweep/scan/block/warp_radix_sklansky.cuh"
#include "upsweep/scan/block/warp_scans.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// In the order of the enumeration.
template <int Threads>
using block_algorithms = std::tuple<kogge_stone<Threads>,                  //
                                    sklansky<Threads>,                     //
                                    brent_kung<Threads>,                   //
                                    brent_kung_padded<Threads>,            //
                                    blelloch<Threads>,                     //
                                    reduce_scan<Threads>,                  //
                                    raking<Threads>,                       //
                                    warp_scans<Threads>,                   //
                                    warp_radix_brent_kung<Threads>,        //
                                    warp_radix_brent_kung_fused<Threads>,  //
                                    warp_radix_sklansky<Threads>,          //
                                    warp_radix_raking<Threads>>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
