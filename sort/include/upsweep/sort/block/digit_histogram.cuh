// How often each digit occurs in a tile.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <int Threads, int RadixBits>
struct digit_histogram {
  static constexpr int radix = 1 << RadixBits;

  struct temp_storage {
    std::uint32_t count[radix];
  };

  /// Counts digit(keys[i]) for i < valid into s.count. All threads call; the counts are final when the call returns.
  template <class Ctx, class In, class Digit>
  static UPSWEEP_DEVICE void count(Ctx& block, temp_storage& s, In keys, int valid, Digit digit) {
    for (int d = block.thread_rank(); d < radix; d += Threads) s.count[d] = 0;
    block.barrier();  // s.count is clear
    for (int i = block.thread_rank(); i < valid; i += Threads) {
      block.atomic_add(&s.count[digit(keys[i])], 1u, block_scope);
    }
    block.barrier();  // every thread has counted
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
