// Reduction of runs in a single pass whose loads never wait: a ring of warps in roles
// (upsweep/scan/flow/tile_ring.cuh). One warp starts bulk copies of keys and values; some find the heads of a tile that
// has come, reduce its runs, leave the last key and the reduction of each run that ends there side by side where the
// tile lies, and publish at once what it hands on; one finds the prefix of the tile; the others add that to the
// first run and write.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/run_moves.cuh"
#include "upsweep/compact/device/run_ring_shape.cuh"
#include "upsweep/compact/device/run_sums.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/flow/aligned_tiles.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/remembered_prefix.cuh"
#include "upsweep/scan/flow/tile_ring.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_runs.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Reduces the runs of such tiles.
template <class Key, class Item, class T, int Reducers, int Writers, int Items, int MostStages,
          ring_runs Kind = ring_runs::all>
struct pipelined_runs_kernel {
  using shape = run_ring_shape<Key, Item, T, Reducers, Writers, Items, Kind>;
  static constexpr bool are_lengths = shape::are_lengths, is_unique = shape::is_unique,
                        is_repeated = shape::is_repeated;
  static constexpr int stretch_items = shape::stretch_items, tile_items = shape::tile_items,
                       keys_in_front = shape::keys_in_front;
  static constexpr int block_threads = shape::block_threads, first_writer = shape::first_writer;
  static constexpr warp_group reducers = shape::reducers;
  static constexpr int needs_sm = 90;  // bulk copies and phase barriers
  using value = typename shape::value;
  using ended = typename shape::ended;
  using stage = typename shape::stage;
  using ring = tile_ring<stage, stages_that_fit<stage>(MostStages)>;
  struct temp_storage {
    typename ring::stages stages;
    std::int64_t n;  // where it comes from device memory
  };
  using total = run_sum<T, std::int64_t>;
  using states_type = remembered_runs<T>;

