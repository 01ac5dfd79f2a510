// The place that each item of a tile has in the stable order of their groups, of which there may be thousands: the
// lanes of a warp that have the same group find one another and count as one, as in scan/block/stable_rank.cuh, and
// counters have 16 bits, so that each warp has room for its own.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstdint>

#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/stable_rank.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The place of each item of a tile in the order of their groups. Each warp has its own counters, two in a word, and
/// each thread the words of some neighbouring groups.
template <int Threads, int Items, int MostGroups>
struct tile_group_places {
  static constexpr int warps = Threads / warp_size;
  static constexpr int words_each = (MostGroups + 2 * Threads - 1) / (2 * Threads), groups_each = 2 * words_each;
  static_assert(std::has_single_bit(unsigned{words_each}), "the words of a thread are one access");
  static_assert(Threads * Items < 1 << 16, "a counter has 16 bits");
  using group_scan = block_scan<std::uint32_t, warp_scans<Threads>>;

  struct alignas(4 * words_each) counters {
    std::uint32_t word[words_each];
  };
  struct temp_storage {
    counters count[warps][(MostGroups + groups_each - 1) / groups_each];
    typename group_scan::temp_storage scan;
  };

  /// place[i] = where item i is in the tile, for those with a group; begin becomes where the caller's words of groups
  /// begin there. Returns how many items have a group. All threads call; a barrier is needed between the call and the
  /// next use of `s`.
  template <class Ctx>
  static UPSWEEP_DEVICE int find(Ctx& block, temp_storage& s, bucket_count groups, const std::uint32_t (&group)[Items],
                                 std::uint32_t (&place)[Items], counters& begin) {
    rank_in_warp(block, s, groups, group, place);
    block.barrier();  // every warp has counted
    const int mine = block.thread_rank();
    counters sum{};
    std::uint32_t items = 0, all = 0;
    if (mine < threads_with(groups)) {
      UPSWEEP_UNROLL
      for (int w = 0; w < warps; ++w) sum = sum_of(sum, s.count[w][mine]);
    }
    UPSWEEP_UNROLL
    for (int k = 0; k < words_each; ++k) items += (sum.word[k] & 0xffff) + (sum.word[k] >> 16);
    std::uint32_t first = group_scan::exclusive_scan(block, s.scan, items, 0u, plus{}, all);
    UPSWEEP_UNROLL
    for (int k = 0; k < words_each; ++k) {
      const std::uint32_t second = first + (sum.word[k] & 0xffff);
      begin.word[k] = first | second << 16;
      first = second + (sum.word[k] >> 16);
    }
    if (mine < threads_with(groups)) {
      counters next = begin;
      UPSWEEP_UNROLL
      for (int w = 0; w < warps; ++w) {
        const counters of_warp = s.count[w][mine];
        s.count[w][mine] = next;
        next = sum_of(next, of_warp);
      }
    }
    block.barrier();  // each warp's first places are known
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (group[i] != no_bucket) place[i] += half_of(word_of(s.count[block.warp()], group[i]), group[i]);
    }
    return static_cast<int>(all);
  }

  /// Of two neighbouring groups, that of `group`.
  static UPSWEEP_DEVICE std::uint32_t half_of(std::uint32_t word, std::uint32_t group) {
    return word >> shift_of(group) & 0xffff;
  }

 private:
  static UPSWEEP_DEVICE int threads_with(bucket_count groups) {
    return (groups.buckets + groups_each - 1) / groups_each;
  }
  static UPSWEEP_DEVICE int shift_of(std::uint32_t group) { return static_cast<int>(group % 2 * 16); }
  static UPSWEEP_DEVICE std::uint32_t& word_of(counters* count, std::uint32_t group) {
    return count[group / groups_each].word[group / 2 % words_each];
  }
  static UPSWEEP_DEVICE counters sum_of(counters a, const counters& b) {
    UPSWEEP_UNROLL
    for (int k = 0; k < words_each; ++k) a.word[k] += b.word[k];
    return a;
  }

  /// rank[i] = how many items of group[i] come before item i in its warp. A barrier follows.
  template <class Ctx>
  static UPSWEEP_DEVICE void rank_in_warp(Ctx& block, temp_storage& s, bucket_count groups,
                                          const std::uint32_t (&group)[Items], std::uint32_t (&rank)[Items]) {
    counters* const count = s.count[block.warp()];
    for (int t = block.lane(); t < threads_with(groups); t += warp_size) count[t] = {};
    // First the lanes that have the same group.
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) rank[i] = block.ballot(group[i] != no_bucket);
    UPSWEEP_NO_UNROLL
    for (int b = 0; b < groups.bits; ++b) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const bool is_set = (group[i] >> b & 1) != 0;
        const lane_mask set = block.ballot(is_set);
        rank[i] &= set ^ (is_set ? 0 : full_warp);
      }
    }
    block.warp_sync();  // count is clear
    const lane_mask lanes_below = (1u << block.lane()) - 1;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const lane_mask peers = rank[i];
      // Every lane reads before the lowest one of its group adds all of them.
      rank[i] = static_cast<std::uint32_t>(count_lanes(peers & lanes_below));
      const bool is_lowest = rank[i] == 0;
      if (group[i] != no_bucket) rank[i] += half_of(word_of(count, group[i]), group[i]);
      block.warp_sync();
      if (group[i] != no_bucket && is_lowest) {
        block.atomic_add(&word_of(count, group[i]),
                         static_cast<std::uint32_t>(count_lanes(peers)) << shift_of(group[i]), block_scope);
      }
      block.warp_sync();
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
