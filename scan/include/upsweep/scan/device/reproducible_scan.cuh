// Scan whose result has the same bits on every run, on every GPU and on the sim: tiles and the groups that they are
// combined in are fixed, and so is the order within them. Where it can, it runs as decoupled_lookback_pipelined does,
// and takes the sums of tiles in groups instead of as they come. 2n items moved, O(n) work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/device/aligned_tiles.hpp"
#include "upsweep/scan/device/decoupled_lookback_pipelined.cuh"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/scan/device/pipelined_tile_states.cuh"
#include "upsweep/scan/device/tile_state.cuh"
#include "upsweep/scan/variant.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// What stands before the tiles of a block, combined in one order only: init, the sums of whole groups of 32 tiles one
/// after the other, and the sum of the tiles before it in its own group. The two kinds of sums are those of
/// warp_reduce. One warp keeps it; a mark is what stands before a group.
template <class T>
class grouped_prefix {
 public:
  static constexpr int group_tiles = pipelined_tile_states<T>::tiles_a_mark;
  static_assert(group_tiles == warp_size, "a lane for each tile");

  /// One thread calls, when the tile has been reduced.
  template <class Ctx, class Op, class Init>
  static UPSWEEP_DEVICE void publish_sum(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t tile,
                                         const T& sum, Op, const Init&) {
    states.sums.publish(block, tile, tile_status::partial, sum);
  }

  /// Finds what stands before `tile`, which lies behind all those before. All lanes call. Waits.
  template <class Ctx, class Op, class Init>
  UPSWEEP_DEVICE void find(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t tile, Op op,
                           const Init& init) {
    if (group_ == 0) before_group_ = carry_of<T>(init, true);
    if (tile / group_tiles - group_ > windows) {
      group_ = (states.last_mark(block, group_ * group_tiles - 1, tile, before_group_.value) + 1) / group_tiles;
      before_group_.present = before_group_.present || group_ > 0;
    }
    before_ = before_group_;
    for (std::int64_t first = group_; first * group_tiles < tile; first += windows) {
      tile_reading<T> r[windows];
      read(block, states, first * group_tiles, tile, r);
      T sum[windows];
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) sum[w] = warp_reduce(block, r[w].value, op, tiles_of(first + w, tile));
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) {
        const int tiles = tiles_of(first + w, tile);
        if (tiles == 0) continue;
        if (block.lane() == 0) before_.value = before_.then(sum[w], op);
        before_.present = true;
        if (tiles == group_tiles) {
          before_group_ = before_;
          ++group_;
        }
      }
    }
  }

  /// What it is, for lane 0; `aggregate` is the sum of the tile.
  template <class Op, class Init>
  UPSWEEP_DEVICE T pass(std::int64_t, const T& aggregate, Op, const Init&) {
    aggregate_ = aggregate;
    return before_.value;
  }

  /// Then what stands before the next tile, for lane 0.
  template <class Op>
  UPSWEEP_DEVICE T up_to(Op op) const {
    return before_.then(aggregate_, op);
  }

  /// Then lane 0 tells what blocks that come late may begin with.
  template <class Ctx>
  UPSWEEP_DEVICE void publish_mark(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t tile) const {
    states.publish_up_to(block, tile - 1, before_.value);
  }

 private:
  /// Groups that are read at once: those between two tiles of a block, which are as far apart as there are blocks.
  static constexpr int windows = 6;

  /// How many tiles of a group lie before `tile`.
  static UPSWEEP_DEVICE int tiles_of(std::int64_t group, std::int64_t tile) {
    const std::int64_t left = tile - group * group_tiles;
    return left >= group_tiles ? group_tiles : left < 0 ? 0 : static_cast<int>(left);
  }

  /// The sums of the tiles from `first` and before `tile`, one a lane of each window.
  template <class Ctx>
  static UPSWEEP_DEVICE void read(Ctx& block, const pipelined_tile_states<T>& states, std::int64_t first,
                                  std::int64_t tile, tile_reading<T> (&r)[windows]) {
    const std::int64_t mine = first + block.lane();
    UPSWEEP_UNROLL
    for (int w = 0; w < windows; ++w) {
      r[w] = {T{}, mine + w * warp_size < tile ? tile_status::invalid : tile_status::partial};
    }
    for (;;) {
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) {
        if (r[w].status == tile_status::invalid) r[w] = states.sums.read(block, mine + w * warp_size);
      }
      bool all = true;
      UPSWEEP_UNROLL
      for (int w = 0; w < windows; ++w) all = all && r[w].status != tile_status::invalid;
      if (block.all(all)) return;
      block.back_off();
    }
  }

  std::int64_t group_ = 0;   // the first group that has not been combined
  carry<T> before_group_{};  // what stands before it; the values here and below are those of lane 0
  carry<T> before_{};
  T aggregate_{};
};

