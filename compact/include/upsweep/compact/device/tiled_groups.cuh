// Indices of items in the order of their groups, where tiles have room for a counter of each group: tiles count, then
// each group's counts are scanned over the tiles, then each tile puts its items (reduce, scan, scan; the tiles' order
// is the multi-split of Ashkiani et al., "GPU Multisplit", 2016). No block waits for another. What tiles tell is a word
// for each tile and group, so this is for no more items than that is short beside. The functor runs twice an item.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/device/grouping.cuh"
#include "upsweep/compact/device/split_tiles.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/padded_array.hpp"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// counts[tile * groups + g] = how many items of group g the tile has.
template <int Threads, int Items>
struct count_tiles_kernel : bucket_tile<Threads, Items> {
  static constexpr bool lets_next_begin = true;
  struct temp_storage {};

  template <class Ctx, class Count, class GroupOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Count count, bucket_count groups, GroupOf group_of,
                                 int copies_log2, std::uint32_t* counts) const {
    const lane_counters<Threads> counters{static_cast<std::uint32_t*>(block.dynamic_shared()), groups.buckets,
                                          copies_log2};
    counters.clear(block);
    std::uint32_t group[Items];
    this->buckets_of_tile(block, items_of(count), block.block_index() * this->tile_items, groups, group_of, group);
    block.barrier();  // the counters are clear
    counters.add(block, group);
    block.barrier();  // every warp has counted
    std::uint32_t* const mine = counts + block.block_index() * groups.buckets;
    counters.each_sum(block, [&](int g, std::uint32_t sum) { mine[g] = sum; });
  }
};

/// counts[tile * groups + g] becomes how many items of group g the tiles before have, and totals[g] how many all have.
/// A lane has a group, and each warp a share of the tiles.
struct scan_over_tiles_kernel {
  static constexpr int block_threads = 512;
  static constexpr int warps = block_threads / warp_size, at_once = 8;
  static constexpr bool lets_next_begin = true;

  struct temp_storage {
    std::uint32_t sum[warps][warp_size];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int groups, std::int64_t tiles, std::uint32_t* counts,
                                 std::uint64_t* totals) const {
    const std::int64_t g = block.block_index() * warp_size + block.lane();
    const std::int64_t begin = tiles * block.warp() / warps, end = tiles * (block.warp() + 1) / warps;
    const bool has_group = g < groups;
    std::uint32_t sum = 0;
    for (std::int64_t t = begin; t < end; t += at_once) {
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) sum += has_group && t + i < end ? counts[(t + i) * groups + g] : 0;
    }
    s.sum[block.warp()][block.lane()] = sum;
    block.barrier();  // s.sum is written
    if (!has_group) return;
    std::uint32_t before = 0;
    for (int w = 0; w < block.warp(); ++w) before += s.sum[w][block.lane()];
    for (std::int64_t t = begin; t < end; t += at_once) {
      std::uint32_t count[at_once];
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) count[i] = t + i < end ? counts[(t + i) * groups + g] : 0;
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (t + i < end) counts[(t + i) * groups + g] = before;
        before += count[i];
      }
    }
    if (block.warp() == warps - 1) totals[g] = before;
  }
};

/// How many items of its group come before an item in a tile. Each warp has counters of its own, two in a word.
template <int Threads, int Items, int MostGroups>
struct tile_group_ranks {
  static constexpr int warps = Threads / warp_size;
  static_assert(Threads * Items < 1 << 16, "a counter has 16 bits");

  struct temp_storage {
    std::uint32_t count[warps][(MostGroups + 1) / 2];
  };

  static UPSWEEP_DEVICE int words_of(bucket_count groups) { return (groups.buckets + 1) / 2; }

