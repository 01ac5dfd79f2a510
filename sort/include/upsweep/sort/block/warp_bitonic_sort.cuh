// A sort in the registers of a warp: Batcher's bitonic network ("Sorting networks and their applications", 1968).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Sorts 32 * Items words, ascending; word i of a lane is number lane * Items + i. All lanes of the warp call.
template <int Items, class Ctx>
UPSWEEP_DEVICE void warp_bitonic_sort(Ctx& block, std::uint64_t (&word)[Items]) {
  static_assert((Items & (Items - 1)) == 0);
  const int first = block.lane() * Items;
  UPSWEEP_UNROLL
  for (int size = 2; size <= warp_size * Items; size *= 2) {
    UPSWEEP_UNROLL
    for (int distance = size / 2; distance > 0; distance /= 2) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const bool ascends = ((first + i) & size) == 0;
        if (distance >= Items) {
          const std::uint64_t other = block.shuffle_xor(word[i], distance / Items);
          const bool keeps_lower = (((first + i) & distance) == 0) == ascends;
          if ((other < word[i]) == keeps_lower) word[i] = other;
        } else if ((i & distance) == 0) {
          const std::uint64_t low = word[i], high = word[i | distance];
          if ((high < low) == ascends) {
            word[i] = high;
            word[i | distance] = low;
          }
        }
      }
    }
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
