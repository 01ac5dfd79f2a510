// The names of the methods of sorting.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "upsweep/simt/names.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// How keys are sorted.
enum class sort_method {
  default_sort,       ///< the default: policy.hpp
  upsweep_downsweep,  ///< for each digit a count, a scan of the counts, and a move
  onesweep,           ///< one count for all digits, then for each a pass that reads and writes every key once
  single_block,       ///< one block in one launch, for few keys
  cluster             ///< one cluster of blocks in one launch, for some more
};

/// The names of the methods, in the order of sort_method.
inline constexpr std::array<std::string_view, 5> sort_method_names = {"default", "upsweep_downsweep", "onesweep",
                                                                      "single_block", "cluster"};

/// As JSON and options spell it.
constexpr std::string_view name_of(sort_method m) {
  return sort_method_names[static_cast<std::size_t>(m)];
}

/// Whether the method takes a scan; the default method becomes upsweep_downsweep with one.
constexpr bool has_scan(sort_method m) {
  return m == sort_method::default_sort || m == sort_method::upsweep_downsweep;
}

/// The method of that name; nothing when there is none.
constexpr std::optional<sort_method> sort_method_named(std::string_view name) {
  return detail::enumerator_named<sort_method>(sort_method_names, name);
}

}  // namespace upsweep::inline UPSWEEP_ABI