  /// rank[i] = how many items of group[i] come before item i in its warp. A barrier follows.
  template <class Ctx>
  static UPSWEEP_DEVICE void rank_in_warp(Ctx& block, temp_storage& s, bucket_count groups,
                                          const std::uint32_t (&group)[Items], std::uint32_t (&rank)[Items]) {
    std::uint32_t* const count = s.count[block.warp()];
    for (int w = block.lane(); w < words_of(groups); w += warp_size) count[w] = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) rank[i] = groups.lanes_of(block, group[i]);
    block.warp_sync();  // count is clear
    const lane_mask lanes_below = (1u << block.lane()) - 1;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const lane_mask peers = rank[i];
      // Every lane reads before the lowest one of its group adds all of them.
      rank[i] = static_cast<std::uint32_t>(count_lanes(peers & lanes_below));
      const bool is_lowest = rank[i] == 0;
      if (group[i] != no_bucket) rank[i] += counter(count, group[i]);
      block.warp_sync();
      if (group[i] != no_bucket && is_lowest) {
        block.atomic_add(&count[group[i] / 2], static_cast<std::uint32_t>(count_lanes(peers)) << shift_of(group[i]),
                         block_scope);
      }
      block.warp_sync();
    }
  }

  /// From counts to those of the warps before. A barrier follows.
  template <class Ctx>
  static UPSWEEP_DEVICE void scan_over_warps(Ctx& block, temp_storage& s, bucket_count groups) {
    for (int word = block.thread_rank(); word < words_of(groups); word += Threads) {
      std::uint32_t before = 0;
      UPSWEEP_UNROLL
      for (int w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = s.count[w][word];
        s.count[w][word] = before;
        before += of_warp;
      }
    }
  }

  /// Of the caller's warp.
  template <class Ctx>
  static UPSWEEP_DEVICE std::uint32_t in_warps_before(Ctx& block, const temp_storage& s, std::uint32_t group) {
    return counter(s.count[block.warp()], group);
  }

 private:
  static UPSWEEP_DEVICE int shift_of(std::uint32_t group) { return static_cast<int>(group % 2 * 16); }
  static UPSWEEP_DEVICE std::uint32_t counter(const std::uint32_t* count, std::uint32_t group) {
    return count[group / 2] >> shift_of(group) & 0xffff;
  }
};

/// Puts the items of each tile, of up to MostGroups groups. The first tile tells where groups begin.
template <int Threads, int Items, int MostGroups>
struct place_groups_kernel : bucket_tile<Threads, Items> {
  static constexpr bool begins_early = true;
  static constexpr int needs_sm = 0;
  static constexpr int groups_each = (MostGroups + Threads - 1) / Threads;
  using group_ranks = tile_group_ranks<Threads, Items, MostGroups>;
  using begin_scan = block_scan<std::uint64_t, warp_scans<Threads>>;

  struct temp_storage {
    typename group_ranks::temp_storage ranks;
    typename begin_scan::temp_storage scan;
    padded_array<std::uint64_t, MostGroups> to;  // where the tile's first item of a group goes
  };

  template <class Ctx, class Count, class GroupOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count count, bucket_count groups, GroupOf group_of,
                                 const std::uint32_t* before, const std::uint64_t* totals, std::uint64_t multiple,
                                 std::int64_t* offsets, integer_array permutation, integer_array inverse) const {
    const std::int64_t n = items_of(count), first = block.block_index() * this->tile_items;
    if (first >= n && first > 0) return;
    std::uint32_t group[Items], rank[Items];
    this->buckets_of_tile(block, n, first, groups, group_of, group);
    group_ranks::rank_in_warp(block, s.ranks, groups, group, rank);
    block.wait_for_previous();  // `before` and `totals` are written
    find_begins(block, s, groups.buckets, before + block.block_index() * groups.buckets, totals, multiple, offsets);
    block.barrier();  // every warp has counted
    group_ranks::scan_over_warps(block, s.ranks, groups);
    block.barrier();  // s.to and s.ranks are final
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = first + this->striped(block, i);
      if (group[i] != no_bucket) {
        const std::uint64_t to =
            s.to[static_cast<int>(group[i])] + group_ranks::in_warps_before(block, s.ranks, group[i]) + rank[i];
        if (permutation.wanted()) permutation.put(static_cast<std::int64_t>(to), at);
        if (inverse.wanted()) inverse.put(at, static_cast<std::int64_t>(to));
      } else if (at < n && inverse.wanted()) {
        inverse.put(at, -1);
      }
    }
  }

 private:
  /// A thread has neighbouring groups.
  template <class Ctx>
  static UPSWEEP_DEVICE void find_begins(Ctx& block, temp_storage& s, int groups, const std::uint32_t* before,
                                         const std::uint64_t* totals, std::uint64_t multiple, std::int64_t* offsets) {
    const int first = block.thread_rank() * groups_each;
    std::uint64_t places[groups_each], in_tiles_before[groups_each], mine = 0, all = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < groups_each; ++i) {
      const bool is_group = first + i < groups;
      places[i] = places_of_group(is_group ? totals[first + i] : 0, multiple);
      in_tiles_before[i] = is_group ? before[first + i] : 0;
      mine += places[i];
    }
    std::uint64_t begin = begin_scan::exclusive_scan(block, s.scan, mine, std::uint64_t{0}, plus{}, all);
    const bool tells = block.block_index() == 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < groups_each; ++i) {
      if (first + i >= groups) continue;
      s.to[first + i] = begin + in_tiles_before[i];
      if (tells) offsets[first + i] = static_cast<std::int64_t>(begin);
      begin += places[i];
    }
    if (tells && block.thread_rank() == 0) offsets[groups] = static_cast<std::int64_t>(all);
  }
};

