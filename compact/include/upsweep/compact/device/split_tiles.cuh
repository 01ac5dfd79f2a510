// The tiles of a split: how many elements of each bucket one has, and where they go.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/stable_rank.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles are warp-striped: item i of a lane is item warp_striped<Items>(block, i) of the tile.
template <int Threads, int Items>
struct bucket_tile {
  static constexpr int block_threads = Threads;
  static constexpr int items_per_thread = Items;
  static constexpr int tile_items = Threads * Items;

  static UPSWEEP_DEVICE int valid_items(std::int64_t n, std::int64_t first) {
    return n - first >= tile_items ? tile_items : n > first ? static_cast<int>(n - first) : 0;
  }

  /// The buckets of a thread's items of the tile from `first` on; no_bucket after the end, and where the functor gives
  /// a number that no bucket has.
  template <class Ctx, class BucketOf>
  static UPSWEEP_DEVICE void buckets_of_tile(Ctx& block, std::int64_t n, std::int64_t first, bucket_count buckets,
                                             BucketOf bucket_of, std::uint32_t (&bucket)[items_per_thread]) {
    const int valid = valid_items(n, first), mine = warp_striped<Items>(block, 0);
    if (valid == tile_items) {
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        bucket[i] = buckets.number(bucket_of(first + mine + i * warp_size));
      }
    } else {
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = mine + i * warp_size;
        bucket[i] = at < valid ? buckets.number(bucket_of(first + at)) : no_bucket;
      }
    }
  }
};

/// The tile of the kernels that go over arrays.
struct split_tile : bucket_tile<256, 12> {
  using rank = stable_rank<block_threads, items_per_thread, max_buckets>;
};

/// Counters of a block for the buckets of its items, in shared memory: those of a bucket copy after copy. Lanes count
/// by themselves where there is room for it, so that one bucket for all is not one address for all.
template <int Threads>
struct lane_counters {
  static_assert(Threads % warp_size == 0);
  std::uint32_t* count;
  int buckets;
  int copies_log2;

  /// How many copies `counters` counters have room for, at least one and at most one a lane.
  static constexpr int copies_log2_of(int buckets, int counters) {
    int log2 = 5;
    while (log2 > 0 && buckets << log2 > counters) --log2;
    return log2;
  }
  /// How many counters are used: whole rows.
  static UPSWEEP_HOST_DEVICE constexpr int used(int buckets, int copies_log2) {
    return ((buckets << copies_log2) + warp_size - 1) / warp_size * warp_size;
  }

  /// A barrier follows.
  template <class Ctx>
  UPSWEEP_DEVICE void clear(Ctx& block) const {
    for (int c = block.thread_rank(); c < used(buckets, copies_log2); c += Threads) count[c] = 0;
  }
  /// Counts the caller's items. A barrier follows the last call.
  template <class Ctx, int Items>
  UPSWEEP_DEVICE void add(Ctx& block, const std::uint32_t (&bucket)[Items]) const {
    std::uint32_t* const mine = count + (block.lane() & ((1 << copies_log2) - 1));
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (bucket[i] != no_bucket) block.atomic_add(mine + (bucket[i] << copies_log2), 1u, block_scope);
    }
  }
  /// Calls tell(bucket, items) by one thread for each bucket, neighbours by neighbours.
  template <class Ctx, class Tell>
  UPSWEEP_DEVICE void each_sum(Ctx& block, Tell tell) const {
    const int copies = 1 << copies_log2;
    const int first = block.lane() >> (5 - copies_log2);  // so that the lanes of a warp read different banks
    for (int b = block.thread_rank(); b < buckets; b += Threads) {
      std::uint32_t sum = 0;
      for (int k = 0; k < copies; ++k) sum += count[(b << copies_log2) + ((first + k) & (copies - 1))];
      tell(b, sum);
    }
  }
};

/// Those of up to max_buckets buckets.
struct bucket_counters : split_tile {
  static constexpr int counters = 2048;
  static constexpr int copies_log2_of(int buckets) {
    return lane_counters<block_threads>::copies_log2_of(buckets, counters);
  }
  static_assert(max_buckets <= counters);

  std::uint32_t count[counters];

  UPSWEEP_DEVICE lane_counters<block_threads> of(bucket_count buckets, int copies_log2) {
    return {count, buckets.buckets, copies_log2};
  }
};

/// counts[bucket * tiles + tile] = the tile's elements of that bucket, and 0 after the last.
template <class Offset>
struct bucket_histogram_kernel : split_tile {
  using temp_storage = bucket_counters;

  template <class Ctx, class Count, class BucketOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count n, bucket_count buckets, BucketOf bucket_of,
                                 int copies_log2, Offset* counts) const {
    const auto counters = s.of(buckets, copies_log2);
    counters.clear(block);
    std::uint32_t bucket[items_per_thread];
    buckets_of_tile(block, items_of(n), block.block_index() * tile_items, buckets, bucket_of, bucket);
    block.barrier();  // s.count is clear
    counters.add(block, bucket);
    block.barrier();  // every warp has counted
    const std::int64_t tiles = block.num_blocks();
    counters.each_sum(block, [&](int b, std::uint32_t sum) { counts[b * tiles + block.block_index()] = sum; });
    if (block.block_index() == 0 && block.thread_rank() == 0) counts[buckets.buckets * tiles] = 0;
  }
};

/// Where a tile's elements go: element `place` in the order of buckets to to[bucket_at[place]] + place.
template <class Offset>
struct split_places : split_tile {
  struct temp_storage {
    typename rank::temp_storage ranks;
    Offset to[max_buckets];  // where the tile's elements of a bucket go, less their first place in the tile
    uninitialized_array<std::uint8_t, tile_items> bucket_at;
    uninitialized_array<std::uint16_t, tile_items> source_at;  // the element's place in the input's tile
  };

  /// All threads call, and it ends with a barrier. Returns how many elements go anywhere. The first tile writes where
  /// the buckets begin and the last one ends.
  template <class Ctx, class BucketOf>
  static UPSWEEP_DEVICE int find(Ctx& block, temp_storage& s, std::int64_t n, bucket_count buckets, BucketOf bucket_of,
                                 const Offset* counts, std::int64_t* offsets) {
    std::uint32_t bucket[items_per_thread], place[items_per_thread];
    const std::int64_t tiles = block.num_blocks();
    if (block.block_index() == 0 && offsets != nullptr) {
      for (int b = block.thread_rank(); b <= buckets.buckets; b += block_threads) {
        offsets[b] = static_cast<std::int64_t>(counts[b * tiles]);
      }
    }
    buckets_of_tile(block, n, block.block_index() * tile_items, buckets, bucket_of, bucket);
    const int moved = rank::rank_items(block, s.ranks, buckets, bucket, place);
    for (int b = block.thread_rank(); b < buckets.buckets; b += block_threads) {
      s.to[b] = counts[b * tiles + block.block_index()] - s.ranks.first[b];
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      if (bucket[i] == no_bucket) continue;
      s.bucket_at[static_cast<int>(place[i])] = static_cast<std::uint8_t>(bucket[i]);
      s.source_at[static_cast<int>(place[i])] = static_cast<std::uint16_t>(warp_striped<items_per_thread>(block, i));
    }
    block.barrier();  // s.to, s.bucket_at and s.source_at are written
    return moved;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
