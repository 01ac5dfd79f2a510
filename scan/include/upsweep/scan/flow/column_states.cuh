// How tiles of several columns publish their sums to the tiles behind them: decoupled look-back (Merrill & Garland
// 2016) with one status for all columns of a tile. One warp waits for it, with one access for 32 tiles, however many
// columns there are; the sums are read once, when they are there.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The status of each tile, invalid before the launch, and the sums of its columns: of the tile alone, and up to its
/// end. Sums are written before the status (release), and read after it (acquire). The two kinds have arrays of their
/// own: a reader of the one never sees it overwritten by the other.
template <class T>
struct column_states {
  tile_status* status;
  T *partial, *inclusive;
  int columns;  ///< of each tile

  UPSWEEP_DEVICE T& sum(tile_status kind, std::int64_t tile, int column) const {
    return (kind == tile_status::partial ? partial : inclusive)[tile * columns + column];
  }
};

/// Successive tiles whose sums are there: how many, and whether the farthest has an inclusive one, the others partial.
struct tile_window {
  int count;
  bool ends;
};

/// Of the tiles from `nearest` down to `first`, which publishes nothing but inclusive, the nearest 32, or up to the
/// nearest inclusive one. One warp calls; it waits for them.
template <class Ctx, class T>
UPSWEEP_DEVICE tile_window wait_for_window(Ctx& block, const column_states<T>& states, std::int64_t nearest,
                                           std::int64_t first) {
  const std::int64_t mine = nearest - block.lane();
  tile_status status = tile_status::invalid;
  for (;;) {
    if (mine >= first && status != tile_status::inclusive) status = block.load_acquire(states.status + mine);
    const lane_mask ends = block.ballot(status == tile_status::inclusive);
    const lane_mask nearer = ends == 0 ? full_warp : (ends & (0 - ends)) - 1;
    const lane_mask unready = block.ballot(status == tile_status::invalid) & nearer;
    if (unready == 0) return {ends != 0 ? lowest_lane(ends) + 1 : warp_size, ends != 0};
    block.back_off();
  }
}

/// What a launch of such tiles keeps in device memory: a ticket, the status of each tile, the sums.
template <class T>
struct column_workspace {
  workspace_layout layout;
  workspace_layout::slot<std::uint32_t> ticket_slot;
  workspace_layout::slot<tile_status> status_slot;
  workspace_layout::slot<T> partial, inclusive;
  int columns;

  constexpr column_workspace(std::int64_t tiles, int columns)
      : ticket_slot(layout.add<std::uint32_t>(1)),
        status_slot(layout.add<tile_status>(static_cast<std::size_t>(tiles))),
        partial(layout.add<T>(static_cast<std::size_t>(tiles * columns))),
        inclusive(layout.add<T>(static_cast<std::size_t>(tiles * columns))),
        columns(columns) {}

  constexpr std::size_t bytes() const { return layout.bytes(); }

  /// To be done before the launch; invalid_value for a workspace that is too small.
  template <class Executor>
  status clear(Executor& ex, workspace w) const {
    return layout.fits(w) ? ex.clear(layout.at(w, ticket_slot), status_slot.end()) : status::invalid_value;
  }
  // By name, as nvcc drops the braces of a plain {...} for a host compiler that then finds no conversion (clang++).
  ordered_tile_id ticket(workspace w) const { return ordered_tile_id{layout.at(w, ticket_slot)}; }
  column_states<T> states(workspace w) const {
    return column_states<T>{layout.at(w, status_slot), layout.at(w, partial), layout.at(w, inclusive), columns};
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
