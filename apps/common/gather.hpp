// Numbers of rows that lie one after the other.
#pragma once

#include <cstddef>
#include <cstring>

namespace upsweep::apps {

template <std::size_t Bytes>
void gather(const std::byte* rows, std::size_t stride, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * Bytes, rows + i * stride, Bytes);
}

/// Copies `count` numbers of `size` bytes, 1, 2, 4 or 8, each `stride` bytes after the one before.
inline void gather(std::size_t size, const std::byte* rows, std::size_t stride, std::size_t count, std::byte* to) {
  switch (size) {
    case 1:
      return gather<1>(rows, stride, count, to);
    case 2:
      return gather<2>(rows, stride, count, to);
    case 4:
      return gather<4>(rows, stride, count, to);
    default:
      return gather<8>(rows, stride, count, to);
  }
}

}  // namespace upsweep::apps
