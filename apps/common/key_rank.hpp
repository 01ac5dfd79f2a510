// The order of keys (sort/runtime.hpp) as an order of unsigned numbers, coded apart from the library, to check it.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace upsweep::apps {

/// Of integers: how many others are smaller.
template <class Key>
requires std::is_integral_v<Key> std::make_unsigned_t<Key> rank_of(Key key) {
  using rank = std::make_unsigned_t<Key>;
  return static_cast<rank>(static_cast<rank>(key) - static_cast<rank>(std::numeric_limits<Key>::min()));
}
/// The zeros are equal, NaNs are ordered by their bits beyond the infinities.
template <class Bits, class Key>
Bits float_rank(Key key) {
  constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  auto bits = std::bit_cast<Bits>(key);
  if (bits == sign) bits = 0;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}
inline std::uint32_t rank_of(float key) {
  return float_rank<std::uint32_t>(key);
}
inline std::uint64_t rank_of(double key) {
  return float_rank<std::uint64_t>(key);
}

}  // namespace upsweep::apps
