// How the checks say what is wrong.
#pragma once

#include <fmt/core.h>

#include <string>
#include <type_traits>

#include "element_types.hpp"

namespace upsweep::apps {

/// A value as text; of a float its bits too where the text does not tell them, of a half always.
template <class T>
std::string value_text(T value) {
  if constexpr (is_half<T>) {
    return fmt::format("{} ({:#x})", value.value(), value.bits);
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (value == 0 || value != value) return fmt::format("{} ({:#x})", value, std::bit_cast<bits_of<T>>(value));
    }
    return fmt::format("{}", value);
  }
}

template <class T>
std::string element_difference(std::int64_t i, T got, T expected) {
  return fmt::format("element {} is {}; expected {}", i, value_text(got), value_text(expected));
}

inline std::string type_not_checked(scalar_type type) {
  return fmt::format("not checked: elements of type {}", name_of(type));
}

}  // namespace upsweep::apps
