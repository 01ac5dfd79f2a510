// Launches a kernel for the tiles of a scan along an axis, with a workspace where they wait for one another.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/axis_tiles.hpp"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class T>
std::size_t axis_workspace_bytes(const axis_tiling& t) {
  return t.is_chained() ? tile_workspace<tile_states<T>>(t.states()).bytes() : 0;
}

/// A block for each tile. not_supported for more tiles than tickets can number.
template <class Kernel, class T, class Executor, class In, class Out, class Op>
status launch_axis_tiles(Executor& ex, workspace w, In in, Out out, const axis_tiling& t, Op op, carry<T> init) {
  if (t.tiles > max_tiles) return status::not_supported;
  const tile_workspace<tile_states<T>> here(t.states());
  if (t.is_chained()) {
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
  }
  return ex.launch(t.tiles, Kernel{}, in, out, t, op, init, here.states(w), here.ticket(w));
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
