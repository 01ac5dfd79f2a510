// Scan in a single pass whose loads never wait: decoupled look-back (Merrill & Garland 2016) by warps in roles. A block
// stays for many tiles, which go through a ring of stages in shared memory. One warp takes tickets and starts a bulk
// copy as soon as a stage is free; some reduce each tile that has arrived and publish its sum at once; one finds what
// comes before the tile; the others scan it from shared to global memory. 2n items moved, O(n) work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/device/direct_lookback.cuh"
#include "upsweep/scan/flow/aligned_tiles.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/remembered_prefix.cuh"
#include "upsweep/scan/flow/tile_ring.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/right_identity.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/scan/warp/warp_segment.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// ScanningThreads hold Items items each of every tile.
template <scan_kind Kind, class Item, class T, int ScanningThreads, int Items, int MostStages = 8>
struct pipelined_scan_kernel {
  using segment = warp_segment<Item, T, Items, Item, is_blocked_in_warps<Item, T>>;
  using sum_type = T;
  static constexpr int segments = ScanningThreads / warp_size;
  static constexpr int tile_items = ScanningThreads * Items;

  // The warps of a block: one loads, one looks back, five reduce, the others scan a segment of the tile each.
  static constexpr int loader = 0;
  static constexpr int looker = 1;
  static constexpr warp_group reducers{1, 2, 5};
  static constexpr int first_scanner = reducers.first_warp + reducers.num_warps;
  static constexpr int block_threads = warp_size * (first_scanner + segments);
  static constexpr int needs_sm = 90;  // bulk copies and phase barriers

  struct stage : ring_stage {
    alignas(128) uninitialized_array<Item, tile_items> items;
    /// Of each segment; then, but for the first, what comes before it in the tile.
    uninitialized_array<T, segments> sums;
    uninitialized_array<T, 1> aggregate;
    uninitialized_array<T, 1> before;
  };
  static constexpr int stages = stages_that_fit<stage>(MostStages);
  /// Where items have more than 4 bytes, look-back suffers from more than one tile on its way.
  using ring = tile_ring<stage, stages, (sizeof(Item) > 4 ? 1 : stages)>;
  struct temp_storage {
    typename ring::stages stages;
  };

  /// Operator applications of a tile of `valid` items after a carry, but for those of look-back. 0 for no items.
  static constexpr std::int64_t operations(int valid) {
    std::int64_t count = 0;
    int with_items = 0;
    for (int left = valid; left > 0; left -= segment::size, ++with_items) {
      const int mine = left < segment::size ? left : segment::size;
      count += segment::reduce_operations(mine) + segment::scan_operations(mine);
      if (with_items > 0) count += warp_size;  // what comes before the segment
    }
    return count + warp_scan_operations(with_items);
  }

  /// `in_front`: aligned_tiles::items_in_front(in).
  template <class Ctx, class Out, class Count, class Op, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Item* in, Out out, std::int64_t in_front,
                                 Count count, Op op, Init init, Total total, remembered_sums<T> states,
                                 ordered_tile_id ids) const {
    const std::int64_t n = items_of(count);
    if (may_be_empty<Count> && n == 0) return put_total_of_none<T>(block, init, total);
    const aligned_tiles tiles(in_front, n, tile_items);
    ring::init(block, s.stages, 1, segments);
    block.barrier();  // the phase barriers are there
    const int warp = block.warp();
    if (warp == loader) {
      ring::load(block, s.stages, tiles, ids, source{{}, in});
    } else if (warp == looker) {
      look_back(block, s, tiles, op, init, total, states);
    } else if (warp < first_scanner) {
      reduce(block, s, tiles, op, init, states);
    } else {
      scan(block, s, out, tiles, op, init);
    }
  }

  // The steps of a tile of `valid` items.

  /// One warp, when the items are there: the sum of segment i, which has any. Fills it up, where that can be.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE void reduce_segment(Ctx& block, stage& st, int i, int valid, Op op) {
    Item* const from = st.items.data() + i * segment::size;
    const int left = valid - i * segment::size;
    T sum{};
    if constexpr (fills_up<Op>) {
      if (left < segment::size) {
        UPSWEEP_NO_UNROLL
        for (int at = left + block.lane(); at < segment::size; at += warp_size) from[at] = right_identity<Op, Item>();
        block.bulk_fence();  // a later tile of the stage comes over what is written here
        block.warp_sync();   // the segment is filled up
      }
      sum = segment::template reduce<true>(block, from, segment::size, op);
    } else {
      sum = left >= segment::size ? segment::template reduce<true>(block, from, left, op)
                                  : segment::template reduce<false>(block, from, left, op);
    }
    if (block.lane() == 0) st.sums[i] = sum;
  }

  /// One warp, when all segments have their sums: scans these, and publishes the sum of all in `of_tiles`.
  template <class Ctx, class Op, class Init, class Sums>
  static UPSWEEP_DEVICE void publish(Ctx& block, stage& st, std::int64_t tile, int valid, Op op, const Init& init,
                                     const Sums& of_tiles) {
    const int lane = block.lane();
    const int count = (valid + segment::size - 1) / segment::size;
    const T sum = lane < count ? st.sums[lane] : T{};
    const T inclusive = warp_inclusive_scan(block, sum, op, count);
    const T before = block.shuffle_up(inclusive, 1);
    if (lane > 0 && lane < count) st.sums[lane] = before;
    if (lane != count - 1) return;
    st.aggregate[0] = inclusive;
    of_tiles.publish(block, tile, tile_status::partial,
                     tile == 0 ? carry_of<T>(init, true).then(inclusive, op) : inclusive);
  }

  /// One warp: scans a segment of `valid` items, none where that is negative, after `before`.
  template <class Ctx, class Out, class Op, class HaveRead>
  static UPSWEEP_DEVICE void scan_segment(Ctx& block, Item* from, Out to, int valid, carry<T> before, Op op,
                                          HaveRead have_read) {
    if (valid >= segment::size || (fills_up<Op> && valid > 0)) {
      segment::template scan<Kind, true, fills_up<Op>>(block, from, to, valid, before, op, have_read);
    } else if (!fills_up<Op> && valid > 0) {
      segment::template scan<Kind, false>(block, from, to, valid, before, op, have_read);
    } else {
      have_read();
    }
  }

 private:
  /// reduce_segment comes before scan_segment, and its items are numbers as their sums are.
  template <class Op>
  static constexpr bool fills_up =
      has_right_identity<Op, T>&& has_right_identity<Op, Item>&& std::is_floating_point_v<T> ==
      std::is_floating_point_v<Item>;

  struct source : ring_source {
    static constexpr int bulk_items = aligned_tiles::items_of_aligned_bytes(sizeof(Item), sizeof(Item));
    const Item* in;

    UPSWEEP_DEVICE void copy(stage& st, int i, std::int64_t at) const { st.items[i] = in[at]; }
    template <class Load>
    UPSWEEP_DEVICE void bulk(stage& st, std::int64_t first, int items, Load load) const {
      load(&st.items, in + first, items * sizeof(Item));
    }
  };

  template <class Ctx, class Op, class Init>
  static UPSWEEP_DEVICE void reduce(Ctx& block, temp_storage& s, const aligned_tiles& tiles, Op op, const Init& init,
                                    const remembered_sums<T>& states) {
    const int mine = block.warp() - reducers.first_warp;
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int) {
      const int valid = tiles.items(tile);
      for (int i = mine; i * segment::size < valid; i += reducers.num_warps) reduce_segment(block, st, i, valid, op);
      block.group_sync(reducers);  // st.sums are written
      if (mine != 0) return;
      publish(block, st, tile, valid, op, init, states.sums);
      block.warp_sync();
      if (block.lane() == 0) block.phase_arrive(st.summed);
    });
  }

  template <class Ctx, class Op, class Init, class Total>
  static UPSWEEP_DEVICE void look_back(Ctx& block, temp_storage& s, const aligned_tiles& tiles, Op op, const Init& init,
                                       Total total, const remembered_sums<T>& states) {
    const auto put = [&](stage& st, std::int64_t tile, const carry<T>& before) {
      st.before[0] = before.value;
      if constexpr (!std::is_same_v<Total, no_total>) {
        if (tile == tiles.count() - 1) put_total(total, before.then(st.aggregate[0], op));
      }
    };
    ring::template look_back<remembered_prefix<T>>(block, s.stages, states, op, init, false, put);
  }

  template <class Ctx, class Out, class Op, class Init>
  static UPSWEEP_DEVICE void scan(Ctx& block, temp_storage& s, Out out, const aligned_tiles& tiles, Op op,
                                  const Init& init) {
    const int first = (block.warp() - first_scanner) * segment::size;
    ring::each(block, s.stages, [&](stage& st, std::int64_t tile, int parity) {
      block.phase_wait(st.prefixed, parity);
      carry<T> before{st.before[0], tile > 0 || carry_of<T>(init, false).present};
      const int left = tiles.items(tile) - first;
      if (first > 0 && left > 0) before = {before.then(st.sums[first / segment::size], op), true};
      const auto have_read = [&] { ring::release(block, st); };
      scan_segment(block, st.items.data() + first, out + tiles.first(tile) + first, left, before, op, have_read);
    });
  }
};

