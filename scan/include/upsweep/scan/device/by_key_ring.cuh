// Scan by key in a single pass whose loads never wait: the ring of warps in roles of the pipelined scan
// (decoupled_lookback_pipelined.cuh). One warp starts bulk copies of keys and items; some find the heads of a tile that
// has come, reduce it and publish at once what it hands on; one finds what stands before the tile; the others scan it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/aligned_tiles.hpp"
#include "upsweep/scan/device/grouped_prefix.cuh"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/scan/device/pipelined_tile_states.cuh"
#include "upsweep/scan/device/segment_states.cuh"
#include "upsweep/scan/device/stage_ring.hpp"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/scan/warp/warp_runs.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles of ScanningThreads x Items begin with the arrays, which both lie at multiples of 16 bytes. `out` is not
/// `keys`: a tile is compared with the key in front of it.
template <scan_kind Kind, class Key, class Item, class T, int ScanningThreads, int Items, int Stages, int Reducers>
struct pipelined_by_key_kernel {
  using stretch = warp_runs<Kind, Key, Item, T, Items>;
  static constexpr int stretches = ScanningThreads / warp_size;
  static constexpr int tile_items = ScanningThreads * Items;
  static_assert(stretches <= warp_size, "a lane for each stretch");

  // The warps of a block: one loads, one looks back, some reduce, the others scan a stretch of the tile each.
  static constexpr int loader = 0;
  static constexpr int looker = 1;
  static constexpr warp_group reducers{1, 2, Reducers};
  static constexpr int first_scanner = reducers.first_warp + reducers.num_warps;
  static constexpr int block_threads = warp_size * (first_scanner + stretches);
  static constexpr int needs_sm = 90;  // bulk copies and phase barriers

  static constexpr int bulk_unit = 16;
  static constexpr int keys_in_front = bulk_unit / static_cast<int>(sizeof(Key));
  static_assert(keys_in_front * sizeof(Key) == bulk_unit);

  struct stage {
    alignas(128) uninitialized_array<Key, tile_items> keys;
    alignas(128) uninitialized_array<Item, tile_items> items;
    alignas(16) uninitialized_array<Key, keys_in_front> front;  // those before the tile, unless it is the first
    uninitialized_array<lane_mask, ScanningThreads> heads;      // as warp_runs has them
    /// Of each stretch; then, but for the first, what stands before it in the tile.
    uninitialized_array<segment_sum<T>, stretches> sums;
    uninitialized_array<T, 1> before;  // means nothing for the first tile
    std::int64_t tile;                 // no_tile: there are no more
    phase_barrier loaded, reduced, prefixed, free;
  };
  static constexpr std::int64_t no_tile = -1;
  static constexpr int bulk_items = aligned_tiles::items_of_aligned_bytes(sizeof(Key), sizeof(Item));
  struct temp_storage {
    stage stages[Stages];
  };
  using states_type = pipelined_tile_states<segment_sum<T>>;

