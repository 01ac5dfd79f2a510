// Decoupled look-back (Merrill & Garland 2016) in the columns of a tile at once, by all threads of a block. A column
// publishes its sums by itself, so that status and value share a word (tile_state.cuh) and no column waits for another.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a block looks back for. Tile `tile` of its strip of `columns` columns, of which column c publishes state number
/// `first_state` + c, and that of the tile before `pitch` states before it.
struct column_tile {
  std::int64_t tile, first_state, pitch;
  int columns;
};

/// Blocks of Threads, of which each thread reads AtOnce successive tiles of a column at the same time, and at most
/// MostShares threads one column.
template <class T, int Threads, int AtOnce, int MostShares = 4>
struct column_lookback {
  /// Of a thread's share of the tiles.
  struct temp_storage {
    uninitialized_array<T, Threads> sums;             ///< up to the share's nearest inclusive tile, or of all of it
    uninitialized_array<tile_status, Threads> kinds;  ///< whether there is such a tile; invalid: none of tiles at all
  };

  /// Whether a tile that is not the first publishes its own sum, and then what comes up to its end.
  static UPSWEEP_DEVICE bool publishes_sum(std::int64_t) { return true; }
  static UPSWEEP_DEVICE bool publishes_prefix(std::int64_t) { return true; }

  /// The sum of all tiles before `tile`, which is not the first, in each thread that has the number of a column. All
  /// threads call. Waits for smaller tiles. The first tile publishes nothing but inclusive. Ends with a barrier.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE T look_back(Ctx& block, temp_storage& s, const tile_states<T>& states, const column_tile& tile,
                                    Op op) {
    const int me = block.thread_rank(), most = Threads / tile.columns, share = me / tile.columns;
    const int shares = most < MostShares ? most : MostShares;  // of a window; share 0 has the nearest tiles
    const std::int64_t mine = tile.first_state + (me - share * tile.columns);
    T before{};
    bool is_nearest = true, goes_on = share == 0;
    for (std::int64_t nearest = 1;; nearest += shares * AtOnce) {
      if (share < shares) {
        const std::int64_t distance = nearest + share * AtOnce, left = tile.tile + 1 - distance;
        const tile_reading<T> sum = sum_of_share(block, states, mine - distance * tile.pitch, tile.pitch,
                                                 left < AtOnce ? static_cast<int>(left) : AtOnce, op);
        s.sums[me] = sum.value;
        s.kinds[me] = sum.status;
      }
      block.barrier();  // s is written
      for (int at = me; goes_on && at < shares * tile.columns; at += tile.columns) {
        before = is_nearest ? s.sums[at] : static_cast<T>(op(s.sums[at], before));
        is_nearest = false;
        goes_on = s.kinds[at] != tile_status::inclusive;
      }
      if (!block.barrier_or(goes_on)) return before;  // s has been read
    }
  }

 private:
  /// Of `count` tiles of a column, of which the nearest has state number `nearest`. Waits for those up to the nearest
  /// inclusive one.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE tile_reading<T> sum_of_share(Ctx& block, const tile_states<T>& states, std::int64_t nearest,
                                                     int pitch, int count, Op op) {
    tile_reading<T> tile[AtOnce];
    for (;;) {
      UPSWEEP_UNROLL
      for (int i = 0; i < AtOnce; ++i) {
        if (i < count && !tile[i].is_there()) tile[i] = states.read(block, nearest - i * pitch);
      }
      bool waits = false, ends = false;
      UPSWEEP_UNROLL
      for (int i = 0; i < AtOnce; ++i) {
        waits = waits || (i < count && !ends && !tile[i].is_there());
        ends = ends || tile[i].status == tile_status::inclusive;
      }
      if (!waits) break;
      block.back_off();
    }
    tile_reading<T> sum = tile[0];
    UPSWEEP_UNROLL
    for (int i = 1; i < AtOnce; ++i) {
      if (i < count && sum.status == tile_status::partial) {
        sum = {static_cast<T>(op(tile[i].value, sum.value)), tile[i].status};
      }
    }
    return sum;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
