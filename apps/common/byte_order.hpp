// Numbers of files whose bytes come in the other order than the machine's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::apps {

static_assert(std::endian::native == std::endian::little, "what is read and written as it is is little endian");

template <class Bits>
void reverse_each(std::byte* first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, first + i * sizeof bits, sizeof bits);
    if constexpr (sizeof bits == 2) bits = __builtin_bswap16(bits);
    if constexpr (sizeof bits == 4) bits = __builtin_bswap32(bits);
    if constexpr (sizeof bits == 8) bits = __builtin_bswap64(bits);
    std::memcpy(first + i * sizeof bits, &bits, sizeof bits);
  }
}

/// Turns `count` numbers of `size` bytes each around, where they lie.
inline void reverse_bytes(std::byte* first, std::size_t size, std::size_t count) {
  switch (size) {
    case 2:
      return reverse_each<std::uint16_t>(first, count);
    case 4:
      return reverse_each<std::uint32_t>(first, count);
    case 8:
      return reverse_each<std::uint64_t>(first, count);
    default:
      for (std::size_t i = 0; size > 1 && i < count; ++i) std::reverse(first + i * size, first + (i + 1) * size);
  }
}

}  // namespace upsweep::apps
