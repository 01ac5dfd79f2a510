// How much workspace rows of several arrays need to be brought together.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// How many bytes more of workspace make a sort of n keys with values faster; `row_bytes` are the bytes of a key's
/// values in all arrays together. The values of each key are then brought together before they are fetched, in one
/// piece instead of one for each array. That takes two thirds of the time if the arrays do not fit into the L2 cache. 0
/// for too few keys. More keys never need less.
inline std::size_t packed_rows_workspace_bytes(std::int64_t n, std::size_t row_bytes) {
  constexpr std::int64_t enough = std::int64_t{1} << 21;
  return n < enough ? 0 : static_cast<std::size_t>(n) * row_bytes + detail::workspace_layout::alignment;
}

}  // namespace upsweep::inline UPSWEEP_ABI
