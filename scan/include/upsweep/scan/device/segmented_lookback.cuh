// Scan of segments in a single pass, by key or by offsets: look-back (decoupled_lookback.cuh) over tiles of items,
// however long the segments are. A tile in which a segment begins needs nothing from the tiles before to know what it
// hands to those after: its sum from the last head on, which is inclusive at once. So tiles publish sums without
// flags, and the chain of those that wait ends at each head. 2n items moved and the keys, or n/8 bytes three times;
// O(n) work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/prefetch.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/copy_items.cuh"
#include "upsweep/scan/device/segment_heads.cuh"
#include "upsweep/scan/device/segmented_tile.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/flow/tile_workspace.hpp"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Heads: those of segment_heads.cuh. The first item that is scanned is a head.
template <scan_kind Kind, class T, class Block, int Items, int BlocksAtOnce>
struct segmented_scan_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr int blocks_per_multiprocessor = BlocksAtOnce;
  static constexpr bool begins_early = true;
  using in_tile = segmented_tile<Kind, T, Block, Items>;
  static constexpr int tile_items = in_tile::tile_items;

  struct temp_storage {
    typename in_tile::temp_storage tile;
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<T, 1> before;
  };

  template <class Ctx, class Heads, class In, class Out, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Heads heads, In in, Out out, Op op, T init,
                                 tile_states<T> tiles, ordered_tile_id ids) const {
    const item_range items = heads.items();
    // Most likely the block's tile: its items come while the states are cleared and the ticket is taken.
    prefetch_tile<tile_items>(block, in + items.first, items.count, block.block_index());
    heads.template prefetch<tile_items>(block, block.block_index());
    block.wait_for_previous();
    const std::int64_t tile = ids.take(block, s.ticket);
    const std::int64_t first = tile * tile_items, left = items.count - first;
    if (left <= 0) return;
    in_tile::scan(block, s.tile, heads, in + (items.first + first), out + (items.first + first), first, left, op, init,
                  [&](const segment_sum<T>& sum, lane_mask word) -> const T& {
                    if (block.warp() == 0) {
                      publish(block, s, sum, (block.shuffle(word, 0) & 1) != 0, op, tiles, tile);
                    }
                    block.barrier();  // s.before is written, the block's scan has been read
                    return s.before[0];
                  });
  }

 private:
  /// One warp calls. Publishes what the tile hands on, and writes s.before where the tile goes on with a segment.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE void publish(Ctx& block, temp_storage& s, const segment_sum<T>& sum, bool begins_with_head,
                                     Op op, const tile_states<T>& tiles, std::int64_t tile) {
    if (block.lane() == 0) {
      tiles.publish(block, tile, sum.has_head ? tile_status::inclusive : tile_status::partial, sum.value);
    }
    if (begins_with_head) return;
    const T before = look_back(block, tiles, tile, op);
    if (block.lane() == 0) {
      if (!sum.has_head) tiles.publish(block, tile, tile_status::inclusive, op(before, sum.value));
      s.before[0] = before;
    }
  }
};

/// A policy of scans by key and of segmented scans: tiles of Block::threads x Items, or as many as fit. BlocksAtOnce:
/// for how many of its blocks a multiprocessor shall have registers; 0: the compiler decides. The heads of up to
/// MostSearched segments by offsets are searched by the tiles, those of more are marked before.
template <class Block, int Items, int BlocksAtOnce = 0, std::int64_t MostSearched = 0>
struct segmented_lookback {
  /// The tile of items of T with keys of Key.
  template <class T, class Key = T>
  static constexpr int items =
      items_that_fit<std::conditional_t<(sizeof(Key) > sizeof(T)), Key, T>, Block::threads, Items>();
  template <class T, class Key = T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T, Key>;

  template <class T, class Key>
  static constexpr std::size_t by_key_workspace_bytes(std::int64_t n) {
    return key_plan<T, Key>(n).bytes();
  }
  template <class T>
  static constexpr std::size_t segmented_workspace_bytes(std::int64_t n) {
    return segments_plan<T>(n).bytes();
  }
  template <class T>
  static constexpr std::size_t rows_workspace_bytes(std::int64_t n) {
    return workspace_of<T>(ceil_div(n, tile_items<T>)).bytes();
  }

