// How much workspace rows of several arrays need to be brought together.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// Bytes by which the workspace of a sort with values may be larger than it must be, for n keys whose values have
/// `row_bytes` bytes in all arrays together. The values of each key are then brought together before they are fetched,
/// so that they come in one piece and not in one for each array: that takes two thirds of the time where arrays do not
/// fit the L2 cache. 0 for fewer keys than that takes. More keys never need less.
inline std::size_t packed_rows_workspace_bytes(std::int64_t n, std::size_t row_bytes) {
  constexpr std::int64_t enough = std::int64_t{1} << 21;
  return n < enough ? 0 : static_cast<std::size_t>(n) * row_bytes + detail::workspace_layout::alignment;
}

}  // namespace upsweep::inline UPSWEEP_ABI