/// One T for all tiles: init may lie where the first of them writes.
template <class T>
struct keep_init_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx, class Init>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Init init, T* kept) const {
    if (block.thread_rank() == 0) *kept = carry_of<T>(init, true).value;
  }
};

/// The steps of Pipelined, a pipelined_scan_kernel, by a block for each tile: for any iterator and any GPU.
template <class Pipelined>
struct reproducible_tile_kernel {
  using segment = typename Pipelined::segment;
  static constexpr int block_threads = warp_size * Pipelined::segments;

  struct temp_storage {
    typename Pipelined::stage stage;  // without its phase barriers
    ordered_tile_id::temp_storage ticket;
  };

  template <class Ctx, class In, class Out, class Count, class Op, class Init, class Total, class T>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, Op op, Init init,
                                 Total total, pipelined_tile_states<T> states, ordered_tile_id ids) const {
    const std::int64_t n = items_of(count);
    if (may_be_empty<Count> && n == 0) return put_total_of_none<T>(block, init, total);
    const aligned_tiles tiles(0, n, Pipelined::tile_items);
    const std::int64_t tile = ids.take(block, s.ticket);
    if (may_be_empty<Count> && tile >= tiles.count()) return;
    auto& st = s.stage;
    const int first = block.warp() * segment::size;
    const int left = tiles.items(tile) - first;
    const In from = in + (tiles.first(tile) + first);
    for (int i = block.lane(); i < segment::size && i < left; i += warp_size) st.items[first + i] = from[i];
    block.warp_sync();
    if (left > 0) Pipelined::reduce_segment(block, st, block.warp(), tiles.items(tile), op);
    block.barrier();  // st.sums are written
    if (block.warp() == 0) {
      Pipelined::publish(block, st, tile, tiles.items(tile), op, init, states);
      block.warp_sync();  // st.aggregate is written
      grouped_prefix<T> prefix;
      prefix.find(block, states, tile, op, init);
      if (block.lane() == 0) {
        st.before[0] = prefix.pass(tile, st.aggregate[0], op, init);
        prefix.publish_mark(block, states, tile);
        if constexpr (!std::is_same_v<Total, no_total>) {
          if (tile == tiles.count() - 1) put_total(total, prefix.up_to(op));
        }
      }
    }
    block.barrier();  // st.before is written, and st.sums are scanned
    carry<T> before{st.before[0], tile > 0 || carry_of<T>(init, false).present};
    if (first > 0 && left > 0) before = {before.then(st.sums[block.warp()], op), true};
    Pipelined::scan_segment(block, &st.items[first], out + (tiles.first(tile) + first), left, before, op, [] {});
  }
};

