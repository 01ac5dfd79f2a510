// Scan of one tile by one block, from global memory to global memory; the strategies differ in what comes before it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/right_identity.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class T, class Block, int Items>
struct tile_scan {
  static constexpr int block_threads = Block::threads;
  static constexpr int tile_items = block_threads * Items;
  using tile_io = block_io<T, block_threads, Items>;
  using items_scan = block_scan<T, Block>;

  union temp_storage {
    typename tile_io::temp_storage io;
    typename items_scan::temp_storage scan;
  };

  /// Scans the tile's items of the n at `in` to `out`, which may be `in`. All threads call `prefix_of(aggregate)` with
  /// the sum of the tile; it returns the carry<T> before it. Without a carry, the first item of an exclusive scan has
  /// no prefix: what is written there means nothing. A barrier is needed between the call and the next use of `s`.
  template <scan_kind Kind, class Ctx, class In, class Out, class Op, class Prefix>
  static UPSWEEP_DEVICE void scan(Ctx& block, temp_storage& s, In in, Out out, std::int64_t n, std::int64_t tile, Op op,
                                  Prefix prefix_of) {
    const std::int64_t first = tile * tile_items;
    const bool is_full = n - first >= tile_items;
    const int valid = is_full ? tile_items : static_cast<int>(n - first);
    T item[Items];
    if (is_full) {
      tile_io::template load<true>(block, s.io, in + first, valid, item);
    } else {
      tile_io::template load<false>(block, s.io, in + first, valid, item, right_identity<Op, T>());
    }
    block.barrier();  // s.io has been read; s.scan may begin
    constexpr bool fills_up = has_right_identity<Op, T>;
    if (fills_up || is_full) {
      items_scan::template scan_items<Kind, true>(block, s.scan, item, tile_items, op, prefix_of);
    } else if constexpr (!fills_up) {
      items_scan::template scan_items<Kind, false>(block, s.scan, item, valid, op, prefix_of);
    }
    block.barrier();  // s.scan has been read
    if (is_full) {
      tile_io::template store<true>(block, s.io, out + first, valid, item);
    } else {
      tile_io::template store<false>(block, s.io, out + first, valid, item);
    }
  }

  /// The sum of the tile's items, in all threads. As scan.
  template <class Ctx, class In, class Op>
  static UPSWEEP_DEVICE T reduce(Ctx& block, temp_storage& s, In in, std::int64_t n, std::int64_t tile, Op op) {
    const std::int64_t first = tile * tile_items;
    return n - first >= tile_items ? reduce_some<true>(block, s, in + first, tile_items, op)
                                   : reduce_some<false>(block, s, in + first, static_cast<int>(n - first), op);
  }

 private:
  template <bool Full, class Ctx, class In, class Op>
  static UPSWEEP_DEVICE T reduce_some(Ctx& block, temp_storage& s, In in, int valid, Op op) {
    T item[Items];
    tile_io::template load<Full>(block, s.io, in, valid, item);
    block.barrier();  // s.io has been read; s.scan may begin
    return items_scan::template reduce_items<Full>(block, s.scan, item, valid, op);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