/// Tiles of `Words` words of 4 bytes for each of `Threads` scanning threads. Takes direct_lookback<warp_scans<256>,
/// 16> for items that bulk copies cannot move: those of iterators that are not pointers, arrays no item of which lies
/// at a multiple of 16 bytes, and GPUs before Hopper.
template <int Threads, int Words>
struct decoupled_lookback_pipelined {
  static constexpr scan_variant variant{scan_strategy::decoupled_lookback_pipelined, block_algorithm::warp_scans,
                                        Threads, Words};
  using plain = direct_lookback<warp_scans<256>, 16>;

  template <class T>
  static constexpr int items = items_of_lane<T, T>(4 * Words);
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    const std::size_t of_plain = plain::template workspace_bytes<T, In, Out>(n);
    if constexpr (!is_array<In>) return of_plain;
    using item = std::remove_cv_t<std::remove_pointer_t<In>>;
    const std::size_t here = tile_workspace<remembered_sums<T>>(aligned_tiles::most(n, tile_of<item, T>)).bytes();
    return here > of_plain ? here : of_plain;
  }

  /// For n > 0 items that begin at a multiple of 16 bytes, and one block, which combines the sums of a group anew for
  /// each of its tiles, and what comes before the group, but for the first. Others combine those of the groups in
  /// between, too.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    using kernel = kernel_of<scan_kind::exclusive, T, T>;
    const auto before_tiles = [](std::int64_t tiles) {
      std::int64_t count = 0;
      for (int t = 1; t <= tiles; ++t) count += warp_scan_operations(t) + 1;
      return count;
    };
    constexpr std::int64_t tile = tile_items<T>, group = remembered_sums<T>::tiles_a_mark;
    const std::int64_t others = ceil_div(n, tile) - 1;
    const std::int64_t work = n / tile * kernel::operations(kernel::tile_items) +
                              kernel::operations(static_cast<int>(n % tile)) + others / group * before_tiles(group) +
                              before_tiles(others % group) + 1 - (std::min)(others, group);
    return {1, static_cast<double>(work), 2 * static_cast<double>(n) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` after `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace w, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    if constexpr (is_array<In>) {
      using item = std::remove_cv_t<std::remove_pointer_t<In>>;
      using kernel = kernel_of<Kind, item, T>;
      const std::int64_t in_front = aligned_tiles::items_in_front(in);
      if (in_front >= 0 && ex.template can_run<kernel, const item*, Out, std::int64_t, Count, Op, Init, Total,
                                               remembered_sums<T>, ordered_tile_id>()) {
        const std::int64_t tiles = aligned_tiles(in_front, bound_of(n), tile_of<item, T>).count();
        const tile_workspace<remembered_sums<T>> here(tiles);
        const status cleared = here.clear(ex, w);
        if (cleared != status::success) return cleared;
        return ex.launch((std::min)(tiles, ex.multiprocessors()), kernel{}, static_cast<const item*>(in), out, in_front,
                         n, op, init, total, here.states(w), here.ticket(w));
      }
    }
    return plain::template run<Kind, T>(ex, w, in, out, n, op, init, total);
  }

 protected:
  /// Bulk copies move items as they are in memory.
  template <class In>
  static constexpr bool is_array = std::is_pointer_v<In>&& is_bitwise_copyable<std::remove_pointer_t<In>> &&
                                   !std::is_volatile_v<std::remove_pointer_t<In>>;

  /// Items a thread of an array of Item that are combined as T.
  template <class Item, class T>
  static constexpr int items_of = items_of_lane<Item, T>(4 * Words);
  template <class Item, class T>
  static constexpr int tile_of = Threads* items_of<Item, T>;

  template <scan_kind Kind, class Item, class T>
  using kernel_of = pipelined_scan_kernel<Kind, Item, T, Threads, items_of<Item, T>>;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
