// Block scan: the network of Brent & Kung (1982), with a free slot after every 32 values against bank conflicts, as in
// Harris, Sengupta & Owens, GPU Gems 3, ch. 39.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/block/brent_kung.cuh"
#include "upsweep/scan/block/padded_array.hpp"
#include "upsweep/scan/variant.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <int Threads>
struct brent_kung_padded : brent_kung_network<Threads, padded_array> {
  static constexpr block_algorithm name = block_algorithm::brent_kung_padded;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::brent_kung_padded;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
