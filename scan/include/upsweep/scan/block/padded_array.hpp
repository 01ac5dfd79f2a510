// An array for shared memory whose threads may be 2, 4, ... or 32 values apart.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// As uninitialized_array, with one free slot after every 32 values. Of a warp's threads that take each 2nd, 4th, ...
/// or 32nd value of 4 bytes at most two then meet in a bank, where without it up to 32 do.
template <class T, int N>
struct padded_array {
  uninitialized_array<T, N + (N - 1) / warp_size> slot;

  UPSWEEP_HOST_DEVICE T& operator[](int i) { return slot[i + i / warp_size]; }
  UPSWEEP_HOST_DEVICE const T& operator[](int i) const { return slot[i + i / warp_size]; }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
