// Enumerators by their names.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// The enumerator of the name, of which names[i] is the i-th; nothing when there is none.
template <class Enum, std::size_t N>
constexpr std::optional<Enum> enumerator_named(const std::array<std::string_view, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI
