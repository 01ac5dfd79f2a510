// The names of the methods of sorting.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace upsweep {

enum class sort_method {
  default_sort,  ///< the one that is used where none is named: policy.hpp
  upsweep_downsweep,
  onesweep
};

inline constexpr std::array<std::string_view, 3> sort_method_names = {"default", "upsweep_downsweep", "onesweep"};

constexpr std::string_view name_of(sort_method m) {
  return sort_method_names[static_cast<std::size_t>(m)];
}

/// The method of that name; nothing when there is none.
constexpr std::optional<sort_method> sort_method_named(std::string_view name) {
  for (std::size_t i = 0; i < sort_method_names.size(); ++i) {
    if (sort_method_names[i] == name) return static_cast<sort_method>(i);
  }
  return std::nullopt;
}

}  // namespace upsweep
