// What a scan costs, without running it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// What an exclusive scan of n items costs, with an init, if items and sums have one type. Copies of items in the
/// workspace count as items. `work` includes the operations on sums of tiles; `bytes` leaves out the states and sums of
/// tiles, which are O(n / tile_items).
struct scan_cost {
  double passes = 0;  ///< kernels over the items, one after the other
  double work = 0;    ///< applications of the operator
  double bytes = 0;   ///< of items that are read from and written to global memory

  friend constexpr bool operator==(const scan_cost&, const scan_cost&) = default;
};

}  // namespace upsweep::inline UPSWEEP_ABI