  /// Scans n > 0 items of `in` to `out`, which may be `keys` too; `init` counts in an exclusive scan only.
  template <scan_kind Kind, class T, class Executor, class Keys, class In, class Out, class Op, class Equal>
  static status by_key(Executor& ex, workspace w, Keys keys, In in, Out out, std::int64_t n, Op op, T init,
                       Equal equal) {
    using key = typename std::iterator_traits<Keys>::value_type;
    const key_plan<T, key> p(n);
    status s = p.clear(ex, w);
    if (s != status::success) return s;
    key* last_keys = nullptr;
    if (may_be_same_array(keys, out)) {
      constexpr int threads = 256;
      last_keys = p.layout.at(w, p.last_keys);
      s = ex.launch(ceil_div(p.tiles - 1, threads), copy_items_kernel<threads>{},
                    last_keys_of_tiles<Keys>{keys, tile_items<T, key>}, last_keys, p.tiles - 1);
      if (s != status::success) return s;
    }
    return scan<Kind, items<T, key>>(ex, w, p, key_heads<Keys, Equal>{keys, equal, n, last_keys}, in, out, op, init);
  }

  /// The same for `segments` > 0 segments of the n > 0 items.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Offsets, class Op>
  static status segmented(Executor& ex, workspace w, In in, Out out, std::int64_t n, Offsets offsets,
                          std::int64_t segments, Op op, T init) {
    const segments_plan<T> p(n);
    if constexpr (MostSearched > 0) {
      if (segments <= MostSearched) {
        const workspace_of<T> without_words(p.tiles);
        const status s = w.bytes < p.bytes() ? status::invalid_value : without_words.clear(ex, w);
        if (s != status::success) return s;
        return scan<Kind, items<T>>(ex, w, without_words, searched_heads<Offsets>{{offsets, segments, n}}, in, out, op,
                                    init);
      }
    }
    status s = p.clear(ex, w);
    if (s != status::success) return s;
    lane_mask* const heads = p.layout.at(w, p.words);
    constexpr int threads = 256, segments_per_thread = 8;
    grid of_segments(ceil_div(segments, threads * segments_per_thread));
    of_segments.overlaps_next = true;
    s = ex.launch(of_segments, mark_heads_kernel<threads, segments_per_thread>{}, offsets, segments, n, heads);
    if (s != status::success) return s;
    return scan<Kind, items<T>>(ex, w, p, offset_heads<Offsets>{{offsets, segments, n}, heads}, in, out, op, init);
  }

  /// The same for segments of `length` items each that fill n.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status rows(Executor& ex, workspace w, In in, Out out, std::int64_t n, std::int64_t length, Op op, T init) {
    const workspace_of<T> p(ceil_div(n, tile_items<T>));
    const status s = p.clear(ex, w);
    if (s != status::success) return s;
    return scan<Kind, items<T>>(ex, w, p, row_heads{n, length}, in, out, op, init);
  }

 private:
  template <class T>
  using workspace_of = tile_workspace<tile_states<T>>;
  /// Its zero words have a bit an item, set for heads.
  template <class T>
  struct segments_plan : workspace_of<T> {
    constexpr explicit segments_plan(std::int64_t n)
        : workspace_of<T>(ceil_div(n, tile_items<T>), ceil_div(n, warp_size)) {}
  };
  template <class T, class Key>
  struct key_plan : workspace_of<T> {
    workspace_layout::slot<Key> last_keys;

    constexpr explicit key_plan(std::int64_t n)
        : workspace_of<T>(ceil_div(n, tile_items<T, Key>)),
          last_keys(this->layout.template add<Key>(this->tiles - 1)) {}
  };

  /// Iterators do not tell.
  template <class Keys, class Out>
  static bool may_be_same_array(Keys keys, Out out) {
    if constexpr (std::is_pointer_v<Keys> && std::is_pointer_v<Out>) {
      return address_of(keys) == address_of(out);
    }
    return true;
  }

  template <scan_kind Kind, int N, class T, class Executor, class Heads, class In, class Out, class Op>
  static status scan(Executor& ex, workspace w, const workspace_of<T>& p, Heads heads, In in, Out out, Op op, T init) {
    return ex.launch(p.tiles, segmented_scan_kernel<Kind, T, Block, N, BlocksAtOnce>{}, heads, in, out, op, init,
                     p.states(w), p.ticket(w));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
