// What stands before a tile of a scan whose blocks stay for many tiles.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/pipelined_tile_states.cuh"
#include "upsweep/scan/device/tile_state.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What stands before the tiles of a block, combined in one order only: the sums of whole groups of 32 tiles one after
/// the other, and the sum of the tiles before it in its own group. The two kinds of sums are those of warp_reduce; the
/// first tile's is that behind init. One warp keeps it; a mark is what stands before a group.
template <class T>
class grouped_prefix {
 public:
  static constexpr int group_tiles = pipelined_tile_states<T>::tiles_a_mark;
  static_assert(group_tiles == warp_size, "a lane for each tile");

  /// One thread calls, when the tile has been reduced.
  template <class Ctx, class Op, class Init>
  static UPSWEEP_DEVICE void publish_sum(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t tile,
                                         const T& sum, Op op, const Init& init) {
    const T behind_init = tile == 0 ? carry_of<T>(init, true).then(sum, op) : sum;
    states.sums.publish(block, tile, tile_status::partial, behind_init);
  }

  /// Finds what stands before `tile`, which lies behind all those before. All lanes call. Waits.
  template <class Ctx, class Op>
  UPSWEEP_DEVICE void find(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t tile, Op op) {
    if (tile / group_tiles - group_ > windows) {
      group_ = (states.last_mark(block, group_ * group_tiles - 1, tile, before_group_.value) + 1) / group_tiles;
      before_group_.present = group_ > 0;
    }
    before_ = before_group_;
    for (std::int64_t first = group_; first * group_tiles < tile; first += windows) {
      T sum[windows];
      read(block, states, first * group_tiles, tile, sum);
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) sum[w] = warp_reduce(block, sum[w], op, tiles_of(first + w, tile));
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) {
        const int tiles = tiles_of(first + w, tile);
        if (tiles == 0) continue;
        if (block.lane() == 0) before_.value = before_.then(sum[w], op);
        before_.present = true;
        if (tiles == group_tiles) {
          before_group_ = before_;
          ++group_;
        }
      }
    }
  }

  /// What it is, for lane 0.
  template <class Init>
  UPSWEEP_DEVICE carry<T> before(std::int64_t tile, const Init& init) const {
    return tile == 0 ? carry_of<T>(init, true) : before_;
  }

  /// Then lane 0 tells what blocks that come late may begin with.
  template <class Ctx>
  UPSWEEP_DEVICE void publish_mark(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t tile) const {
    states.publish_up_to(block, tile - 1, before_.value);
  }

 private:
  /// Groups that are read at once: those between two tiles of a block, which are as far apart as there are blocks.
  static constexpr int windows = 6;

  /// How many tiles of a group lie before `tile`.
  static UPSWEEP_DEVICE int tiles_of(std::int64_t group, std::int64_t tile) {
    const std::int64_t left = tile - group * group_tiles;
    return left >= group_tiles ? group_tiles : left < 0 ? 0 : static_cast<int>(left);
  }

  /// The sums of the tiles from `first` and before `tile`, one a lane of each window.
  template <class Ctx>
  static UPSWEEP_DEVICE void read(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t first,
                                  std::int64_t tile, T (&sum)[windows]) {
    bool there[windows];
    UPSWEEP_UNROLL
    for (int w = 0; w < windows; ++w) {
      sum[w] = T{};
      there[w] = first + w * warp_size + block.lane() >= tile;
    }
    for (;;) {
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) {
        if (there[w]) continue;
        const tile_reading<T> r = states.sums.read(block, first + w * warp_size + block.lane());
        sum[w] = r.value;
        there[w] = r.status != tile_status::invalid;
      }
      bool all = true;
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) all = all && there[w];
      if (block.all(all)) return;
      block.back_off();
    }
  }

  std::int64_t group_ = 0;   // the first group that has not been combined
  carry<T> before_group_{};  // what stands before it; the values here and below are those of lane 0
  carry<T> before_{};
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
