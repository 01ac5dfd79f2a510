// An array for shared memory without bank conflicts where threads are a power of two of values apart.
#pragma once

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

/// As uninitialized_array, with one free slot after every 32 values: values 2, 4, ... 32 apart then lie in different
/// banks.
template <class T, int N>
struct padded_array {
  uninitialized_array<T, N + (N - 1) / warp_size> slots;

  UPSWEEP_HOST_DEVICE T& operator[](int i) { return slots[i + i / warp_size]; }
  UPSWEEP_HOST_DEVICE const T& operator[](int i) const { return slots[i + i / warp_size]; }
};

}  // namespace upsweep
