// What a scan costs by its own count, without running it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// Of an exclusive scan of n items (so after an init) that have the type of their sums. Copies of items in the
/// workspace are items. What tiles tell each other is in `work`, but not in `bytes`, which leave out states and sums of
/// tiles: O(n / tile_items).
struct scan_cost {
  double passes = 0;  ///< kernels over the items, one after the other
  double work = 0;    ///< applications of the operator
  double bytes = 0;   ///< of items that are read from and written to global memory

  friend constexpr bool operator==(const scan_cost&, const scan_cost&) = default;
};

}  // namespace upsweep::inline UPSWEEP_ABI
