// Scan by key in a single pass whose loads never wait: a ring of warps in roles (flow/tile_ring.cuh). One warp starts
// bulk copies of keys and items; some find the heads of a tile that has arrived, reduce it and publish at once what it
// hands on; one finds what comes before the tile; the others scan it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/flow/aligned_tiles.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/remembered_prefix.cuh"
#include "upsweep/scan/flow/segment_states.cuh"
#include "upsweep/scan/flow/tile_ring.cuh"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/scan/warp/warp_runs.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles of ScanningThreads x Items begin with the arrays, which both lie at multiples of 16 bytes. `out` is not
/// `keys`: a tile is compared with the key before it.
template <scan_kind Kind, class Key, class Item, class T, int ScanningThreads, int Items, int Reducers>
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

  struct stage : ring_stage {
    alignas(128) uninitialized_array<Key, tile_items> keys;
    alignas(128) uninitialized_array<Item, tile_items> items;
    alignas(16) uninitialized_array<Key, keys_in_front> front;  // those before the tile, unless it is the first
    uninitialized_array<lane_mask, ScanningThreads> heads;      // as warp_runs has them
    /// Of each stretch; then, but for the first, what comes before it in the tile.
    uninitialized_array<segment_sum<T>, stretches> sums;
    uninitialized_array<T, 1> before;  // means nothing for the first tile
  };
  using ring = tile_ring<stage, stages_that_fit<stage>(8)>;
  struct temp_storage {
    typename ring::stages stages;
  };
  using states_type = remembered_sums<segment_sum<T>>;

  template <class Ctx, class Out, class Op, class Equal>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, const Item* in, Out out, std::int64_t n,
                                 Op op, T init, Equal equal, states_type states, ordered_tile_id ids) const {
    const aligned_tiles tiles(0, n, tile_items);
    ring::init(block, s.stages, 1, stretches);
    block.barrier();  // the phase barriers are there
    const int warp = block.warp();
    if (warp == loader) {
      ring::load(block, s.stages, tiles, ids, source{{}, keys, in});
    } else if (warp == looker) {
      look_back(block, s, op, states);
    } else if (warp < first_scanner) {
      reduce(block, s, tiles, op, init, equal, states);
    } else {
      scan(block, s, out, tiles, op, init);
    }
  }

 private:
  struct source : ring_source {
    static constexpr int bulk_items = aligned_tiles::items_of_aligned_bytes(sizeof(Key), sizeof(Item));
    const Key* keys;
    const Item* in;

    UPSWEEP_DEVICE void copy(stage& st, int i, std::int64_t at) const {
      st.keys[i] = keys[at];
      st.items[i] = in[at];
    }
    template <class Load>
    UPSWEEP_DEVICE void bulk(stage& st, std::int64_t first, int items, Load load) const {
      load(&st.front, keys + first - keys_in_front, first > 0 ? sizeof st.front : 0);
      load(&st.keys, keys + first, items * sizeof(Key));
      load(&st.items, in + first, items * sizeof(Item));
    }
  };

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
  static UPSWEEP_DEVICE void reduce(Ctx& block, temp_storage& s, const aligned_tiles& tiles, Op op, const T& init,
                                    Equal& equal, const states_type& states) {
    const int mine = block.warp() - reducers.first_warp;
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int) {
      const int valid = tiles.items(tile);
      for (int i = mine; i * stretch::size < valid; i += Reducers) {
        const int left = valid - i * stretch::size;
        if (left >= stretch::size) {
          reduce_stretch<true>(block, st, i, stretch::size, op, init, equal);
        } else {
          reduce_stretch<false>(block, st, i, left, op, init, equal);
        }
      }
      block.group_sync(reducers);  // st.sums are written
      if (mine != 0) return;
      publish(block, st, tile, valid, op, states);
      block.warp_sync();
      if (block.lane() == 0) block.phase_arrive(st.summed);
    });
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
    using sum = segment_sum<T>;
    const auto put = [](stage& st, std::int64_t, const carry<sum>& before) { st.before[0] = before.value.value; };
    ring::template look_back<remembered_prefix<sum>>(block, s.stages, states, segment_op<Op>{op}, carry<sum>{}, false,
                                                     put);
  }

  template <class Ctx, class Out, class Op>
  static UPSWEEP_DEVICE void scan(Ctx& block, temp_storage& s, Out out, const aligned_tiles& tiles, Op op,
                                  const T& init) {
    const int mine = block.warp() - first_scanner, first = mine * stretch::size;
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int parity) {
      block.phase_wait(st.prefixed, parity);
      const auto have_read = [&] { ring::release(block, st); };
      const int left = tiles.items(tile) - first;
      if (left <= 0) return have_read();
      T before = st.before[0];
      if (mine > 0) {
        const segment_sum<T> in_tile = st.sums[mine];
        before = in_tile.has_head ? in_tile.value : static_cast<T>(op(before, in_tile.value));
      }
      const lane_mask heads = st.heads[mine * warp_size + block.lane()];
      const Out to = out + (tiles.first(tile) + first);
      if (left >= stretch::size) {
        stretch::template scan<true>(block, st.items.data() + first, heads, to, stretch::size, before, init, op,
                                     have_read);
      } else {
        stretch::template scan<false>(block, st.items.data() + first, heads, to, left, before, init, op, have_read);
      }
    });
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
