// The names of the methods of compaction.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/names.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// How elements are compacted.
enum class compact_method {
  fused,              ///< one pass, stable
  vote_scan_compact,  ///< votes, a scan of them, a move; stable, over any scan
  hole_filling        ///< in place: kept elements of the back fill the holes at the front; not stable, always the same
};

/// As JSON and options spell them, in the order of the enumerators.
inline constexpr std::array<std::string_view, 3> compact_method_names = {"fused", "vote_scan_compact", "hole_filling"};

/// As JSON and options spell it.
constexpr std::string_view name_of(compact_method m) {
  return compact_method_names[static_cast<std::size_t>(m)];
}

/// The method of that name; nothing when there is none.
constexpr std::optional<compact_method> compact_method_named(std::string_view name) {
  return detail::enumerator_named<compact_method>(compact_method_names, name);
}

/// True when kept elements stay in input order.
constexpr bool is_stable(compact_method m) {
  return m != compact_method::hole_filling;
}
/// True when a scan runs between the kernels of the method.
constexpr bool has_scan(compact_method m) {
  return m != compact_method::fused;
}

/// How to compact: a method with its scan, which is ignored if the method has none. A scan alone means
/// vote_scan_compact by that scan; the default scan means the default method.
struct compact_method_with_scan {
  compact_method method = compact_method::fused;  ///< which kernels
  scan_variant scan = {};                         ///< of vote_scan_compact and hole_filling

  constexpr compact_method_with_scan() = default;
  /// A method, and its scan if it has one.
  constexpr compact_method_with_scan(compact_method m, const scan_variant& v = {}) : method(m), scan(v) {}
  /// The method that goes with that scan.
  constexpr compact_method_with_scan(const scan_variant& v)
      : method(v == scan_variant{} ? compact_method::fused : compact_method::vote_scan_compact), scan(v) {}

  friend constexpr bool operator==(const compact_method_with_scan&, const compact_method_with_scan&) = default;
};

}  // namespace upsweep::inline UPSWEEP_ABI
