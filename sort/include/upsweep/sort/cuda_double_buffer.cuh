// What sorts by CUB's names share: two arrays of which one is current, and the arguments after the number of items;
// part of drop_in.cuh.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <type_traits>

#include "upsweep/scan/cuda_storage.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// Two arrays; `selector` says which one is current.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2]{};  ///< both arrays
  int selector = 0;   ///< the number of the current one

  DoubleBuffer() = default;
  /// An array with the input, and another of the same size.
  UPSWEEP_HOST_DEVICE DoubleBuffer(T* d_current, T* d_alternate) : d_buffers{d_current, d_alternate} {}
  /// The array with the input before a sort, with the output after it.
  UPSWEEP_HOST_DEVICE T* Current() { return d_buffers[selector]; }
  /// The other array, whose contents a sort does not keep.
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

/// How a call sorts, and where.
template <class Order>
struct sort_how {
  Order order;
  bit_range bits;
  cudaStream_t stream;
};

/// A functor that takes keys apart, and not a begin_bit.
template <class T, class Key>
concept decomposes = upsweep::detail::can_call<T, Key&>;

/// What a call says after the items, or after the bounds of segments: the stream, or nothing; begin_bit, end_bit and
/// the stream; a decomposer, then both bits or none, then the stream or not.
template <class Key>
sort_how<sort_order> how_to_sort(sort_order order, cudaStream_t stream = nullptr) {
  return {order, {}, stream};
}
template <class Key>
sort_how<sort_order> how_to_sort(sort_order order, int begin_bit, int end_bit = sizeof(Key) * 8,
                                 cudaStream_t stream = nullptr) {
  return {order, named_bits(begin_bit, end_bit), stream};
}
template <class Key, decomposes<Key> Decomposer>
auto how_to_sort(sort_order order, const Decomposer& decomposer, int begin_bit, int end_bit,
                 cudaStream_t stream = nullptr) {
  return sort_how{decomposed_by<Key>(decomposer, order), named_bits(begin_bit, end_bit), stream};
}
template <class Key, decomposes<Key> Decomposer>
auto how_to_sort(sort_order order, const Decomposer& decomposer, cudaStream_t stream = nullptr) {
  return sort_how{decomposed_by<Key>(decomposer, order), bit_range{}, stream};
}

/// The calls of all Sorts, each of which has other types of last arguments. So these are not deduced: a call may give
/// {} for them, constants without an address, and for the stream 0, but no other number.
template <class... Sorts>
struct overloads_of : Sorts... {
  using Sorts::SortKeys...;
  using Sorts::SortKeysDescending...;
  using Sorts::SortPairs...;
  using Sorts::SortPairsDescending...;
};

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI
