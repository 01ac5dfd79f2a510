// Scan in a single pass, tile after tile (Yan, Long & Zhang, "StreamScan: fast scan algorithms for GPUs without global
// barrier synchronization", 2013): each tile waits for the inclusive sum of the tile before it and hands on its own. 2n
// items moved; O(n) work; the sums travel through n / tile_items hands, one after the other.
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
struct chained_scan_kernel {
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
  /// What stands before the tile, in all threads; publishes the sum up to its end.
  template <class Ctx, class Op>
  UPSWEEP_DEVICE carry<T> carry_of(Ctx& block, temp_storage& s, const T& aggregate, Op op, carry<T> init,
                                   const tile_states<T>& tiles, std::int64_t tile) const {
    carry<T> before = init;
    if (block.thread_rank() == 0) {
      if (tile > 0) before = {wait_for(block, tiles, tile - 1), true};
      tiles.publish(block, tile, tile_status::inclusive, before.then(aggregate, op));
      s.before[0] = before.value;
    }
    if (tile == 0) return init;
    block.barrier();  // s.before is written
    return {s.before[0], true};
  }

  template <class Ctx>
  static UPSWEEP_DEVICE T wait_for(Ctx& block, const tile_states<T>& tiles, std::int64_t tile) {
    for (;;) {
      const tile_reading<T> r = tiles.read(block, tile);
      if (r.status == tile_status::inclusive) return r.value;
      block.back_off();
    }
  }
};

template <class Block, int Items>
struct chained_scan : single_pass_scan<chained_scan_kernel, scan_strategy::chained_scan, Block, Items> {};

}  // namespace upsweep
