// The stable rank by digit or bucket, for splits and the sort by upsweep and downsweep; onesweep and the sorts of few
// keys have cheaper ones for what they know of their keys (tile_places.cuh, few_keys_order.cuh): the place that each
// item of a tile has when the tile is sorted by them, stably. The lanes of a warp that have the same bucket find one
// another and count as one (the warp-wide multisplit of Ashkiani et al., "GPU Multisplit", 2016).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The bucket of an item that has none: it is counted nowhere.
inline constexpr std::uint32_t no_bucket = ~0u;

/// Buckets that are the digits of keys.
template <int Radix>
struct digit_buckets {
  static constexpr int buckets = Radix;
  static constexpr bool finds_all_first = false;  // keys and values leave no registers for it

  /// The lanes with the caller's digit. All lanes of the warp call.
  template <class Ctx>
  UPSWEEP_DEVICE lane_mask lanes_of(Ctx& block, std::uint32_t digit) const {
    return block.match_any(digit);
  }
};

/// Tiles are warp-striped: item i of a lane is item warp_striped<Items>(block, i) of the tile.
template <int Threads, int Items, int MostBuckets>
struct stable_rank {
  static constexpr int warps = Threads / warp_size;
  static_assert(Threads >= MostBuckets, "thread b sums up bucket b");
  using bucket_scan = block_scan<std::uint32_t, warp_scans<Threads>>;

  struct temp_storage {
    std::uint32_t count[warps][MostBuckets];  // of each warp, then of the warps before it
    std::uint32_t first[MostBuckets];         // where each bucket begins in the tile
    typename bucket_scan::temp_storage scan;
  };

  /// place[i] = the place of item i in the tile sorted by bucket; unspecified for no_bucket. Returns how many items
  /// have a bucket. `of` says how many buckets there are, which lanes have the caller's, and whether these are found
  /// for all items before the first is counted, which waits for nothing and takes registers (digit_buckets). s.first is
  /// kept for the caller. All threads call; a barrier is needed between the call and the next use of `s`.
  template <class Ctx, class Buckets>
  static UPSWEEP_DEVICE int rank_items(Ctx& block, temp_storage& s, const Buckets& of,
                                       const std::uint32_t (&bucket)[Items], std::uint32_t (&place)[Items]) {
    std::uint32_t* const count = s.count[block.warp()];
    for (int b = block.lane(); b < of.buckets; b += warp_size) count[b] = 0;
    block.warp_sync();  // count is clear

    const lane_mask lanes_below = (1u << block.lane()) - 1;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items && Buckets::finds_all_first; ++i) place[i] = of.lanes_of(block, bucket[i]);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const lane_mask peers = Buckets::finds_all_first ? place[i] : of.lanes_of(block, bucket[i]);
      // Every lane reads before the lowest one of its bucket adds all of them.
      std::uint32_t before = 0;
      if (bucket[i] != no_bucket) before = count[bucket[i]];
      block.warp_sync();
      if (bucket[i] != no_bucket && (peers & lanes_below) == 0) {
        count[bucket[i]] = before + static_cast<std::uint32_t>(count_lanes(peers));
      }
      block.warp_sync();
      place[i] = before + static_cast<std::uint32_t>(count_lanes(peers & lanes_below));
    }
    block.barrier();  // every warp has counted

    std::uint32_t total = 0;
    const int b = block.thread_rank();
    if (b < of.buckets) {
      for (int w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = s.count[w][b];
        s.count[w][b] = total;
        total += of_warp;
      }
    }
    std::uint32_t all = 0;
    const std::uint32_t first = bucket_scan::exclusive_scan(block, s.scan, total, 0u, plus{}, all);
    if (b < of.buckets) s.first[b] = first;
    block.barrier();  // s.first and s.count are final

    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (bucket[i] != no_bucket) place[i] += s.first[bucket[i]] + count[bucket[i]];
    }
    return static_cast<int>(all);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