/// The method, for up to MostGroups groups of at most 2^31 items. A tile has Threads * Items items; those of a group
/// are counted in up to MostCounters counters of shared memory.
template <int Threads = 512, int Items = 16, int MostGroups = 4096>
struct tiled_groups {
  static constexpr std::int64_t tile_items = std::int64_t{Threads} * Items;
  static constexpr int most_groups = MostGroups;
  static constexpr std::int64_t most_items = std::int64_t{1} << 31;

  static std::size_t workspace_bytes(std::int64_t n, int groups, std::int64_t /*multiple*/) {
    if (n <= 0 || groups <= 0 || groups > MostGroups) return 0;
    return plan(n, groups).layout.bytes();
  }

  template <class Executor, class Count, class GroupOf>
  static bool can_run(Executor& ex, const Count& n, int groups, const GroupOf&) {
    if (groups > MostGroups || bound_of(n) > most_items) return false;
    return by_room(groups, [&](auto kernel) {
      return ex
          .template can_run<decltype(kernel), decltype(count_argument(n)), bucket_count, GroupOf, const std::uint32_t*,
                            const std::uint64_t*, std::uint64_t, std::int64_t*, integer_array, integer_array>();
    });
  }

  template <class Executor, class Count, class GroupOf>
  static status run(Executor& ex, workspace w, const group_places& to, std::int64_t* offsets, Count n, int groups,
                    GroupOf group_of) {
    if (!is_right_grouping(to, offsets, n, groups, group_of)) return status::invalid_value;
    const std::int64_t bound = bound_of(n);
    if (bound == 0) return ex.fill(offsets, 0, (static_cast<std::size_t>(groups) + 1) * sizeof *offsets);
    if (w.data == nullptr || w.bytes < workspace_bytes(bound, groups, to.multiple)) return status::invalid_value;
    if (!can_run(ex, n, groups, group_of)) return status::not_supported;

    const auto p = plan(bound, groups);
    const std::int64_t tiles = ceil_div(bound, tile_items);
    const bucket_count numbers = bucket_count::of(groups);
    std::uint32_t* const counts = p.layout.at(w, p.counts);
    std::uint64_t* const totals = p.layout.at(w, p.totals);
    using counters = lane_counters<Threads>;
    const int copies_log2 = counters::copies_log2_of(groups, most_counters);
    grid each_tile(tiles, counters::used(groups, copies_log2) * sizeof(std::uint32_t));
    each_tile.overlaps_next = true;
    status s = ex.launch(each_tile, count_tiles_kernel<Threads, Items>{}, count_argument(n), numbers, group_of,
                         copies_log2, counts);
    if (s != status::success) return s;
    grid over_tiles(ceil_div(groups, warp_size));
    over_tiles.overlaps_next = true;
    s = ex.launch(over_tiles, scan_over_tiles_kernel{}, groups, tiles, counts, totals);
    if (s != status::success) return s;
    s = by_room(groups, [&](auto kernel) {
      return ex.launch(tiles, kernel, count_argument(n), numbers, group_of, static_cast<const std::uint32_t*>(counts),
                       static_cast<const std::uint64_t*>(totals), static_cast<std::uint64_t>(to.multiple), offsets,
                       to.permutation, to.inverse);
    });
    if (s != status::success) return s;
    return fill_left_over(ex, to, offsets, totals, groups);
  }

 private:
  static constexpr int most_counters = 8192, few_groups = 256;
  static_assert(MostGroups <= most_counters);

  /// What `f` makes of the kernel with room for so many groups.
  template <class F>
  static auto by_room(int groups, F f) {
    if (groups <= few_groups) return f(place_groups_kernel<Threads, Items, few_groups>{});
    return f(place_groups_kernel<Threads, Items, MostGroups>{});
  }

  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> counts;
    workspace_layout::slot<std::uint64_t> totals;
  };
  static layout_plan plan(std::int64_t n, int groups) {
    layout_plan p{};
    const auto each = static_cast<std::size_t>(groups);
    p.counts = p.layout.template add<std::uint32_t>(static_cast<std::size_t>(ceil_div(n, tile_items)) * each);
    p.totals = p.layout.template add<std::uint64_t>(each);
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
