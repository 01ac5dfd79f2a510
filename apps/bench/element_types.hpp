// From a scalar_type to the type in C++, for the types of the runtime calls.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/scalar_type.hpp"

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

/// Calls f(T{}) for a type of keys: u32, i32, u64, f32. False when it is none of them.
template <class F>
bool with_key_type(scalar_type type, const F& f) {
  switch (type) {
    case scalar_type::u32:
      f(std::uint32_t{});
      return true;
    case scalar_type::i32:
      f(std::int32_t{});
      return true;
    case scalar_type::u64:
      f(std::uint64_t{});
      return true;
    case scalar_type::f32:
      f(float{});
      return true;
    default:
      return false;
  }
}

/// The same for a type that is scanned and selected: f64 too.
template <class F>
bool with_element_type(scalar_type type, const F& f) {
  if (type != scalar_type::f64) return with_key_type(type, f);
  f(double{});
  return true;
}

}  // namespace upsweep::apps