  template <class Ctx, class Out, class Op, class Equal>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, const Item* in, Out out, std::int64_t n,
                                 Op op, T init, Equal equal, states_type states, ordered_tile_id ids) const {
    if (block.thread_rank() == 0) {
      for (stage& st : s.stages) {
        block.phase_init(st.loaded, 1);
        block.phase_init(st.reduced, 1);
        block.phase_init(st.prefixed, 1);
        block.phase_init(st.free, stretches);
      }
    }
    block.barrier();  // the phase barriers are there
    const int warp = block.warp();
    if (warp == loader) {
      load(block, s, keys, in, n, ids);
    } else if (warp == looker) {
      look_back(block, s, op, states);
    } else if (warp < first_scanner) {
      reduce(block, s, n, op, init, equal, states);
    } else {
      scan(block, s, out, n, op, init);
    }
  }

 private:
  using ring = stage_ring<stage, Stages>;

  static UPSWEEP_DEVICE int items_of_tile(std::int64_t tile, std::int64_t n) {
    const std::int64_t left = n - tile * tile_items;
    return left < tile_items ? static_cast<int>(left) : tile_items;
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void load(Ctx& block, temp_storage& s, const Key* keys, const Item* in, std::int64_t n,
                                  ordered_tile_id ids) {
    for (ring at{s.stages};; at.next()) {
      stage& st = at.here();
      if (!at.first_round) block.phase_wait(st.free, at.parity ^ 1);
      std::int64_t tile = 0;
      if (block.lane() == 0) tile = ids.take_alone(block);
      tile = block.shuffle(tile, 0);
      const std::int64_t first = tile * tile_items;
      const bool more = first < n;
      if (block.lane() == 0) st.tile = more ? tile : no_tile;
      const int valid = more ? items_of_tile(tile, n) : 0;
      // All but a few items come by bulk copies.
      const int by_bulk = valid / bulk_items * bulk_items, i = by_bulk + block.lane();
      if (i < valid) {
        st.keys[i] = keys[first + i];
        st.items[i] = in[first + i];
      }
      block.warp_sync();
      if (block.lane() == 0) {
        const auto of_keys = static_cast<std::uint32_t>(by_bulk * sizeof(Key));
        const auto of_items = static_cast<std::uint32_t>(by_bulk * sizeof(Item));
        const auto of_front = static_cast<std::uint32_t>(more && tile > 0 ? sizeof st.front : 0);
        block.phase_arrive_expect(st.loaded, of_keys + of_items + of_front);
        if (of_front > 0) block.bulk_load(&st.front, keys + first - keys_in_front, of_front, st.loaded);
        if (by_bulk > 0) {
          block.bulk_load(&st.keys, keys + first, of_keys, st.loaded);
          block.bulk_load(&st.items, in + first, of_items, st.loaded);
        }
      }
      if (!more) return;
    }
  }

  /// One warp, when keys and items are there: the heads of stretch i, which has any items, and what it hands on.
  template <bool Full, class Ctx, class Op, class Equal>
  static UPSWEEP_DEVICE void reduce_stretch(Ctx& block, stage& st, int i, int valid, Op op, const T& init,
                                            Equal& equal) {
    const int first = i * stretch::size;
    const Key* const in_tile = st.keys.data() + first;
    const Key* const front = i > 0 ? in_tile - 1 : st.tile > 0 ? st.front.data() + (keys_in_front - 1) : nullptr;
    const lane_mask heads = stretch::template heads<Full>(block, in_tile, front, valid, equal);
    st.heads[i * warp_size + block.lane()] = heads;
    const segment_sum<T> sum = stretch::template reduce<Full>(block, st.items.data() + first, heads, valid, init, op);
    if (block.lane() == 0) st.sums[i] = sum;
  }

  template <class Ctx, class Op, class Equal>
  static UPSWEEP_DEVICE void reduce(Ctx& block, temp_storage& s, std::int64_t n, Op op, const T& init, Equal& equal,
                                    const states_type& states) {
    const int mine = block.warp() - reducers.first_warp;
    for (ring at{s.stages};; at.next()) {
      stage& st = at.here();
      block.phase_wait(st.loaded, at.parity);
      const std::int64_t tile = st.tile;
      if (tile == no_tile) return;
      const int valid = items_of_tile(tile, n);
      for (int i = mine; i * stretch::size < valid; i += Reducers) {
        const int left = valid - i * stretch::size;
        if (left >= stretch::size) {
          reduce_stretch<true>(block, st, i, stretch::size, op, init, equal);
        } else {
          reduce_stretch<false>(block, st, i, left, op, init, equal);
        }
      }
      block.group_sync(reducers);  // st.sums are written
      if (mine != 0) continue;
      publish(block, st, tile, valid, op, states);
      block.warp_sync();
      if (block.lane() == 0) block.phase_arrive(st.reduced);
    }
  }

  /// One warp, when all stretches have their sums: scans these, and publishes what the tile hands on.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE void publish(Ctx& block, stage& st, std::int64_t tile, int valid, Op op,
                                     const states_type& states) {
    const int lane = block.lane();
    const int count = (valid + stretch::size - 1) / stretch::size;
    const segment_sum<T> sum = lane < count ? st.sums[lane] : segment_sum<T>{};
    const lane_mask up_to_lane = block.ballot(sum.has_head) & full_warp >> (warp_size - 1 - lane);
    const segment_sum<T> inclusive{
        warp_inclusive_scan_from(block, sum.value, op, up_to_lane == 0 ? 0 : highest_lane(up_to_lane), count),
        up_to_lane != 0};
    const segment_sum<T> before = block.shuffle_up(inclusive, 1);
    if (lane > 0 && lane < count) st.sums[lane] = before;
    if (lane == count - 1) states.sums.publish(block, tile, tile_status::partial, inclusive);
  }

  template <class Ctx, class Op>
  static UPSWEEP_DEVICE void look_back(Ctx& block, temp_storage& s, Op op, const states_type& states) {
    grouped_prefix<segment_sum<T>> prefix;
    for (ring at{s.stages};; at.next()) {
      stage& st = at.here();
      block.phase_wait(st.loaded, at.parity);
      const std::int64_t tile = st.tile;
      if (tile == no_tile) return;
      block.phase_wait(st.reduced, at.parity);
      prefix.find(block, states, tile, segment_op<Op>{op});
      block.warp_sync();  // all lanes have read st.tile
      if (block.lane() == 0) {
        st.before[0] = prefix.before(tile, carry<segment_sum<T>>{}).value.value;
        block.phase_arrive(st.prefixed);
        prefix.publish_mark(block, states, tile);
      }
    }
  }

  template <class Ctx, class Out, class Op>
  static UPSWEEP_DEVICE void scan(Ctx& block, temp_storage& s, Out out, std::int64_t n, Op op, const T& init) {
    const int mine = block.warp() - first_scanner, first = mine * stretch::size;
    for (ring at{s.stages};; at.next()) {
      stage& st = at.here();
      block.phase_wait(st.loaded, at.parity);
      const std::int64_t tile = st.tile;
      if (tile == no_tile) return;
      block.phase_wait(st.prefixed, at.parity);
      const auto have_read = [&] {
        block.warp_sync();
        if (block.lane() == 0) block.phase_arrive(st.free);
      };
      const int left = items_of_tile(tile, n) - first;
      if (left <= 0) {
        have_read();
        continue;
      }
      T before = st.before[0];
      if (mine > 0) {
        const segment_sum<T> in_tile = st.sums[mine];
        before = in_tile.has_head ? in_tile.value : static_cast<T>(op(before, in_tile.value));
      }
      const lane_mask heads = st.heads[mine * warp_size + block.lane()];
      const Out to = out + (tile * tile_items + first);
      if (left >= stretch::size) {
        stretch::template scan<true>(block, st.items.data() + first, heads, to, stretch::size, before, init, op,
                                     have_read);
      } else {
        stretch::template scan<false>(block, st.items.data() + first, heads, to, left, before, init, op, have_read);
      }
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
