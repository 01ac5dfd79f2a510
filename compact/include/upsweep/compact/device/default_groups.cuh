// Which way items are grouped by default: by counters in tiles where items and groups are few, else as a sort is.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/onesweep_groups.cuh"
#include "upsweep/compact/device/tiled_groups.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What `Few` takes and the GPU has room for goes by it, all else by `Many`.
template <class Few = tiled_groups<>, class Many = onesweep_groups<>>
struct default_groups {
  static constexpr std::int64_t tile_items = Few::tile_items;

  static std::size_t workspace_bytes(std::int64_t n, int groups, std::int64_t multiple) {
    const std::size_t many = Many::workspace_bytes(n, groups, multiple);
    return many == 0 ? 0 : (std::max)(Few::workspace_bytes(n, groups, multiple), many);
  }

  template <class Executor, class Count, class GroupOf>
  static status run(Executor& ex, workspace w, const group_places& to, std::int64_t* offsets, Count n, int groups,
                    GroupOf group_of) {
    if (Few::can_run(ex, n, groups, group_of)) return Few::run(ex, w, to, offsets, n, groups, group_of);
    return Many::run(ex, w, to, offsets, n, groups, group_of);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
