// The rank of each key among the keys of its tile by one digit, stably: warps match equal digits and count them (the
// warp multi-split of Ashkiani et al., "GPU Multisplit", 2016).
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

/// Tiles are warp-striped: item i of a lane stands at warp * 32 * Items + i * 32 + lane. Needs a thread a digit.
template <int Threads, int Items, int RadixBits>
struct digit_rank {
  static constexpr int radix = 1 << RadixBits;
  static constexpr int warps = Threads / warp_size;
  static_assert(Threads >= radix, "thread d sums up digit d");
  using digit_scan = block_scan<std::uint32_t, warp_scans<Threads>>;
  /// The digit of an item beyond the end of the tile: it is counted nowhere.
  static constexpr std::uint32_t no_digit = ~0u;

  struct temp_storage {
    std::uint32_t count[warps][radix];  // of each warp, then of the warps before it
    std::uint32_t first[radix];         // where each digit's keys begin in the tile
    typename digit_scan::temp_storage scan;
  };

  /// rank[i] = place of item i in the tile sorted by digit; unspecified for no_digit. s.first is kept for the caller.
  /// All threads call; a barrier must stand between the call and the next use of `s`.
  template <class Ctx>
  static UPSWEEP_DEVICE void rank_items(Ctx& block, temp_storage& s, const std::uint32_t (&digit)[Items],
                                        std::uint32_t (&rank)[Items]) {
    std::uint32_t* const count = s.count[block.warp()];
    for (int d = block.lane(); d < radix; d += warp_size) count[d] = 0;
    block.warp_sync();  // count is clear

    const lane_mask lanes_below = (1u << block.lane()) - 1;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const lane_mask peers = block.match_any(digit[i]);
      const int leader = lowest_lane(peers);
      std::uint32_t before = 0;
      if (block.lane() == leader && digit[i] != no_digit) {
        before = count[digit[i]];
        count[digit[i]] = before + static_cast<std::uint32_t>(count_lanes(peers));
      }
      rank[i] = block.shuffle(before, leader) + static_cast<std::uint32_t>(count_lanes(peers & lanes_below));
      block.warp_sync();  // the next item's leader may be another lane
    }
    block.barrier();  // every warp has counted

    std::uint32_t total = 0;
    const int d = block.thread_rank();
    if (d < radix) {
      for (int w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = s.count[w][d];
        s.count[w][d] = total;
        total += of_warp;
      }
    }
    const std::uint32_t first = digit_scan::exclusive_scan(block, s.scan, total, 0u, plus{});
    if (d < radix) s.first[d] = first;
    block.barrier();  // s.first and s.count are final

    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (digit[i] != no_digit) rank[i] += s.first[digit[i]] + count[digit[i]];
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
