// Look-back for few tiles: each publishes its own sum, and its warps together add up those of all tiles before it. A
// tile waits for the slowest of them and one trip to the L2, where decoupled look-back goes from window to window; but
// for t tiles there are t^2 / 2 sums to read. Meant for tiles that all run at once; those that do not fit begin as
// others end, and find most sums there. Far after the first tiles, others look back. 2n items moved.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/device/decoupled_lookback.cuh"
#include "upsweep/scan/device/single_pass.cuh"
#include "upsweep/scan/flow/sum_of_tiles.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

inline constexpr int all_tiles = (std::numeric_limits<int>::max)();

/// Tiles from number DirectTiles on look back from window to window instead.
template <int DirectTiles>
struct direct_lookback_carry {
  static constexpr int sums(int warps) { return warps; }

  /// As single_pass_kernel asks; publishes the tile's own sum, the first tile that after init.
  template <class Ctx, class Storage, class T, class Op>
  static UPSWEEP_DEVICE carry<T> of_tile(Ctx& block, Storage& s, const T& aggregate, Op op, carry<T> init,
                                         const tile_states<T>& tiles, std::int64_t tile) {
    if (DirectTiles != all_tiles && tile >= DirectTiles) {
      return decoupled_lookback_carry::of_tile(block, s, aggregate, op, init, tiles, tile);
    }
    if (block.thread_rank() == 0) {
      tiles.publish(block, tile, tile == 0 ? tile_status::inclusive : tile_status::partial,
                    tile == 0 ? init.then(aggregate, op) : aggregate);
    }
    if (tile == 0) return init;
    const auto wait_for_window = [&](std::int64_t first, int valid) { return wait_for(block, tiles, first, valid); };
    return {sum_of_tiles(block, s.before.data(), tile, op, wait_for_window), true};
  }

  /// Operator applications of of_tile after an init.
  static constexpr std::int64_t operations(std::int64_t tile, int warps) {
    return tile == 0 ? 1 : direct_windows::operations(tile, warps);
  }

 private:
  /// The sums of `valid` tiles from `first` on, one a lane.
  template <class Ctx, class T>
  static UPSWEEP_DEVICE T wait_for(Ctx& block, const tile_states<T>& tiles, std::int64_t first, int valid) {
    const int lane = block.lane();
    tile_reading<T> r{T{}, tile_status::invalid};
    for (;;) {
      if (lane < valid && r.status == tile_status::invalid) r = tiles.read(block, first + lane);
      if (block.all(lane >= valid || r.status != tile_status::invalid)) return r.value;
      block.back_off();
    }
  }
};

/// float, halves, and whatever else has at most 4 bytes and is no integer.
template <class T>
concept narrow_float = !std::is_integral_v<T> && sizeof(T) <= 4;

/// 64 registers a thread, as the exclusive sums of u32 take by themselves. nvcc gives those of f32 80, of halves 78, by
/// which 2^22 items, 512 tiles of 256 threads, do not run all at once on 132 multiprocessors; 64 are enough for them,
/// without spills.
template <int DirectTiles, class T, int Threads>
requires narrow_float<T>
inline constexpr int single_pass_blocks<direct_lookback_carry<DirectTiles>, T, plus, Threads, 32> = 1024 / Threads;

/// Takes any n. With all_tiles time grows with the square of the tiles, and less code is compiled. The run-time table
/// has it as a part of default_scan only.
template <class Block, int Items, int DirectTiles = 1024>
struct direct_lookback
    : single_pass_scan<direct_lookback_carry<DirectTiles>, scan_strategy::decoupled_lookback, Block, Items> {
  /// For n > 0. O(n / tile_items).
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    using of_tile = direct_lookback_carry<DirectTiles>;
    using base = single_pass_scan<of_tile, scan_strategy::decoupled_lookback, Block, Items>;
    scan_cost all = base::template cost<T>(n);
    std::int64_t more = 0;  // base counts one for each tile
    const std::int64_t direct = (std::min<std::int64_t>)(ceil_div(n, base::template tile_items<T>), DirectTiles);
    for (std::int64_t tile = 0; tile < direct; ++tile) {
      more += of_tile::operations(tile, Block::threads / warp_size) - 1;
    }
    all.work += static_cast<double>(more);
    return all;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
