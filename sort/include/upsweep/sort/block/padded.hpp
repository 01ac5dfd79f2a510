// Where words lie in shared memory, so that strides by powers of two meet in few banks.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A word more for every 32 and for every 256: neighbours in order stay so, and words 32, 64, ..., 4096 apart lie in
/// many banks.
UPSWEEP_HOST_DEVICE constexpr int padded(int i) {
  return i + i / 32 + i / 256;
}

/// i, from padded(i).
UPSWEEP_HOST_DEVICE constexpr int unpadded(int p) {
  constexpr int large = 256 + 256 / 32 + 1, row = 32 + 1;
  const int in_large = p % large;
  return p / large * 256 + in_large - in_large / row;
}

/// padded(base + i * Stride); for constant i mostly a constant beyond padded(base).
template <int Stride>
UPSWEEP_HOST_DEVICE constexpr int padded_stride(int base, int i) {
  if constexpr (Stride % 256 == 0) return padded(base) + i * padded(Stride);
  return padded(base + i * Stride);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
