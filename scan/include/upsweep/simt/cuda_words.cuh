// The words in which CUDA's intrinsics move, change and exchange a T.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/cuda_memory.cuh"

namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI {

template <class T>
using atomic_word = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
template <class T>
using streaming_word =
    std::conditional_t<sizeof(T) == 1, unsigned char,
                       std::conditional_t<sizeof(T) == 2, unsigned short,
                                          std::conditional_t<sizeof(T) == 4, unsigned int,
                                                             std::conditional_t<sizeof(T) == 8, uint2, uint4>>>>;

/// The type that CUDA's atomics take for a T.
template <class T>
using native_of =
    std::conditional_t<std::is_floating_point_v<T>, T,
                       std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int, unsigned int>,
                                          std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>>;
/// atomicAdd knows no signed integers of 8 bytes; the sums of unsigned ones have the same bits.
template <class T>
using summand_of = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 8, unsigned long long, native_of<T>>;

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// Applies `move` to each 32-bit word of a T.
template <class T, class Move>
__device__ __forceinline__ T by_words(const T& value, Move move) {
  static_assert(is_bitwise_copyable<T>, "lanes exchange bytes");
  constexpr int words = static_cast<int>((sizeof(T) + 3) / 4);
  std::uint32_t word[words] = {};
  memcpy(word, __builtin_addressof(value), sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) word[i] = move(word[i]);
  alignas(T) unsigned char result[sizeof(T)];
  memcpy(result, word, sizeof(T));
  return *reinterpret_cast<T*>(result);
}

/// body() on GPUs that have what it uses, sm_90 and later; a trap on others, for which it is not compiled.
template <class Body>
__device__ __forceinline__ auto on_sm_90(Body body) {
#if __CUDA_ARCH__ >= 900
  return body();
#else
  __trap();
  if constexpr (!std::is_void_v<decltype(body())>) return decltype(body()){};
#endif
}

/// Waits until all kernels that this one overlaps have ended, and sees what they wrote. For other kernels, nothing.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI
