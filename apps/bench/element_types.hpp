// The types of the run-time calls in C++, and their bits.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::apps {

/// An unsigned number as wide as T.
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The T whose bits are the low ones of `word`.
template <class T>
T from_bits(std::uint64_t word) {
  return std::bit_cast<T>(static_cast<bits_of<T>>(word));
}

template <class T>
bool same_bits(T a, T b) {
  return std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b);
}

using key_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float>;
using element_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;

}  // namespace upsweep::apps
