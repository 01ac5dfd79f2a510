// The first item of each run, the lengths of runs, and the run of each item, in a single pass: decoupled look-back
// (Merrill & Garland 2016) over tiles whose items stay in registers, so that the first ones may be written over them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/run_sums.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Rows of 32 items a warp. In place is safe: a tile is published when it has been read, and what is written lies
/// before the end of the tiles that have been published. The item before a tile is written over only where it already
/// lies, and then it is left alone.
template <int Threads, int Items>
struct unique_runs_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int warp_items = warp_size * Items;
  static constexpr int tile_items = Threads * Items;
  using length = std::int64_t;
  using total = run_sum<length, std::int64_t>;

  struct temp_storage {
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<total, warps> sums;  // of each warp; then, but for the first, what comes before it in the tile
    uninitialized_array<total, 1> before;
  };

  template <class Ctx, class Heads, class Out, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Heads heads, Out out, const unique_results& results,
                                 Count count, bool in_place, tile_states<total> tiles, ordered_tile_id ids) const {
    const std::int64_t tile = ids.take(block, s.ticket);
    const std::int64_t n = items_of(block, count), first = tile * tile_items, left = n - first;
    if (left > tile_items) {
      write_tile<true, false>(block, s, heads, out, results, tile_items, in_place, tiles, tile);
    } else if (left > 0) {
      write_tile<false, true>(block, s, heads, out, results, static_cast<int>(left), in_place, tiles, tile);
    } else if (n == 0 && tile == 0 && block.thread_rank() == 0) {
      results.put(block, 0);
    }
  }

 private:
  template <bool Full, bool Last, class Ctx, class Heads, class Out>
  static UPSWEEP_DEVICE void write_tile(Ctx& block, temp_storage& s, const Heads& heads, Out out,
                                        const unique_results& results, int valid, bool in_place,
                                        const tile_states<total>& tiles, std::int64_t tile) {
    const std::int64_t first = tile * tile_items;
    const auto loaded = heads.template load<Full, Items>(block, first, valid);
    const lane_mask word = heads.template word<Full, Items>(block, loaded, first, valid);  // lane i has that of row i
    const int lane = block.lane(), of_warp = block.warp() * warp_items;
    const total mine = sum_of_warp(block, word, valid - of_warp);
    if (lane == 0) s.sums[block.warp()] = mine;
    block.barrier();  // s.sums is written, and the tile has been read
    if (block.warp() == 0) {
      const run_op<plus> adjoin{};
      const total inclusive = warp_inclusive_scan(block, lane < warps ? s.sums[lane] : total{}, adjoin, warps);
      const total before_warp = block.shuffle_up(inclusive, 1);
      if (lane > 0 && lane < warps) s.sums[lane] = before_warp;
      const total of_tile = block.shuffle(inclusive, warps - 1);
      const total all = look_back_runs(block, tiles, tile, of_tile, plus{}, s.before[0], in_place);
      if (Last && lane == 0) {
        if (results.counts.wanted() && all.heads <= results.capacity) results.counts.put(all.heads - 1, all.value);
        results.put(block, all.heads);
      }
    }
    block.barrier();  // s.before and s.sums are written

    total before = s.before[0];
    if (block.warp() > 0) before = run_op<plus>{}(before, s.sums[block.warp()]);
    std::int64_t run = before.heads - 1, begin = first + of_warp - before.value;  // of the run that comes in
    const lane_mask up_to_lane = full_warp >> (warp_size - 1 - lane);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const lane_mask row = block.shuffle(word, i), in_front = row & up_to_lane >> 1;
      const int row_first = of_warp + i * warp_size;
      const std::int64_t here = run + count_lanes(row & up_to_lane), at = first + row_first + lane;
      if (results.inverse.wanted() && (Full || row_first + lane < valid)) results.inverse.put(at, here);
      if ((row >> lane & 1) != 0) {
        if (results.counts.wanted() && here > 0 && here <= results.capacity) {
          results.counts.put(here - 1, at - (in_front != 0 ? first + row_first + highest_lane(in_front) : begin));
        }
        if (here < results.capacity) {
          if (!in_place || here != at) out[here] = loaded.row[i];
          if (results.indices.wanted()) results.indices.put(here, at);
        }
      }
      run += count_lanes(row);
      if (row != 0) begin = first + row_first + highest_lane(row);
    }
  }

  /// What a warp's items hand on, of which `left` are there, in all lanes.
  template <class Ctx>
  static UPSWEEP_DEVICE total sum_of_warp(Ctx& block, lane_mask word, int left) {
    const int items = left < 0 ? 0 : left < warp_items ? left : warp_items;
    const lane_mask rows = block.ballot(word != 0);
    const int row = rows == 0 ? 0 : highest_lane(rows);
    const lane_mask last = block.shuffle(word, row);
    const int begin = last == 0 ? 0 : row * warp_size + highest_lane(last);
    return {items - begin, static_cast<std::int64_t>(block.reduce_add(static_cast<std::uint32_t>(count_lanes(word))))};
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
