// Scan in a single pass (Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016): each
// tile publishes its own sum at once, looks back over the sums before it until one is inclusive, publishes its
// inclusive sum, and scans its items after what it found. 2n items moved; O(n) work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/single_pass.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

struct decoupled_lookback_carry {
  static constexpr int sums(int) { return 1; }

  /// As single_pass_kernel asks; publishes the tile's own sum, then the sum up to its end.
  template <class Ctx, class Storage, class T, class Op>
  static UPSWEEP_DEVICE carry<T> of_tile(Ctx& block, Storage& s, const T& aggregate, Op op, carry<T> init,
                                         const tile_states<T>& tiles, std::int64_t tile) {
    if (tile == 0) {
      if (block.thread_rank() == 0) tiles.publish(block, 0, tile_status::inclusive, init.then(aggregate, op));
      return init;
    }
    if (block.warp() == 0) {
      if (block.lane() == 0) tiles.publish(block, tile, tile_status::partial, aggregate);
      const T before = look_back(block, tiles, tile, op);
      if (block.lane() == 0) {
        tiles.publish(block, tile, tile_status::inclusive, op(before, aggregate));
        s.before[0] = before;
      }
    }
    block.barrier();  // s.before is written
    return {s.before[0], true};
  }
};

template <class Block, int Items>
struct decoupled_lookback
    : single_pass_scan<decoupled_lookback_carry, scan_strategy::decoupled_lookback, Block, Items> {};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
