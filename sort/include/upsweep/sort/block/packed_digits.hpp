// Digits of up to 8 bits, four in a register.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The digits of the keys that a thread has stored: their values go the same way. put() goes from 0 on; i is constant.
template <int Items>
struct packed_digits {
  std::uint32_t word[(Items + 3) / 4];

  UPSWEEP_HOST_DEVICE void put(int i, std::uint32_t digit) {
    const std::uint32_t shifted = digit << i % 4 * 8;
    word[i / 4] = i % 4 == 0 ? shifted : word[i / 4] | shifted;
  }
  UPSWEEP_HOST_DEVICE std::uint32_t get(int i) const { return word[i / 4] >> i % 4 * 8 & 0xff; }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
