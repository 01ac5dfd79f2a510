// What a sort compares: which bits, in which direction.
#pragma once

#include <cstdint>

namespace upsweep {

enum class sort_order : std::uint8_t { ascending, descending };

/// The bits of the (encoded) key that are compared: [begin, end). `end` = full_width means all bits of the key.
struct bit_range {
  static constexpr int full_width = -1;
  int begin = 0;
  int end = full_width;
};

}  // namespace upsweep
