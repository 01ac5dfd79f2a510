// What comes before a tile in its columns, where a sum shall have the same bits in every run: tiles are combined in
// groups that are fixed, and within them one after the other. A tile publishes once: the last one of a group what comes
// up to its end, the others their own sum. What comes before a tile is the end of the group before it, then the sum of
// the tiles before it in its own; groups wait in a row.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/flow/column_lookback.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Groups of GroupTiles tiles, 2 or more. A thread reads AtOnce of them at the same time.
template <class T, int GroupTiles, int AtOnce = 4>
struct column_groups {
  static_assert(GroupTiles > 1, "the first tile is the last one of no group");
  struct temp_storage {};

  static UPSWEEP_DEVICE bool publishes_sum(std::int64_t tile) { return !publishes_prefix(tile); }
  static UPSWEEP_DEVICE bool publishes_prefix(std::int64_t tile) { return tile % GroupTiles == GroupTiles - 1; }

  /// The sum of all tiles before `tile`, which is not the first, in each thread that has the number of a column. Waits
  /// for smaller tiles.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE T look_back(Ctx& block, temp_storage&, const tile_states<T>& states, const column_tile& tile,
                                    Op op) {
    T before{};
    if (block.thread_rank() >= tile.columns) return before;
    const auto in_group = static_cast<int>(tile.tile % GroupTiles);
    const std::int64_t mine = tile.first_state + block.thread_rank();
    // Those of the group first, which are there early: groups wait for one read each.
    for (int first = 0; first < in_group; first += AtOnce) {
      tile_reading<T> sum[AtOnce];
      for (bool waits = true; waits;) {
        waits = false;
        UPSWEEP_UNROLL
        for (int i = 0; i < AtOnce; ++i) {
          if (first + i >= in_group || sum[i].is_there()) continue;
          sum[i] = states.read(block, mine - (in_group - first - i) * tile.pitch);
          waits = waits || !sum[i].is_there();
        }
        if (waits) block.back_off();
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < AtOnce; ++i) {
        if (first + i < in_group) before = first + i == 0 ? sum[i].value : static_cast<T>(op(before, sum[i].value));
      }
    }
    if (tile.tile == in_group) return before;
    tile_reading<T> end;  // of the group before
    for (;;) {
      end = states.read(block, mine - (in_group + 1) * tile.pitch);
      if (end.is_there()) break;
      block.back_off();
    }
    return in_group == 0 ? end.value : static_cast<T>(op(end.value, before));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
