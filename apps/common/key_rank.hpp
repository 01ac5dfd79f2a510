// The order of keys (sort/runtime.hpp) as an order of unsigned numbers, coded apart from the library, to check it.
#pragma once

#include <bit>
#include <cstdint>

namespace upsweep::apps {

inline std::uint32_t rank_of(std::uint32_t key) {
  return key;
}
inline std::uint64_t rank_of(std::uint64_t key) {
  return key;
}
inline std::uint32_t rank_of(std::int32_t key) {
  return static_cast<std::uint32_t>(key) ^ 0x80000000u;
}
/// The zeros are equal, NaNs are ordered by their bits beyond the infinities.
inline std::uint32_t rank_of(float key) {
  constexpr std::uint32_t sign = 0x80000000u;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(key);
  if (bits == sign) bits = 0;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

}  // namespace upsweep::apps
