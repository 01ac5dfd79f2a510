// Every scan in a single pass, but for how a tile learns what comes before it: tiles take tickets and publish their
// sums.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/prefetch.cuh"
#include "upsweep/scan/block/tile_scan.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cost.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// How many blocks of a scan a multiprocessor shall have room for; 0: the compiler decides.
template <class Carry, class T, class Op, int Threads, int Items>
inline constexpr int single_pass_blocks = 0;

/// Scans a tile for each block. All threads of a block call Carry::of_tile with the sum of the tile: it returns the
/// carry<T> before the tile, and publishes what other tiles wait for. `s.before`, as many values as Carry::sums(warps)
/// says, is its own.
template <scan_kind Kind, class T, class Block, int Items, class Carry, int BlocksAtOnce>
struct single_pass_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr int blocks_per_multiprocessor = BlocksAtOnce;
  static constexpr bool begins_early = true;
  using in_tile = tile_scan<T, Block, Items>;

  struct temp_storage {
    typename in_tile::temp_storage tile;
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<T, Carry::sums(Block::threads / warp_size)> before;
  };

  template <class Ctx, class In, class Out, class Count, class Op, class Init, class Total>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, Op op, Init init,
                                 Total total, tile_states<T> tiles, ordered_tile_id ids) const {
    const std::int64_t n = items_of(count);
    if constexpr (may_be_empty<Count>) {
      if (n == 0) {
        block.wait_for_previous();  // or the launch could end before the states are cleared
        return put_total_of_none<T>(block, init, total);
      }
      // As many blocks take tickets as there are tiles.
      if (block.block_index() >= ceil_div(n, in_tile::tile_items)) return;
    }
    // Most likely the block's tile: its items come while the states are cleared and the ticket is taken.
    prefetch_tile<in_tile::tile_items>(block, in, n, block.block_index());
    block.wait_for_previous();
    const std::int64_t tile = ids.take(block, s.ticket);
    in_tile::template scan<Kind>(block, s.tile, in, out, n, tile, op, [&](const T& aggregate) {
      const carry<T> before = Carry::of_tile(block, s, aggregate, op, carry_of<T>(init, tile == 0), tiles, tile);
      if (n - tile * in_tile::tile_items <= in_tile::tile_items) put_total(block, total, before, aggregate, op);
      return before;
    });
  }
};

template <class Carry, scan_strategy Strategy, class Block, int Items>
struct single_pass_scan {
  static constexpr scan_variant variant{Strategy, Block::name, Block::threads, Items};
  /// The tile of a T: Items a thread, or as many as fit.
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, Items>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;

  template <class T, class In, class Out>
  static constexpr std::size_t workspace_bytes(std::int64_t n) {
    return tile_workspace<tile_states<T>>(ceil_div(n, tile_items<T>)).bytes();
  }

  /// For n > 0. What comes before a tile costs one application, as when the tile before has published its inclusive
  /// sum; look-back adds a few for each that has not, below 130 for a window of 32.
  template <class T>
  static constexpr scan_cost cost(std::int64_t n) {
    const auto of_tile = [](std::int64_t valid) {
      return block_scan<T, Block>::template operations<items<T>>(valid, true);
    };
    const std::int64_t work = n / tile_items<T> * of_tile(tile_items<T>) + of_tile(n % tile_items<T>);
    return {1, static_cast<double>(work + ceil_div(n, tile_items<T>)), 2 * static_cast<double>(n) * sizeof(T)};
  }

  /// What a tile of a scan of n items has published, from a host copy of the workspace, of which the first byte had an
  /// address that is a multiple of workspace_layout::alignment. The value means nothing while the status is invalid.
  template <class T>
  static tile_reading<T> published(std::int64_t n, const std::byte* copy, std::int64_t tile) {
    return tile_states<T>::read_copy(copy, tile_workspace<tile_states<T>>(ceil_div(n, tile_items<T>)).of_states, tile);
  }

  /// Scans n > 0 items of `in` to `out` after `init`. n, init and total: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Count, class Op, class Init,
            class Total = no_total>
  static status run(Executor& ex, workspace w, In in, Out out, Count n, Op op, Init init, Total total = {}) {
    const tile_workspace<tile_states<T>> here(ceil_div(bound_of(n), tile_items<T>));
    const status cleared = here.clear(ex, w);
    if (cleared != status::success) return cleared;
    constexpr int at_once = single_pass_blocks<Carry, T, Op, Block::threads, items<T>>;
    return ex.launch(here.tiles, single_pass_kernel<Kind, T, Block, items<T>, Carry, at_once>{}, in, out, n, op, init,
                     total, here.states(w), here.ticket(w));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
