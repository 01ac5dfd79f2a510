// One tile of a scan of segments by one block, from global memory to global memory; how it learns what comes before
// its first item is the strategy's.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_contract.hpp"
#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/segment_heads.cuh"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <scan_kind Kind, class T, class Block, int Items>
struct segmented_tile {
  static constexpr int block_threads = Block::threads;
  static constexpr int tile_items = block_threads * Items;
  using tile_io = block_io<T, block_threads, Items>;

  union temp_storage {
    typename tile_io::temp_storage io;
    typename Block::template temp_storage<segment_sum<T>> scan;
  };

  /// Scans the tile, the first of the `left` > 0 items at `in`, which is item `first` of those that are scanned. All
  /// threads call before_tile(sum, word) with what the tile hands on, and the lane's word of the warp's heads. It
  /// returns what comes before the tile, of no meaning where its first item is a head, and holds a barrier at its end.
  template <class Ctx, class Heads, class In, class Out, class Op, class BeforeTile>
  static UPSWEEP_DEVICE void scan(Ctx& block, temp_storage& s, const Heads& heads, In in, Out out, std::int64_t first,
                                  std::int64_t left, Op op, const T& init, BeforeTile before_tile) {
    if (left >= tile_items) {
      scan_some<true>(block, s, heads, in, out, first, tile_items, op, init, before_tile);
    } else {
      scan_some<false>(block, s, heads, in, out, first, static_cast<int>(left), op, init, before_tile);
    }
  }

  /// What the tile hands on, in all threads. As scan.
  template <class Ctx, class Heads, class In, class Op>
  static UPSWEEP_DEVICE segment_sum<T> reduce(Ctx& block, temp_storage& s, const Heads& heads, In in,
                                              std::int64_t first, std::int64_t left, Op op, const T& init) {
    T item[Items];
    lane_mask word;
    return left >= tile_items
               ? sum_of<true>(block, s, heads, in, first, tile_items, op, init, item, word).aggregate
               : sum_of<false>(block, s, heads, in, first, static_cast<int>(left), op, init, item, word).aggregate;
  }

 private:
  /// Items of the calling thread among `valid` ones; 0 or less for none.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE int items_of_thread(Ctx& block, int valid) {
    return Full ? Items : valid - block.thread_rank() * Items;
  }

  /// Loads the items and the words of their heads, and scans the threads' sums.
  template <bool Full, class Ctx, class Heads, class In, class Op>
  static UPSWEEP_DEVICE block_scan_result<segment_sum<T>> sum_of(Ctx& block, temp_storage& s, const Heads& heads, In in,
                                                                 std::int64_t first, int valid, Op op, const T& init,
                                                                 T (&item)[Items], lane_mask& word) {
    // The heads are on their way while the items are loaded.
    const auto loaded = heads.template load<Full, Items>(block, first, valid);
    tile_io::template load<Full>(block, s.io, in, valid, item);
    word = heads.template word<Full, Items>(block, loaded, first, valid);
    const thread_segments<Kind, T, Op> to_reduce{heads_of_thread<Items>(block, word), init, op};
    block.barrier();  // s.io has been read; s.scan may begin

    const int threads = Full ? block_threads : (valid + Items - 1) / Items;
    return Block::scan(block, s.scan, to_reduce.reduce(item, items_of_thread<Full>(block, valid)), segment_op<Op>{op},
                       threads);
  }

  template <bool Full, class Ctx, class Heads, class In, class Out, class Op, class BeforeTile>
  static UPSWEEP_DEVICE void scan_some(Ctx& block, temp_storage& s, const Heads& heads, In in, Out out,
                                       std::int64_t first, int valid, Op op, const T& init, BeforeTile before_tile) {
    T item[Items];
    lane_mask word;
    const auto sum = sum_of<Full>(block, s, heads, in, first, valid, op, init, item, word);
    const T& before_all = before_tile(sum.aggregate, word);

    // The heads are made anew: what is known of each item would be kept, in as many registers.
    const thread_segments<Kind, T, Op> to_scan{heads_of_thread<Items>(block, word), init, op};
    const int count = items_of_thread<Full>(block, valid);
    T before = item[0];
    if (count > 0 && (to_scan.heads & 1) == 0) {
      if (block.thread_rank() == 0) {
        before = before_all;
      } else {
        before = sum.exclusive.has_head ? sum.exclusive.value : static_cast<T>(op(before_all, sum.exclusive.value));
      }
    }
    to_scan.scan(item, count, before);
    tile_io::template store<Full>(block, s.io, out, valid, item);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