  template <class Ctx, class KeysOut, class Out, class Count, class Op, class Equal>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, KeysOut keys_out, const value* in,
                                 Out out, Count count, Op op, Equal equal, const select_results& results,
                                 integer_array inverse, bool in_place, states_type states, ordered_tile_id ids) const {
    ring::init(block, s.stages, 1, Writers);
    if (block.thread_rank() == 0) s.n = items_of(block, count);
    block.barrier();  // the phase barriers and s.n are there
    const std::int64_t n = s.n;
    if (n == 0) {
      // There are no items; or no run had room of those that there were, and their tiles have been taken.
      if (block.thread_rank() == 0 && ids.take_alone(block) == 0) results.put(block, 0);
      return;
    }
    const aligned_tiles tiles(0, n, tile_items);
    const int warp = block.warp();
    if (warp == shape::loader) {
      ring::load(block, s.stages, tiles, ids, source{{}, keys, in, in_place});
    } else if (warp == shape::looker) {
      const auto put_last = [&](const total& all) {
        if (all.heads <= results.capacity && !(is_repeated && all.heads == 0)) {
          if constexpr (Kind == ring_runs::all) keys_out[all.heads - 1] = keys[n - 1];
          out[all.heads - 1] = all.value;
        }
        results.put(block, all.heads);
      };
      look_back(block, s, tiles, op, put_last, in_place, states);
    } else if (warp < first_writer) {
      reduce(block, s, tiles, op, equal, inverse.wanted(), in_place, states);
    } else {
      write(block, s, keys_out, out, tiles, op, results, inverse, in_place);
    }
  }

 private:
  struct source : ring_source {
    static constexpr int bulk_items =
        aligned_tiles::items_of_aligned_bytes(sizeof(Key), are_lengths ? sizeof(Key) : sizeof(value));
    const Key* keys;
    const value* in;
    bool in_place;

    /// In place, others may be writing to the keys beside the one before the tile.
    UPSWEEP_DEVICE void before_bulk(stage& st, std::int64_t first) const {
      if (is_unique && in_place && first > 0) st.front[keys_in_front - 1] = keys[first - 1];
    }
    UPSWEEP_DEVICE void copy(stage& st, int i, std::int64_t at) const {
      st.keys[i] = keys[at];
      if constexpr (!are_lengths) st.values[i] = in[at];
    }
    template <class Load>
    UPSWEEP_DEVICE void bulk(stage& st, std::int64_t first, int items, Load load) const {
      load(&st.front, keys + first - keys_in_front, first > 0 && !(is_unique && in_place) ? sizeof st.front : 0);
      load(&st.keys, keys + first, items * sizeof(Key));
      if constexpr (!are_lengths) load(&st.values, in + first, items * sizeof(value));
    }
  };

  /// One warp: the runs of stretch i, of which `valid` items are there. All reducers call.
  template <bool Full, class Ctx, class Op, class Equal>
  static UPSWEEP_DEVICE void reduce_stretch(Ctx& block, stage& st, int i, int valid, Op op, Equal& equal,
                                            [[maybe_unused]] bool ranks) {
    const int lane = block.lane(), first = i * stretch_items, left = valid - lane * Items;
    const int mine = Full || left >= Items ? Items : left < 0 ? 0 : left;
    Key key[Items];
    read_of_lane<Full>(block, st.keys.data() + first, mine, valid - 1, key);
    Key in_front = block.shuffle_up(key[Items - 1], 1);  // lane 0 gets its own, which is a key in any case
    const bool is_first = i == 0 && st.tile == 0 && lane == 0;
    if (lane == 0 && !is_first) in_front = i > 0 ? st.keys[first - 1] : st.front[keys_in_front - 1];
    [[maybe_unused]] T item[are_lengths ? 1 : Items];
    if constexpr (!are_lengths) read_of_lane<Full>(block, st.values.data() + first, mine, valid - 1, item);
    block.group_sync(reducers);  // the tile has been read; what is left of its runs may be written over it

    // Equal is asked everywhere, of keys that are there: with conditions the compiler runs out of predicates.
    lane_mask heads = 0;
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      const bool differs = !static_cast<bool>(equal(k > 0 ? key[k - 1] : in_front, key[k]));
      if ((Full || k < mine) && (differs || (k == 0 && is_first))) heads |= lane_mask{1} << k;
    }
    if constexpr (are_lengths) forget_origin(heads);  // nor does it keep them for what is asked of so many heads below
    [[maybe_unused]] lane_mask equals = 0;            // items that equal the one before them
    if constexpr (is_repeated) {
      equals = ~heads & (mine < warp_size ? (lane_mask{1} << mine) - 1 : full_warp);
      lane_mask in_front_equals = block.shuffle_up(equals, 1) >> (Items - 1);
      if (lane == 0 && !is_first) {
        const Key& before = i > 0 ? st.keys[first - 2] : st.front[keys_in_front - 2];
        in_front_equals = static_cast<bool>(equal(before, in_front)) ? 1 : 0;
      }
      heads = equals & ~(equals << 1 | in_front_equals);
    }
    const auto count = static_cast<std::uint32_t>(count_lanes(heads) | count_lanes(equals) << 16);
    const std::uint32_t up_to_here = warp_inclusive_scan(block, count, plus{});
    const std::uint32_t all = block.shuffle(up_to_here, warp_size - 1);
    constexpr std::uint32_t of_heads = is_repeated ? 0xffff : ~0u;
    const std::uint32_t of_stretch = all & of_heads, heads_before = (up_to_here - count) & of_heads;
    int at = first + static_cast<int>(heads_before);
    const lane_mask with_heads = block.ballot(heads != 0);

    ended* const runs = st.runs();
    T handed_on;
    if constexpr (are_lengths) {
      [[maybe_unused]] const auto equals_before = [&](int k) {  // in the stretch
        return ((up_to_here - count) >> 16) +
               static_cast<std::uint32_t>(count_lanes(equals & ((lane_mask{1} << k) - 1)));
      };
      UPSWEEP_UNROLL
      for (int k = 0; k < Items; ++k) {
        if ((heads >> k & 1) == 0) continue;
        if constexpr (is_repeated) {
          st.ranks[at] = static_cast<std::uint16_t>(equals_before(k));
        } else {
          st.keys[at] = is_unique ? key[k] : k > 0 ? key[k - 1] : in_front;
        }
        runs[at++] = static_cast<std::uint16_t>(first + lane * Items + k);
      }
      if constexpr (is_unique) {
        if (ranks) write_ranks<Items>(block, st.ranks.data() + first, heads, heads_before);
      }
      const int last_head = heads == 0 ? 0 : highest_lane(heads);
      const int with_last = with_heads == 0 ? 0 : highest_lane(with_heads);
      if constexpr (is_repeated) {
        const std::uint32_t last = block.shuffle(equals_before(last_head), with_last);
        handed_on = static_cast<T>(with_heads == 0 ? all >> 16 : (all >> 16) - last + 1);
      } else {
        const int last = block.shuffle(lane * Items + last_head, with_last);
        handed_on = static_cast<T>(with_heads == 0 ? valid : valid - last);
      }
    } else {
      T so_far = item[0];
      const int first_run = at;
      UPSWEEP_UNROLL
      for (int k = 0; k < Items; ++k) {
        if (!Full && k >= mine) continue;
        if ((heads >> k & 1) != 0) {
          st.keys[at] = k > 0 ? key[k - 1] : in_front;
          runs[at++] = so_far;  // of no meaning where k is 0
          so_far = item[k];
        } else if (k > 0) {
          so_far = op(so_far, item[k]);
        }
      }
      const int lanes = Full ? warp_size : (valid + Items - 1) / Items;
      const lane_mask before_end = with_heads & full_warp >> (warp_size - 1 - lane);
      const T inclusive =
          warp_inclusive_scan_from(block, so_far, op, before_end == 0 ? 0 : highest_lane(before_end), lanes);
      const T before = block.shuffle_up(inclusive, 1);
      if (lane > 0 && heads != 0) {
        runs[first_run] = (heads & 1) != 0 ? before : static_cast<T>(op(before, runs[first_run]));
      }
      handed_on = block.shuffle(inclusive, lanes - 1);
    }
    if (lane != 0) return;
    st.sums[i] = run_sum<T, std::uint32_t>{handed_on, of_stretch};
    st.heads[i] = of_stretch * 2 + (heads & 1);
  }

  template <class Ctx, class Op, class Equal>
  static UPSWEEP_DEVICE void reduce(Ctx& block, temp_storage& s, const aligned_tiles& tiles, Op op, Equal& equal,
                                    bool ranks, bool in_place, const states_type& states) {
    const int mine = block.warp() - reducers.first_warp;
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int) {
      const int valid = tiles.items(tile), left = valid - mine * stretch_items;
      if (left >= stretch_items) {
        reduce_stretch<true>(block, st, mine, stretch_items, op, equal, ranks);
      } else if (left > 0) {
        reduce_stretch<false>(block, st, mine, left, op, equal, ranks);
      } else {
        block.group_sync(reducers);  // as above
        if (block.lane() == 0) st.heads[mine] = 0;
      }
      block.bulk_fence();          // the next tile comes by bulk copies
      block.group_sync(reducers);  // st.sums are written
      if (mine != 0) return;
      publish(block, st, tile, valid, op, in_place, states);
      block.warp_sync();
      if (block.lane() == 0) block.phase_arrive(st.summed);
    });
  }

  /// One warp, when all stretches have their sums: scans these, and publishes what the tile hands on.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE void publish(Ctx& block, stage& st, std::int64_t tile, int valid, Op op, bool in_place,
                                     const states_type& states) {
    using sum = run_sum<T, std::uint32_t>;
    const int lane = block.lane(), count = (valid + stretch_items - 1) / stretch_items;
    const sum mine = lane < count ? st.sums[lane] : sum{};
    const lane_mask up_to_lane = block.ballot(mine.heads != 0) & full_warp >> (warp_size - 1 - lane);
    const sum inclusive{
        warp_inclusive_scan_from(block, mine.value, op, up_to_lane == 0 ? 0 : highest_lane(up_to_lane), count),
        warp_inclusive_scan(block, mine.heads, plus{})};
    const sum before = block.shuffle_up(inclusive, 1);
    if (lane > 0 && lane < count) st.sums[lane] = before;
    if (lane != count - 1) return;
    st.all[0] = inclusive;
    if (in_place) block.fence();
    states.sums.publish(block, tile, tile_status::partial, inclusive);
  }

  template <class Ctx, class Op, class PutLast>
  static UPSWEEP_DEVICE void look_back(Ctx& block, temp_storage& s, const aligned_tiles& tiles, Op op, PutLast put_last,
                                       bool in_place, const states_type& states) {
    const auto put = [&](stage& st, std::int64_t tile, const carry<total>& before) {
      st.before[0] = before.value;
      if (tile != tiles.count() - 1) return;
      const total of_tile{st.all[0].value, st.all[0].heads};
      put_last(tile > 0 ? run_op<Op>{op}(before.value, of_tile) : of_tile);
    };
    ring::template look_back<remembered_prefix<total>>(block, s.stages, states, run_op<Op>{op}, carry<total>{},
                                                       in_place, put);
  }

  template <class Ctx, class KeysOut, class Out, class Op>
  static UPSWEEP_DEVICE void write(Ctx& block, temp_storage& s, KeysOut keys_out, Out out, const aligned_tiles& tiles,
                                   Op op, const select_results& results, [[maybe_unused]] const integer_array& inverse,
                                   [[maybe_unused]] bool in_place) {
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int parity) {
      block.phase_wait(st.prefixed, parity);
      for (int i = block.warp() - first_writer; i < Reducers; i += Writers) {
        const int heads = static_cast<int>(st.heads[i] / 2), first = i * stretch_items;
        const bool needs_ranks = is_unique && inverse.wanted() && first < tiles.items(tile);
        if (heads == 0 && !needs_ranks) continue;
        const bool begins = (st.heads[i] & 1) != 0;
        const total tiles_before = st.before[0];
        run_sum<T, std::uint32_t> in_tile{tiles_before.value, 0};
        if (i > 0) {
          in_tile = st.sums[i];
          if (in_tile.heads == 0) in_tile.value = op(tiles_before.value, in_tile.value);
        }
        // The run that ends before head k of the stretch is the one before that of the head, which begins none where
        // the head is the first of all.
        const std::int64_t begun = tiles_before.heads + in_tile.heads, to = begun - 1, room = results.capacity - begun;
        const int from = to < 0 ? 1 : 0, count = room >= heads ? heads : room < 0 ? 0 : static_cast<int>(room) + 1;
        const int begin = room >= heads ? heads : room < 0 ? 0 : static_cast<int>(room);  // that have room
        const std::int64_t first_item = tiles.first(tile) + first;
        const Key* const keys = st.keys.data() + first;
        const ended* const runs = st.runs() + first;
        const auto key = [&](int k) { return keys[k]; };
        if constexpr (is_unique) {
          const int in_their_place = in_place && begun == first_item ? unmoved(block, runs, first, heads) : 0;
          store_lines(block, keys_out, begun, in_their_place, begin, key);
          if (needs_ranks) {
            const int left = tiles.items(tile) - first;
            store_lines(block, integers_out{inverse}, first_item, 0, left < stretch_items ? left : stretch_items,
                        [&](int k) { return to + st.ranks[first + k]; });
          }
        } else if constexpr (!is_repeated) {
          store_lines(block, keys_out, to, from, count, key);
        }
        if constexpr (are_lengths) {
          store_lines(block, out, to, from, count, [&](int k) {
            if constexpr (is_repeated) {
              const std::uint16_t* const equals = st.ranks.data() + first;
              return k > 0 ? static_cast<T>(equals[k] - equals[k - 1] + 1) : static_cast<T>(in_tile.value + equals[0]);
            } else {
              return k > 0 ? static_cast<T>(runs[k] - runs[k - 1]) : static_cast<T>(in_tile.value + (runs[0] - first));
            }
          });
          const auto place = [&](int k) { return first_item + (runs[k] - first) - (is_repeated ? 1 : 0); };
          if constexpr (is_repeated) store_lines(block, keys_out, begun, 0, begin, place);
          if (results.indices.wanted()) {
            store_lines(block, integers_out{results.indices}, begun, 0, begin, place);
          }
        } else {
          store_lines(block, out, to, from, count, [&](int k) {
            return k > 0 ? runs[k] : begins ? in_tile.value : static_cast<T>(op(in_tile.value, runs[0]));
          });
        }
      }
      ring::release(block, st);
    });
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
