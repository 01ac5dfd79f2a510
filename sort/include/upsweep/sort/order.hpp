// What a sort compares: which bits, in which direction, and where NaNs go.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// Which key comes first: the least, or the largest. Equal keys stay in input order either way.
enum class sort_order : std::uint8_t { ascending, descending };

/// Where NaNs go: by their bits, beyond the infinity of their sign, or all after or before every number, in input
/// order, whichever way the numbers are sorted.
enum class nan_order : std::uint8_t { by_bits, last, first };

/// The bits of the (encoded) key that are compared: [begin, end). `end` = full_width means all bits of the key.
struct bit_range {
  static constexpr int full_width = -1;  ///< up to the highest bit of the key
  int begin = 0;                         ///< the lowest bit that is compared
  int end = full_width;                  ///< the bit after the highest one
};

}  // namespace upsweep::inline UPSWEEP_ABI
