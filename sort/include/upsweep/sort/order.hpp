// What a sort compares: which bits, in which direction, and where NaNs go.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// Which key comes first. Equal keys stay in input order either way.
enum class sort_order : std::uint8_t {
  ascending,   ///< the smallest key
  descending,  ///< the largest key
};

/// Where NaNs go among keys that are floats.
enum class nan_order : std::uint8_t {
  by_bits,  ///< by their bits, beyond the infinity of their sign
  last,     ///< after every number, in input order, in ascending and in descending sorts
  first,    ///< before every number, in input order, in ascending and in descending sorts
};

/// The bits of the (encoded) key that are compared: [begin, end). `end` = full_width means all bits of the key.
struct bit_range {
  static constexpr int full_width = -1;  ///< up to the highest bit of the key
  int begin = 0;                         ///< the lowest bit that is compared
  int end = full_width;                  ///< the bit after the highest one
};

}  // namespace upsweep::inline UPSWEEP_ABI
