// Scan in a single pass (Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016): each
// tile publishes its own sum at once, looks back over the sums before it until one is inclusive, publishes its
// inclusive sum, and scans its items behind what it found. 2n items moved; O(n) work.
#pragma once

#include <cstdint>

#include "upsweep/scan/block/tile_scan.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/scan/device/single_pass.cuh"
#include "upsweep/scan/device/tile_state.cuh"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"

namespace upsweep {

template <scan_kind Kind, class T, class Block, int Items>
struct decoupled_lookback_kernel {
  static constexpr int block_threads = Block::threads;
  using in_tile = tile_scan<T, Block, Items>;

  struct temp_storage {
    typename in_tile::temp_storage tile;
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<T, 1> before;
  };

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, std::int64_t n, Op op, carry<T> init,
                                 tile_states<T> tiles, ordered_tile_id ids) const {
    const std::int64_t tile = ids.take(block, s.ticket);
    in_tile::template scan<Kind>(block, s.tile, in, out, n, tile, op, [&](const T& aggregate) {
      return carry_of(block, s, aggregate, op, init, tiles, tile);
    });
  }

 private:
  /// What stands before the tile, in all threads; publishes the tile's sums.
  template <class Ctx, class Op>
  UPSWEEP_DEVICE carry<T> carry_of(Ctx& block, temp_storage& s, const T& aggregate, Op op, carry<T> init,
                                   const tile_states<T>& tiles, std::int64_t tile) const {
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
    : single_pass_scan<decoupled_lookback_kernel, scan_strategy::decoupled_lookback, Block, Items> {};

}  // namespace upsweep
