// The types of keys in C++, and what a sort compares of them, coded apart from the library, to check it.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "half_bits.hpp"
#include "key_rank.hpp"
#include "upsweep/simt/scalar_types.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::apps {

using sorted_types = scalar_types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                  std::int64_t, std::uint64_t, float, double>;

template <int FractionBits>
std::uint16_t rank_of(half_bits<FractionBits> key) {
  return float_rank<std::uint16_t>(key);
}

/// Calls f(Key{}) for the type of that name.
template <class F>
bool visit_key_type(scalar_type type, F&& f) {
  if (type == scalar_type::f16) return f(half_bits<10>{}), true;
  if (type == scalar_type::bf16) return f(half_bits<7>{}), true;
  return sorted_types::visit(type, f);
}

/// The key as a number to be shown.
template <class Key>
auto number_of(Key key) {
  if constexpr (std::is_arithmetic_v<Key>) {
    return key;
  } else {
    return key.value();
  }
}

/// How keys are ordered.
struct key_order {
  sort_order order = sort_order::ascending;
  bit_range bits = {};  ///< of their codes
  /// Where NaN and NaT go. Not by their bits: then all bits are compared, and are_dates tells which integers NaT is of.
  nan_order missing = nan_order::by_bits;
  bool are_dates = false;
};

/// Whether a key is NaN or NaT.
template <class Key>
bool is_missing(Key key, const key_order& how) {
  if constexpr (std::is_integral_v<Key>) {
    return how.are_dates && key == std::numeric_limits<Key>::min();
  } else {
    return number_of(key) != number_of(key);
  }
}

/// Codes that leave the lowest or the highest to what is missing.
template <class Key>
std::uint64_t code_beside_missing(Key key, std::uint64_t code, const key_order& how) {
  constexpr std::uint64_t highest = ~std::uint64_t{0} >> (64 - sizeof(Key) * 8);
  const bool is_last = how.missing == nan_order::last;
  if (is_missing(key, how)) return is_last ? highest : 0;
  // NaT has left the code at the other end; NaNs leave both.
  const bool is_ascending = how.order == sort_order::ascending;
  if (!how.are_dates || is_last != is_ascending) return code & highest;
  return is_last ? code - 1 : (code & highest) + 1;
}

/// What a sort by some bits of the codes compares: what is smaller comes first. Descending complements the codes,
/// but that of the zeros of a float is one and the same.
template <class Key>
std::uint64_t compared_bits(Key key, const key_order& how) {
  constexpr int width = sizeof(Key) * 8;
  std::uint64_t code = rank_of(key);
  const bool is_zero_of_float = !std::is_integral_v<Key> && number_of(key) == 0;
  if (how.order == sort_order::descending && !is_zero_of_float) code = ~code;
  if (how.missing != nan_order::by_bits) return code_beside_missing(key, code, how);
  const int end = how.bits.end == bit_range::full_width ? width : how.bits.end;
  return end == how.bits.begin ? 0 : code << (64 - end) >> (64 - end + how.bits.begin);
}

}  // namespace upsweep::apps