/// Tiles as those of decoupled_lookback_pipelined<Threads, Words>, from the first item on.
///
/// Two scans of equal items with the same Op, init, kind, item type and accumulator have the same bits, but for
/// payloads of NaNs: on every run, whatever else runs, wherever the arrays begin, over a pointer or another iterator of
/// that item type, on every GPU and on the sim. Further, out[i] depends on in[0..i], not on n. The bits follow from
/// Threads and Words too, and may change from one version of upsweep to another.
///
/// Not promised: what `op` itself computes. The operators of upsweep round each step; in one of your own that
/// multiplies and adds, nvcc contracts to a fused multiply-add what the sim's compiler may not (`-fmad=false`), and
/// fast-math options change both.
///
/// Bulk copies move arrays that begin at a multiple of 16 bytes, on Hopper and later. Elsewhere there is a block for
/// each tile: the same bits, but slower.
template <int Threads, int Words>
struct reproducible_scan : private decoupled_lookback_pipelined<Threads, Words> {
 private:
  using pipelined = decoupled_lookback_pipelined<Threads, Words>;

  /// In shared memory items are bytes, so that others lie there as accumulators.
  template <class In, class T>
  using item_of = std::conditional_t<std::is_trivially_copyable_v<typename std::iterator_traits<In>::value_type>,
                                     std::remove_cv_t<typename std::iterator_traits<In>::value_type>, T>;

 public:
  template <class T>
  static constexpr std::int64_t tile_items = pipelined::template tile_items<T>;
  /// The run-time table has no reproducible scan; this is the variant of the same tiles.
  static constexpr scan_variant variant = pipelined::variant;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return workspace_of<T>(ceil_div(n, pipelined::template tile_of<item_of<In, T>, T>)).bytes();
  }

  /// For n > 0 items that begin at a multiple of 16 bytes, and one block, which combines the sums of a group anew for
  /// each of its tiles. Others combine those of the groups in between, too.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    using kernel = typename pipelined::template kernel_of<scan_kind::exclusive, T, T, grouped_prefix>;
    const auto before_tiles = [](std::int64_t tiles) {
      std::int64_t count = 0;
      for (int t = 1; t <= tiles; ++t) count += warp_scan_operations(t) + 1;
      return count;
    };
    constexpr std::int64_t tile = tile_items<T>, group = grouped_prefix<T>::group_tiles;
    const std::int64_t others = ceil_div(n, tile) - 1;
    const std::int64_t work = n / tile * kernel::operations(kernel::tile_items) +
                              kernel::operations(static_cast<int>(n % tile)) + others / group * before_tiles(group) +
                              before_tiles(others % group);
    return {1, static_cast<double>(work), 2 * static_cast<double>(n) * sizeof(T)};
  }

  /// Scans n > 0 items of `in` to `out` behind `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace w, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    using item = item_of<In, T>;
    using kernel = typename pipelined::template kernel_of<Kind, item, T, grouped_prefix>;
    const std::int64_t tiles = ceil_div(bound_of(n), kernel::tile_items);
    const auto here = workspace_of<T>(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    const auto launch = [&](auto first) {
      using first_type = decltype(first);
      if constexpr (pipelined::template is_array<In>) {
        if (aligned_tiles::items_in_front(in) == 0 &&
            ex.template can_run<kernel, const item*, Out, std::int64_t, Count, Op, first_type, Total,
                                pipelined_tile_states<T>, ordered_tile_id>()) {
          return ex.launch(std::min(tiles, ex.multiprocessors()), kernel{}, static_cast<const item*>(in), out,
                           std::int64_t{0}, n, op, first, total, here.states(w), here.ticket(w));
        }
      }
      return ex.launch(tiles, reproducible_tile_kernel<kernel>{}, in, out, n, op, first, total, here.states(w),
                       here.ticket(w));
    };
    if constexpr (std::is_same_v<Init, carry<T>>) {
      return launch(init);
    } else {
      const status kept = ex.launch(1, keep_init_kernel<T>{}, init, here.init(w));
      return kept != status::success ? kept : launch(device_value{here.init(w)});
    }
  }

 private:
  template <class T>
  static constexpr pipelined_workspace<T> workspace_of(std::int64_t tiles) {
    return pipelined_workspace<T>(tiles, 1);
  }
};

}  // namespace upsweep
