// Stable split of items into buckets in two trips: the first counts the items of each bucket, and the second, the pass
// of split_pass.cuh, moves them. The functor runs three times an item.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/device/split_pass.cuh"
#include "upsweep/compact/device/split_tiles.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Any number of blocks count the elements of each bucket, each many tiles, in `begins`, which is zero as *ticket is.
/// The last one to be done makes of them where the buckets begin, and writes these places, and where the last bucket
/// ends, to `offsets`, unless that is null. On the way `words` of the look-back are cleared.
struct bucket_totals_kernel : split_tile {
  using scan = block_scan<std::uint64_t, warp_scans<block_threads>>;
  static_assert(block_threads >= max_buckets, "thread b has bucket b");

  struct temp_storage {
    bucket_counters counters;
    typename scan::temp_storage scan_storage;
    bool is_last;
  };

  template <class Ctx, class Count, class BucketOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count count, bucket_count buckets, BucketOf bucket_of,
                                 int copies_log2, std::uint32_t* ticket, std::uint64_t* begins, std::int64_t* offsets,
                                 std::uint32_t* words, std::int64_t num_words) const {
    const std::int64_t n = items_of(count), blocks = block.num_blocks();
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < num_words;
         i += blocks * block_threads) {
      words[i] = 0;
    }
    const auto counters = s.counters.of(buckets, copies_log2);
    counters.clear(block);
    block.barrier();  // the counters are clear
    UPSWEEP_NO_UNROLL
    for (std::int64_t first = block.block_index() * tile_items; first < n; first += blocks * tile_items) {
      std::uint32_t bucket[items_per_thread];
      buckets_of_tile(block, n, first, buckets, bucket_of, bucket);
      counters.add(block, bucket);
    }
    block.barrier();  // every warp has counted
    counters.each_sum(block, [&](int b, std::uint32_t sum) {
      if (sum != 0) block.atomic_add(begins + b, std::uint64_t{sum});
    });
    block.barrier();  // the sums of the whole block are there
    if (block.thread_rank() == 0) {
      block.fence();  // releases them
      s.is_last = block.atomic_add(ticket, 1u) == static_cast<std::uint32_t>(blocks - 1);
      block.fence();  // acquires those of the blocks before
    }
    block.barrier();  // s.is_last is known
    if (!s.is_last) return;
    const int b = block.thread_rank();
    const std::uint64_t mine = b < buckets.buckets ? begins[b] : 0;
    std::uint64_t all = 0;
    const std::uint64_t before = scan::exclusive_scan(block, s.scan_storage, mine, std::uint64_t{0}, plus{}, all);
    if (b < buckets.buckets) {
      begins[b] = before;
      if (offsets != nullptr) offsets[b] = static_cast<std::int64_t>(before);
    }
    if (b == 0 && offsets != nullptr) offsets[buckets.buckets] = static_cast<std::int64_t>(all);
  }
};

/// Of one array of items of at most 16 bytes that tell their buckets themselves. Up to `Narrow` items are placed by
/// 32-bit numbers, more by 64-bit ones.
template <std::int64_t Portion = std::int64_t{1} << 30, std::int64_t Narrow = 0xffffffff>
class onesweep_split {
 public:
  using pass = split_pass<Portion>;
  static_assert(Narrow <= 0xffffffff);

  template <class T>
  static constexpr bool moves = sizeof(T) <= 16;

  /// For items of any type that it moves.
  static std::size_t workspace_bytes(std::int64_t n, int buckets) {
    return n <= 0 || buckets <= 0 || buckets > max_buckets ? 0 : layout_plan(n, buckets).layout.bytes();
  }

  /// Moves each item to its bucket, and writes where each bucket begins, and the last one ends. All arguments have been
  /// checked, and n > 0. not_supported, and nothing has happened, where a block of the GPU has too little memory.
  template <class Executor, class Count, class BucketOf, class T>
  static status run(Executor& ex, workspace w, const T* in, T* out, Count n, int buckets, BucketOf bucket_of,
                    std::int64_t* offsets) {
    return bound_of(n) > Narrow ? run_by<std::uint64_t>(ex, w, in, out, n, buckets, bucket_of, offsets)
                                : run_by<std::uint32_t>(ex, w, in, out, n, buckets, bucket_of, offsets);
  }

  /// Each adds its counts to those of all: so four tiles or more of a block, unless multiprocessors would have none.
  static std::int64_t counting_blocks(std::int64_t multiprocessors, std::int64_t n) {
    const std::int64_t tiles = ceil_div(n, split_tile::tile_items);
    return (std::min)({tiles, (std::max)(multiprocessors, tiles / 4), multiprocessors * 8});
  }

 private:
  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> tickets;
    workspace_layout::slot<std::uint64_t> begins, turns;
    workspace_layout::slot<std::uint32_t> words;

    layout_plan(std::int64_t n, int buckets)
        : tickets(layout.add<std::uint32_t>(1 + pass::most_portions(n))),
          begins(layout.add<std::uint64_t>(buckets)),
          turns(layout.add<std::uint64_t>(pass::most_portions(n) > 1 ? 2 * buckets : 0)),
          words(layout.add<std::uint32_t>(pass::words_of(ceil_div(n, pass::least_tile_items), buckets))) {}
  };

  template <class Offset, class Executor, class Count, class BucketOf, class T>
  static status run_by(Executor& ex, workspace w, const T* in, T* out, Count n, int buckets, BucketOf bucket_of,
                       std::int64_t* offsets) {
    static_assert(pass::template tile_items<T> >= pass::least_tile_items, "the workspace is for any T");
    if (!pass::template can_run<T, Offset>(ex, in, out, n, bucket_of)) return status::not_supported;
    const bucket_count numbers = bucket_count::of(buckets);
    const std::int64_t bound = bound_of(n), tiles = ceil_div(bound, pass::template tile_items<T>);
    const layout_plan p(bound, buckets);
    std::uint32_t* const tickets = p.layout.at(w, p.tickets);
    std::uint64_t* const begins = p.layout.at(w, p.begins);
    std::uint32_t* const words = p.layout.at(w, p.words);
    status s = ex.clear(tickets, p.begins.offset + p.begins.bytes() - p.tickets.offset);
    if (s != status::success) return s;
    s = ex.launch(counting_blocks(ex.multiprocessors(), bound), bucket_totals_kernel{}, count_argument(n), numbers,
                  bucket_of, bucket_counters::copies_log2_of(buckets), tickets, begins, offsets, words,
                  pass::words_of(tiles, buckets));
    if (s != status::success) return s;
    return pass::template run<T, Offset>(ex, {tickets + 1, words, p.layout.at(w, p.turns)}, begins, in, out, n, numbers,
                                         bucket_of);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
