// Words that both block contexts share: masks, scopes, memory orders, groups of warps, phase barriers.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstdint>

#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// One bit a lane of a warp, lane 0 lowest.
using lane_mask = std::uint32_t;
/// All 32 lanes.
inline constexpr lane_mask full_warp = 0xffffffffu;
/// The number of lanes of a warp.
inline constexpr int warp_size = 32;

/// The lowest lane of a mask that is not empty.
UPSWEEP_HOST_DEVICE inline int lowest_lane(lane_mask mask) {
#if defined(__CUDA_ARCH__)
  return __ffs(static_cast<int>(mask)) - 1;
#else
  return __builtin_ctz(mask);
#endif
}

/// The highest lane of a mask that is not empty.
UPSWEEP_HOST_DEVICE inline int highest_lane(lane_mask mask) {
#if defined(__CUDA_ARCH__)
  return 31 - __clz(static_cast<int>(mask));
#else
  return 31 - __builtin_clz(mask);
#endif
}

/// How many lanes a mask has.
UPSWEEP_HOST_DEVICE inline int count_lanes(lane_mask mask) {
#if defined(__CUDA_ARCH__)
  return __popc(mask);
#else
  return __builtin_popcount(mask);
#endif
}

/// Hides from the compiler which comparisons set the mask, so that it keeps no predicates for them: it has seven, and
/// ptxas 13.0 failed for sm_100 when it ran out.
UPSWEEP_HOST_DEVICE inline void forget_origin([[maybe_unused]] lane_mask& mask) {
#if __CUDA_ARCH__ >= 1000
  asm volatile("" : "+r"(mask));
#endif
}

/// The type of block_scope: threads of the block take part in an ordered access, an atomic or a fence.
struct block_scope_t {};
/// The type of device_scope: threads of all blocks take part.
struct device_scope_t {};
/// Only threads of the block take part.
inline constexpr block_scope_t block_scope{};
/// Threads of all blocks take part.
inline constexpr device_scope_t device_scope{};

/// Consecutive warps of a block that meet at barrier number `id` (1 to 15; the block's own barrier is number 0).
struct warp_group {
  int id;          ///< 1 to 15
  int first_warp;  ///< of the group
  int num_warps;   ///< of the group
};

/// A barrier in shared memory that counts arrivals and bytes, phase after phase (an mbarrier). Phase 0 comes first, and
/// phases alternate between parity 0 and 1. Only the context's phase_* methods look inside.
struct phase_barrier {
  alignas(8) std::uint64_t word;  ///< its state
};

/// A type whose values one access can move where they are aligned to their size, which the type does not ask for.
template <class T>
inline constexpr bool is_unaligned_vector = sizeof(T) > alignof(T) &&
                                            sizeof(T) <= 16 && std::has_single_bit(sizeof(T)) && is_bitwise_copyable<T>;

/// N elements moved by one access; aligned to their size.
template <class T, int N>
struct alignas(sizeof(T) * N) vector_of {
  static_assert((sizeof(T) * N & (sizeof(T) * N - 1)) == 0 && sizeof(T) * N <= 16,
                "a vector access moves 1, 2, 4, 8 or 16 bytes");
  T item[N];  ///< what is moved
};
/// A vector is copied as its elements are.
template <class T, int N>
inline constexpr bool is_bitwise_copyable<vector_of<T, N>> = is_bitwise_copyable<T>;

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_ABI {

/// Where item i of a thread is in a warp-striped tile: the items of a warp lie together, in rows of one a lane.
template <int Items, class Ctx>
UPSWEEP_DEVICE int warp_striped(Ctx& block, int i) {
  return block.warp() * warp_size * Items + i * warp_size + block.lane();
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
