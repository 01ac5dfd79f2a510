// How many items each of up to 2^16 groups has, of which a functor gives each item one: for histograms, and before
// items are grouped. Blocks count in shared memory where the counters fit there, and then add their counts to those of
// all; else every item is added to those of all at once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/device/split_tiles.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

inline constexpr int max_groups = 1 << 16;

inline constexpr int counting_threads = 256;

/// Adds the items of each group to `counts`. Blocks take tiles in turns. `copies_log2` is that of the counters in
/// dynamic shared memory, or below 0 where there are none. What else is to be done on the way, and by the last block to
/// be done, `beside` does: begin(block) before all, leave(i) for an item that has no group, and, if it has_end,
/// is_last(block) by a thread of each block when that has added its counts, and end(block, s) by all threads of one.
template <class Beside, int Items>
struct count_groups_kernel {
  static constexpr int block_threads = counting_threads;
  static constexpr int tile_items = block_threads * Items;
  static constexpr bool lets_next_begin = true;

  struct temp_storage {
    bool is_last;
    typename Beside::temp_storage end;
  };

  template <class Ctx, class Count, class GroupOf, class Counter>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count count, bucket_count groups, GroupOf group_of,
                                 int copies_log2, Counter* counts, Beside beside) const {
    const std::int64_t n = items_of(count), blocks = block.num_blocks();
    beside.begin(block);
    const lane_counters<block_threads> counters{static_cast<std::uint32_t*>(block.dynamic_shared()), groups.buckets,
                                                copies_log2};
    const bool in_shared = copies_log2 >= 0;
    if (in_shared) {
      counters.clear(block);
      block.barrier();  // the counters of the block are clear
    }
    UPSWEEP_NO_UNROLL
    for (std::int64_t first = block.block_index() * tile_items; first < n; first += blocks * tile_items) {
      std::uint32_t group[Items];
      groups_of_tile(block, n, first, groups, group_of, beside, group);
      if (in_shared) {
        counters.add(block, group);
      } else {
        UPSWEEP_UNROLL
        for (int i = 0; i < Items; ++i) {
          if (group[i] != no_bucket) block.atomic_add(counts + group[i], Counter{1});
        }
      }
    }
    if (in_shared) {
      block.barrier();  // every warp of the block has counted
      counters.each_sum(block, [&](int g, std::uint32_t sum) {
        if (sum != 0) block.atomic_add(counts + g, Counter{sum});
      });
    }
    if constexpr (Beside::has_end) {
      block.barrier();  // the counts of the whole block are added
      if (block.thread_rank() == 0) s.is_last = beside.is_last(block);
      block.barrier();  // s.is_last is known to all
      if (s.is_last) beside.end(block, s.end);
    }
  }

 private:
  template <class Ctx, class GroupOf>
  static UPSWEEP_DEVICE void groups_of_tile(Ctx& block, std::int64_t n, std::int64_t first, bucket_count groups,
                                            const GroupOf& group_of, const Beside& beside,
                                            std::uint32_t (&group)[Items]) {
    const std::int64_t mine = first + block.thread_rank();
    if (n - first >= tile_items) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) group[i] = groups.number(group_of(mine + i * block_threads));
    } else {
      for (int i = 0; i < Items; ++i) {
        const std::int64_t at = mine + i * block_threads;
        group[i] = at < n ? groups.number(group_of(at)) : no_bucket;
      }
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = mine + i * block_threads;
      if (group[i] == no_bucket && at < n) beside.leave(at);
    }
  }
};

/// Nothing is done beside the count.
struct count_alone {
  static constexpr bool has_end = false;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void begin(Ctx&) const {}
  UPSWEEP_DEVICE void leave(std::int64_t) const {}
};

/// Counts in up to SharedBytes of shared memory a block; more groups are counted without. A thread has Items of a tile.
template <std::size_t SharedBytes = 46 * 1024, int Items = 8>
struct group_counting {
  static constexpr std::int64_t tile_items = counting_threads * Items;

  /// counts[g] += the items of group g, for n > 0. overlaps_next: see grid.
  template <class Executor, class Count, class GroupOf, class Counter, class Beside = count_alone>
  static status run(Executor& ex, Count n, int groups, const GroupOf& group_of, Counter* counts,
                    const Beside& beside = {}, bool overlaps_next = false) {
    using counters = lane_counters<counting_threads>;
    const std::int64_t bound = bound_of(n), tiles = ceil_div(bound, tile_items);
    const bool in_shared = counters::used(groups, 0) * sizeof(std::uint32_t) <= SharedBytes;
    const int copies_log2 = in_shared ? counters::copies_log2_of(groups, few_counters) : -1;
    // A block adds all its counts to those of all: so it counts some tiles, unless multiprocessors would have none. It
    // counts no more items of a group than 32 bits hold.
    const std::int64_t multiprocessors = ex.multiprocessors(),
                       worth = ceil_div(groups, tile_items / 4) + (in_shared ? 1 : 0), resident = multiprocessors * 8;
    const std::int64_t blocks = (std::max)((std::min)({tiles, (std::max)(multiprocessors, tiles / worth), resident}),
                                           ceil_div(bound, std::int64_t{1} << 31));
    grid shape(blocks);
    shape.overlaps_next = overlaps_next;
    shape.dynamic_bytes = in_shared ? counters::used(groups, copies_log2) * sizeof(std::uint32_t) : 0;
    return ex.launch(shape, count_groups_kernel<Beside, Items>{}, count_argument(n), bucket_count::of(groups), group_of,
                     copies_log2, counts, beside);
  }

 private:
  static constexpr int few_counters = 2048;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
