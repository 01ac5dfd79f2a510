// Scan whose result has the same bits on every run, on every GPU and on the sim: tiles and the groups that they are
// combined in are fixed, and so is the order within them. Where it can, it runs as decoupled_lookback_pipelined does.
// 2n items moved, O(n) work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/device/decoupled_lookback_pipelined.cuh"
#include "upsweep/scan/flow/aligned_tiles.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/remembered_prefix.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles learn from the workspace what comes before them.
template <class T>
struct tiles_by_look_back {
  static constexpr bool has_idle_blocks = false;
  struct temp_storage {
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<T, 1> before;
  };

  remembered_sums<T> states;
  ordered_tile_id ids;

  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t take(Ctx& block, temp_storage& s) const {
    return ids.take(block, s.ticket);
  }
  template <class Ctx>
  UPSWEEP_DEVICE void leave(Ctx&) const {}

  /// What comes before the tile; of the first one, init if there is one. One warp calls `publish(sums)`. Ends with a
  /// barrier.
  template <class Ctx, class Op, class Init, class Publish>
  UPSWEEP_DEVICE T before(Ctx& block, temp_storage& s, std::int64_t tile, Op op, const Init& init,
                          Publish publish) const {
    if (block.warp() == 0) {
      publish(states.sums);
      remembered_prefix<T> prefix;
      prefix.find(block, states, tile, op);
      if (block.lane() == 0) {
        const T found = prefix.before(tile, init).value;
        s.before[0] = found;
        if (states.is_marked(tile)) states.publish_mark(block, tile, found);
      }
    }
    block.barrier();  // s.before is written, and what is published
    return s.before[0];
  }
};

/// Tiles are those of one cluster, and tell each other their sums through shared memory. They are fewer than a group of
/// tiles that publish, so that the order in which they are combined is the same. Needs sm_90.
template <class T>
struct tiles_of_cluster {
  static constexpr bool has_idle_blocks = true;
  struct temp_storage {
    uninitialized_array<T, max_cluster_blocks> sums;  // of the tiles before
  };
  static_assert(max_cluster_blocks <= remembered_sums<T>::tiles_a_mark);

  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t take(Ctx& block, temp_storage&) const {
    block.cluster_barrier_relaxed();  // all blocks have begun
    return block.cluster_rank();
  }
  /// For a block without a tile: others reach its shared memory until all have met.
  template <class Ctx>
  UPSWEEP_DEVICE void leave(Ctx& block) const {
    meet(block);
  }

  template <class Ctx, class Op, class Init, class Publish>
  UPSWEEP_DEVICE T before(Ctx& block, temp_storage& s, std::int64_t tile, Op op, const Init& init,
                          Publish publish) const {
    const T first = carry_of<T>(init, tile == 0).value;  // may lie where output does
    if (block.warp() == 0) publish(later_blocks{s.sums.data()});
    meet(block);  // s.sums is written, and what is published
    const T sum = warp_reduce(block, block.lane() < tile ? s.sums[block.lane()] : T{}, op, static_cast<int>(tile));
    return tile == 0 ? first : block.shuffle(sum, 0);
  }

 private:
  /// The sums are there, everywhere.
  template <class Ctx>
  static UPSWEEP_DEVICE void meet(Ctx& block) {
    block.cluster_barrier();
  }

  /// What a tile publishes to, as tile_states.
  struct later_blocks {
    T* sums;

    template <class Ctx>
    UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status, const T& sum) const {
      for (int to = static_cast<int>(tile) + 1; to < block.cluster_blocks(); ++to) {
        *block.cluster_shared(sums + tile, to) = sum;
      }
    }
  };
};

/// The steps of Pipelined, a pipelined_scan_kernel, by a block for each tile: for any iterator. Tiles is
/// tiles_by_look_back or tiles_of_cluster.
template <class Pipelined, class Tiles>
struct reproducible_tile_kernel {
  using segment = typename Pipelined::segment;
  using T = typename Pipelined::sum_type;
  static constexpr int block_threads = warp_size * Pipelined::segments;

  struct temp_storage {
    typename Pipelined::stage stage;  // without its phase barriers
    typename Tiles::temp_storage tiles;
  };

