// Scan in a single pass, tile after tile (Yan, Long & Zhang, "StreamScan: fast scan algorithms for GPUs without global
// barrier synchronization", 2013): each tile waits for the inclusive sum of the tile before it and hands on its own. 2n
// items moved; O(n) work; the sums travel through n / tile_items hands, one after the other.
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

struct chained_scan_carry {
  static constexpr int sums(int) { return 1; }

  /// As single_pass_kernel asks; publishes the sum up to the tile's end.
  template <class Ctx, class Storage, class T, class Op>
  static UPSWEEP_DEVICE carry<T> of_tile(Ctx& block, Storage& s, const T& aggregate, Op op, carry<T> init,
                                         const tile_states<T>& tiles, std::int64_t tile) {
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

 private:
  template <class Ctx, class T>
  static UPSWEEP_DEVICE T wait_for(Ctx& block, const tile_states<T>& tiles, std::int64_t tile) {
    for (;;) {
      const tile_reading<T> r = tiles.read(block, tile);
      if (r.status == tile_status::inclusive) return r.value;
      block.back_off();
    }
  }
};

template <class Block, int Items>
struct chained_scan : single_pass_scan<chained_scan_carry, scan_strategy::chained_scan, Block, Items> {};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
