// Scan whose result has the same bits on every run, on every GPU and on the sim: tiles and the groups that they are
// combined in are fixed, and so is the order within them. Where it can, it runs as decoupled_lookback_pipelined does.
// 2n items moved, O(n) work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The steps of Pipelined, a pipelined_scan_kernel, by a block for each tile: for any iterator and any GPU.
template <class Pipelined>
struct reproducible_tile_kernel {
  using segment = typename Pipelined::segment;
  using T = typename Pipelined::sum_type;
  static constexpr int block_threads = warp_size * Pipelined::segments;

  struct temp_storage {
    typename Pipelined::stage stage;  // without its phase barriers
    ordered_tile_id::temp_storage ticket;
  };

  template <class Ctx, class In, class Out, class Count, class Op, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, Op op, Init init,
                                 Total total, remembered_sums<T> states, ordered_tile_id ids) const {
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
      remembered_prefix<T> prefix;
      prefix.find(block, states, tile, op);
      if (block.lane() == 0) {
        const T before = prefix.before(tile, init).value;
        st.before[0] = before;
        if (states.is_marked(tile)) states.publish_mark(block, tile, before);
      }
    }
    block.barrier();  // st.before and st.aggregate are written, and st.sums are scanned
    carry<T> before{st.before[0], tile > 0 || carry_of<T>(init, false).present};
    if (tile == tiles.count() - 1) put_total(block, total, before, st.aggregate[0], op);
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

  /// Scans n > 0 items of `in` to `out` behind `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace w, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    using item = item_of<In, T>;
    using kernel = typename pipelined::template kernel_of<Kind, item, T>;
    const std::int64_t tiles = ceil_div(bound_of(n), kernel::tile_items);
    const tile_workspace<remembered_sums<T>> here(tiles);
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    if constexpr (pipelined::template is_array<In>) {
      if (aligned_tiles::items_in_front(in) == 0 &&
          ex.template can_run<kernel, const item*, Out, std::int64_t, Count, Op, Init, Total, remembered_sums<T>,
                              ordered_tile_id>()) {
        return ex.launch((std::min)(tiles, ex.multiprocessors()), kernel{}, static_cast<const item*>(in), out,
                         std::int64_t{0}, n, op, init, total, here.states(w), here.ticket(w));
      }
    }
    return ex.launch(tiles, reproducible_tile_kernel<kernel>{}, in, out, n, op, init, total, here.states(w),
                     here.ticket(w));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