  template <class Ctx, class In, class Out, class Count, class Op, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, Op op, Init init,
                                 Total total, Tiles way) const {
    const std::int64_t n = items_of(count);
    if (may_be_empty<Count> && n == 0) return put_total_of_none<T>(block, init, total);
    const aligned_tiles tiles(0, n, Pipelined::tile_items);
    const std::int64_t tile = way.take(block, s.tiles);
    if ((may_be_empty<Count> || Tiles::has_idle_blocks) && tile >= tiles.count()) return way.leave(block);
    auto& st = s.stage;
    const int first = block.warp() * segment::size;
    const int left = tiles.items(tile) - first;
    load(block, st, in + (tiles.first(tile) + first), first, left);
    block.warp_sync();
    if (left > 0) Pipelined::reduce_segment(block, st, block.warp(), tiles.items(tile), op);
    block.barrier();  // st.sums are written
    const T before_tile = way.before(block, s.tiles, tile, op, init, [&](const auto& sums) {
      Pipelined::publish(block, st, tile, tiles.items(tile), op, init, sums);
    });
    carry<T> before{before_tile, tile > 0 || carry_of<T>(init, false).present};
    if (tile == tiles.count() - 1) put_total(block, total, before, st.aggregate[0], op);
    if (first > 0 && left > 0) before = {before.then(st.sums[block.warp()], op), true};
    Pipelined::scan_segment(block, st.items.data() + first, out + (tiles.first(tile) + first), left, before, op, [] {});
  }

 private:
  /// The warp's segment is copied to shared memory, from `first` on.
  template <class Ctx, class From>
  static UPSWEEP_DEVICE void load(Ctx& block, typename Pipelined::stage& st, From from, int first, int left) {
    using item_type = std::remove_cvref_t<decltype(st.items[0])>;
    constexpr int items = segment::size / warp_size;
    // All are on their way before the first one is stored.
    uninitialized_array<item_type, items> item;
    UPSWEEP_UNROLL
    for (int i = 0; i < items; ++i) {
      const int at = block.lane() + i * warp_size;
      if (at < left) item[i] = from[at];
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < items; ++i) {
      const int at = block.lane() + i * warp_size;
      if (at < left) st.items[first + at] = item[i];
    }
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
/// Few: up to 16 tiles are those of a cluster, on Hopper and later; of more, as many as run at once have a block each.
/// Of others, bulk copies move arrays that begin at a multiple of 16 bytes; elsewhere there is a block for each tile:
/// the same bits, but slower.
template <int Threads, int Words, bool Few = true>
struct reproducible_scan : private decoupled_lookback_pipelined<Threads, Words> {
 private:
  using pipelined = decoupled_lookback_pipelined<Threads, Words>;
  /// Of an accumulator: a block of a cluster keeps one of each tile, beside its own tile.
  static constexpr std::size_t most_bytes_of_cluster = 64;
  /// A multiprocessor has so many at once, a block each. Then no block need take several.
  static constexpr std::int64_t few_tiles_of_block = 2;

  /// In shared memory items are bytes, so that others lie there as accumulators.
  template <class In, class T>
  using item_of = std::conditional_t<is_bitwise_copyable<typename std::iterator_traits<In>::value_type>,
                                     std::remove_cv_t<typename std::iterator_traits<In>::value_type>, T>;

 public:
  using pipelined::cost;
  template <class T>
  static constexpr std::int64_t tile_items = pipelined::template tile_items<T>;
  /// The run-time table has no reproducible scan; this is the variant of the same tiles.
  static constexpr scan_variant variant = pipelined::variant;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return tile_workspace<remembered_sums<T>>(ceil_div(n, pipelined::template tile_of<item_of<In, T>, T>)).bytes();
  }

  /// Scans n > 0 items of `in` to `out` after `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace w, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    using item = item_of<In, T>;
    using kernel = typename pipelined::template kernel_of<Kind, item, T>;
    const std::int64_t tiles = ceil_div(bound_of(n), kernel::tile_items);
    if constexpr (Few && sizeof(T) <= most_bytes_of_cluster) {
      if (tiles <= max_cluster_blocks && ex.has_clusters()) {
        const auto blocks = static_cast<int>(std::bit_ceil(static_cast<unsigned>(tiles)));
        const status s = ex.launch(grid(blocks, 0, blocks), reproducible_tile_kernel<kernel, tiles_of_cluster<T>>{}, in,
                                   out, n, op, init, total, tiles_of_cluster<T>{});
        if (s != status::not_supported) return s;
      }
    }
    const tile_workspace<remembered_sums<T>> here(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    if constexpr (pipelined::template is_array<In>) {
      if (aligned_tiles::items_in_front(in) == 0 && (!Few || tiles > few_tiles_of_block * ex.multiprocessors()) &&
          ex.template can_run<kernel, const item*, Out, std::int64_t, Count, Op, Init, Total, remembered_sums<T>,
                              ordered_tile_id>()) {
        return ex.launch((std::min)(tiles, ex.multiprocessors()), kernel{}, static_cast<const item*>(in), out,
                         std::int64_t{0}, n, op, init, total, here.states(w), here.ticket(w));
      }
    }
    return ex.launch(tiles, reproducible_tile_kernel<kernel, tiles_by_look_back<T>>{}, in, out, n, op, init, total,
                     tiles_by_look_back<T>{here.states(w), here.ticket(w)});
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
