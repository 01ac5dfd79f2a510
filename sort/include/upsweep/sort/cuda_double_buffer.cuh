// What calls by CUB's names share: two arrays of which one is current; part of drop_in.cuh.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// Two arrays, of which `selector` says which one is current.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2]{};  ///< both arrays
  int selector = 0;   ///< the number of the current one

  DoubleBuffer() = default;
  UPSWEEP_HOST_DEVICE DoubleBuffer(T* d_current, T* d_alternate) : d_buffers{d_current, d_alternate} {}
  UPSWEEP_HOST_DEVICE T* Current() { return d_buffers[selector]; }
  UPSWEEP_HOST_DEVICE T* Alternate() { return d_buffers[selector ^ 1]; }
};

/// The values of a sort of keys alone.
using NullType = upsweep::detail::no_value;

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

using upsweep::detail::no_values_in;
using upsweep::detail::no_values_out;

/// Bits that a call names. The whole width of a key has no name among CUB's: what would be it is refused.
inline bit_range named_bits(int begin, int end) {
  return {begin, end == bit_range::full_width ? end - 1 : end};
}

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI
