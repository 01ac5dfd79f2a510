// Scan in a single pass (Merrill & Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016): each
// tile publishes its own sum at once, looks back over the sums before it until one is inclusive, publishes its
// inclusive sum, and scans its items behind what it found. 2n items moved; O(n) work.
#pragma once

#include <cstdint>
#include <iterator>

#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/scan/device/tile_state.cuh"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

template <scan_kind Kind, class T, class Block, int Items>
struct decoupled_lookback_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr int tile_items = block_threads * Items;
  using tile_io = block_io<T, block_threads, Items>;
  using tile_scan = block_scan<T, Block>;

  struct temp_storage {
    union {
      typename tile_io::temp_storage io;
      typename tile_scan::temp_storage scan;
    };
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<T, 1> before;
  };

  template <class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, std::int64_t n, Op op, carry<T> init,
                                 tile_states<T> tiles, ordered_tile_id ids) const {
    const std::int64_t tile = ids.take(block, s.ticket);
    const std::int64_t first = tile * tile_items;
    if (n - first >= tile_items) {
      scan_tile<true>(block, s, in + first, out + first, tile_items, op, init, tiles, tile);
    } else {
      scan_tile<false>(block, s, in + first, out + first, static_cast<int>(n - first), op, init, tiles, tile);
    }
  }

 private:
  template <bool Full, class Ctx, class In, class Out, class Op>
  UPSWEEP_DEVICE void scan_tile(Ctx& block, temp_storage& s, In in, Out out, int valid, Op op, carry<T> init,
                                const tile_states<T>& tiles, std::int64_t tile) const {
    T item[Items];
    tile_io::template load<Full>(block, s.io, in, valid, item);
    block.barrier();  // s.io has been read; s.scan may begin
    tile_scan::template scan_items<Kind, Full>(block, s.scan, item, valid, op, [&](const T& aggregate) {
      return carry_of(block, s, aggregate, op, init, tiles, tile);
    });
    block.barrier();  // s.scan has been read
    tile_io::template store<Full>(block, s.io, out, valid, item);
  }

  /// What stands before the tile, in all threads; publishes the tile's sums.
  template <class Ctx, class Op>
  UPSWEEP_DEVICE carry<T> carry_of(Ctx& block, temp_storage& s, const T& aggregate, Op op, carry<T> init,
                                   const tile_states<T>& tiles, std::int64_t tile) const {
    if (tile == 0) {
      if (block.thread_rank() == 0) tiles.publish(block, 0, tile_status::inclusive, init.then(aggregate, op));
      return init;
    }
    if (block.warp() == 0) {
      if (block.lane() == 0) tiles.publish(block, tile, tile_status::partial, aggregate);
      const T before = look_back(block, tiles, tile, op);
      if (block.lane() == 0) {
        tiles.publish(block, tile, tile_status::inclusive, op(before, aggregate));
        s.before[0] = before;
      }
    }
    block.barrier();  // s.before is written
    return {s.before[0], true};
  }
};

template <class Block, int Items>
struct decoupled_lookback {
  static constexpr scan_variant variant{scan_strategy::decoupled_lookback, Block::name, Block::threads, Items};
  /// The tile of a T: Items a thread, or as many as fit.
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return plan<T>(n).layout.bytes();
  }

  /// For n > 0. A tile's look-back counts as one application, as when the tile before has its inclusive sum; each that
  /// has not adds a few, below 130 for a window of 32.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    using tile_scan = block_scan<T, Block>;
    const std::int64_t whole = n / tile_items<T>, rest = n % tile_items<T>;
    const std::int64_t work = whole * tile_scan::template operations<items<T>>(tile_items<T>, true) +
                              tile_scan::template operations<items<T>>(rest, true) + ceil_div(n, tile_items<T>);
    return {1, static_cast<double>(work), 2 * static_cast<double>(n) * sizeof(T)};
  }

  /// What a tile of a scan of n items has published, from a host copy of the workspace, of which the first byte had an
  /// address that is a multiple of workspace_layout::alignment. The value means nothing while the status is invalid.
  template <class T>
  static tile_reading<T> published(std::int64_t n, const std::byte* copy, std::int64_t tile) {
    return tile_states<T>::read_copy(copy, plan<T>(n).states, tile);
  }

  /// Scans n > 0 items of `in` to `out` behind `init`.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, std::int64_t n, Op op, carry<T> init) {
    const auto p = plan<T>(n);
    if (!p.layout.fits(w)) return status::invalid_value;
    std::uint32_t* ticket = p.layout.at(w, p.ticket);
    const status cleared = ex.fill(ticket, 0, p.states.bytes_to_clear() + workspace_layout::alignment);
    if (cleared != status::success) return cleared;
    return ex.launch(p.tiles, decoupled_lookback_kernel<Kind, T, Block, items<T>>{}, in, out, n, op, init,
                     tile_states<T>(p.layout, w, p.states), ordered_tile_id{ticket});
  }

 private:
  /// The ticket lies in front of the states, so that one fill clears both.
  template <class T>
  struct layout_plan {
    std::int64_t tiles;
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> ticket;
    typename tile_states<T>::slots states;
  };

  template <class T>
  static constexpr layout_plan<T> plan(std::int64_t n) {
    layout_plan<T> p{ceil_div(n, tile_items<T>), {}, {}, {}};
    p.ticket = p.layout.template add<std::uint32_t>(1);
    p.states = tile_states<T>::add_to(p.layout, p.tiles);
    return p;
  }
};

}  // namespace upsweep
