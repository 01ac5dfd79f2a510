// The types of the run-time calls in C++, and their bits.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "half_bits.hpp"
#include "upsweep/simt/scalar_types.hpp"

namespace upsweep::apps {

/// An unsigned number as wide as T.
template <class T>
using bits_of = std::conditional_t<sizeof(T) <= 2, std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>,
                                   std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

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
using partition_types = scalar_types<std::uint32_t, std::uint64_t>;
using element_types = scalar_types<std::uint32_t, std::int32_t, std::uint64_t, float, double>;

template <class T>
inline constexpr bool is_half = false;
template <int FractionBits>
inline constexpr bool is_half<half_bits<FractionBits>> = true;

/// Calls f(T{}) for a type that is scanned: one of element_types, or a narrow one (narrow_sums.hpp). False when it is
/// none of them.
template <class F>
bool visit_scanned(scalar_type type, F&& f) {
  if (type == scalar_type::f16) return static_cast<void>(f(half_bits<10>{})), true;
  if (type == scalar_type::bf16) return static_cast<void>(f(half_bits<7>{})), true;
  return scalar_types<std::uint8_t, std::uint16_t>::visit(type, f) || element_types::visit(type, f);
}

}  // namespace upsweep::apps
