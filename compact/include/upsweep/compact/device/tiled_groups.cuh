// Indices of items in the order of their groups, where tiles have room for a counter of each group: tiles count, then
// each group's counts are scanned over the tiles, then each tile puts its items (reduce, scan, scan; the tiles' order
// is the multi-split of Ashkiani et al., "GPU Multisplit", 2016). No block waits for another. What tiles tell is a word
// for each tile and group, so this is for no more items than that is short beside. The functor runs twice an item.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/block/tile_group_places.cuh"
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
  static constexpr int block_threads = 256;
  static constexpr int warps = block_threads / warp_size, at_once = 16;
  static constexpr int blocks_per_multiprocessor = 4;  // beside the kernels before and after
  static constexpr bool lets_next_begin = true;

  struct temp_storage {
    std::uint32_t sum[warps][warp_size];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int groups, std::int64_t tiles, std::uint32_t* counts,
                                 std::uint64_t* totals) const {
    const int g = static_cast<int>(block.block_index()) * warp_size + block.lane();
    const std::int64_t first = tiles * block.warp() / warps;
    const int mine = static_cast<int>(tiles * (block.warp() + 1) / warps - first);
    std::uint32_t* const column = counts + (first * groups + g);
    std::uint32_t sum = 0;
    for (int t = 0; t < mine; t += at_once) {
      const std::uint32_t* const from = column + std::int64_t{t} * groups;
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) sum += g < groups && t + i < mine ? from[i * groups] : 0;
    }
    s.sum[block.warp()][block.lane()] = sum;
    block.barrier();  // s.sum is written
    if (g >= groups) return;
    std::uint32_t before = 0;
    for (int w = 0; w < block.warp(); ++w) before += s.sum[w][block.lane()];
    for (int t = 0; t < mine; t += at_once) {
      std::uint32_t* const at = column + std::int64_t{t} * groups;
      std::uint32_t count[at_once];
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) count[i] = t + i < mine ? at[i * groups] : 0;
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (t + i < mine) at[i * groups] = before;
        before += count[i];
      }
    }
    if (block.warp() == warps - 1) totals[g] = before;
  }
};

/// Puts the items of each tile, of up to MostGroups groups. The first tile tells where groups begin.
template <int Threads, int Items, int MostGroups>
struct place_groups_kernel : bucket_tile<Threads, Items> {
  static constexpr int needs_sm = 0;
  static constexpr int blocks_per_multiprocessor = 2;
  static constexpr bool begins_early = true;
  using places = tile_group_places<Threads, Items, MostGroups>;
  using begin_scan = block_scan<std::uint64_t, warp_scans<Threads>>;
  static_assert(MostGroups < 1 << 16 && Threads * Items <= 1 << 16);

  struct temp_storage {
    union {
      typename places::temp_storage places_storage;
      std::uint32_t item_at[Threads * Items];  // in the order of groups: the group, and where it was in the tile
    };
    typename begin_scan::temp_storage scan;
    padded_array<std::uint64_t, MostGroups> to;  // where items of a group go, less their first place in the tile
  };

  template <class Ctx, class Count, class GroupOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count count, bucket_count groups, GroupOf group_of,
                                 const std::uint32_t* before, const std::uint64_t* totals, std::uint64_t multiple,
                                 std::int64_t* offsets, integer_array permutation, integer_array inverse) const {
    const std::int64_t n = items_of(count), first = block.block_index() * this->tile_items;
    if (first >= n && first > 0) return;
    std::uint32_t group[Items], place[Items];
    this->buckets_of_tile(block, n, first, groups, group_of, group);
    typename places::counters begin;
    const int moved = places::find(block, s.places_storage, groups, group, place, begin);
    block.barrier();  // s.places_storage has been read
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (group[i] == no_bucket) continue;
      s.item_at[place[i]] = group[i] << 16 | static_cast<std::uint32_t>(warp_striped<Items>(block, i));
    }
    block.wait_for_previous();  // `before` and `totals` are written
    find_begins(block, s, groups.buckets, begin, before + block.block_index() * groups.buckets, totals, multiple,
                offsets);
    block.barrier();  // s.to and s.item_at are written
    if (permutation.wanted()) {
      UPSWEEP_NO_UNROLL
      for (int at = block.thread_rank(); at < moved; at += Threads) {
        const std::uint32_t item = s.item_at[at];
        permutation.put(static_cast<std::int64_t>(s.to[static_cast<int>(item >> 16)]) + at, first + (item & 0xffff));
      }
    }
    if (!inverse.wanted()) return;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = first + warp_striped<Items>(block, i);
      if (at >= n) continue;
      const bool has_group = group[i] != no_bucket;
      inverse.put(at, has_group ? static_cast<std::int64_t>(s.to[static_cast<int>(group[i])] + place[i]) : -1);
    }
  }

 private:
  template <class Ctx>
  static UPSWEEP_DEVICE void find_begins(Ctx& block, temp_storage& s, int groups, typename places::counters begin,
                                         const std::uint32_t* before, const std::uint64_t* totals,
                                         std::uint64_t multiple, std::int64_t* offsets) {
    constexpr int each = places::groups_each;
    const int first = block.thread_rank() * each;
    std::uint64_t room[each], mine = 0, all = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < each; ++i) {
      room[i] = first + i < groups ? places_of_group(totals[first + i], multiple) : 0;
      mine += room[i];
    }
    std::uint64_t from = begin_scan::exclusive_scan(block, s.scan, mine, std::uint64_t{0}, plus{}, all);
    const bool tells = block.block_index() == 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < each; ++i) {
      if (first + i >= groups) continue;
      s.to[first + i] = from + before[first + i] - places::half_of(begin.word[i / 2], static_cast<std::uint32_t>(i));
      if (tells) offsets[first + i] = static_cast<std::int64_t>(from);
      from += room[i];
    }
    if (tells && block.thread_rank() == 0) offsets[groups] = static_cast<std::int64_t>(all);
  }
};

/// The method, for up to MostGroups groups of at most MostItems items, where tiles tell up to MostWords words. A tile
/// has Threads * Items items, or twice as many where there are more tiles than multiprocessors: ShortTiles, or twice
/// that of up to FewGroups groups, of which two tiles fit a multiprocessor.
template <int Threads = 512, int Items = 8, int FewGroups = 256, int MostGroups = 4096, int ShortTiles = 128,
          std::int64_t MostItems = std::int64_t{1} << 24, std::int64_t MostWords = std::int64_t{1} << 22>
struct tiled_groups {
  static constexpr std::int64_t tile_items = std::int64_t{Threads} * Items;
  static_assert(MostItems <= std::int64_t{1} << 31, "tiles publish words of 32 bits");

  static bool takes(std::int64_t n, int groups) {
    return groups <= MostGroups && n <= MostItems && words_of(n, groups) <= MostWords;
  }

  /// Of what it does not take, as much as of the most that it does: so more items or groups never need less.
  static std::size_t workspace_bytes(std::int64_t n, int groups, std::int64_t /*multiple*/) {
    return n <= 0 || groups <= 0 ? 0 : plan(n, groups).layout.bytes();
  }

  template <class Executor, class Count, class GroupOf>
  static bool can_run(Executor& ex, const Count& n, int groups, const GroupOf&) {
    return takes(bound_of(n), groups) &&
           by_shape(bound_of(n), groups, [&]<class Counting, class Place>(Counting, Place) {
             return ex
                 .template can_run<Place, decltype(count_argument(n)), bucket_count, GroupOf, const std::uint32_t*,
                                   const std::uint64_t*, std::uint64_t, std::int64_t*, integer_array, integer_array>();
           });
  }

  template <class Executor, class Count, class GroupOf>
  static status run(Executor& ex, workspace w, const group_places& to, std::int64_t* offsets, Count n, int groups,
                    GroupOf group_of) {
    if (!can_run(ex, n, groups, group_of)) return status::not_supported;
    return by_shape(bound_of(n), groups, [&](auto count, auto place) {
      return run_shape(ex, w, to, offsets, n, groups, group_of, count, place);
    });
  }

 private:
  using counters = lane_counters<Threads>;
  static constexpr int most_counters = 4096;  // of a tile, in shared memory
  static_assert(MostGroups <= most_counters);

  /// What f(count, place) makes of the kernels for these items and groups.
  template <class F>
  static auto by_shape(std::int64_t n, int groups, F f) {
    const bool is_few = groups <= FewGroups, is_long = n > (is_few ? 2 : 1) * ShortTiles * tile_items;
    using short_count = count_tiles_kernel<Threads, Items>;
    using long_count = count_tiles_kernel<Threads, 2 * Items>;
    if (is_few && !is_long) return f(short_count{}, place_groups_kernel<Threads, Items, FewGroups>{});
    if (is_few) return f(long_count{}, place_groups_kernel<Threads, 2 * Items, FewGroups>{});
    if (!is_long) return f(short_count{}, place_groups_kernel<Threads, Items, MostGroups>{});
    return f(long_count{}, place_groups_kernel<Threads, 2 * Items, MostGroups>{});
  }

  template <class Executor, class Count, class GroupOf, class CountKernel, class PlaceKernel>
  static status run_shape(Executor& ex, workspace w, const group_places& to, std::int64_t* offsets, Count n, int groups,
                          const GroupOf& group_of, CountKernel count, PlaceKernel place) {
    const auto p = plan(bound_of(n), groups);
    const std::int64_t tiles = ceil_div(bound_of(n), PlaceKernel::tile_items);
    const bucket_count numbers = bucket_count::of(groups);
    std::uint32_t* const counts = p.layout.at(w, p.counts);
    std::uint64_t* const totals = p.layout.at(w, p.totals);
    const int copies_log2 = counters::copies_log2_of(groups, most_counters);
    grid each_tile(tiles, counters::used(groups, copies_log2) * sizeof(std::uint32_t));
    each_tile.overlaps_next = true;
    status s = ex.launch(each_tile, count, count_argument(n), numbers, group_of, copies_log2, counts);
    if (s != status::success) return s;
    grid over_tiles(ceil_div(groups, warp_size));
    over_tiles.overlaps_next = true;
    s = ex.launch(over_tiles, scan_over_tiles_kernel{}, groups, tiles, counts, totals);
    if (s != status::success) return s;
    s = ex.launch(tiles, place, count_argument(n), numbers, group_of, static_cast<const std::uint32_t*>(counts),
                  static_cast<const std::uint64_t*>(totals), static_cast<std::uint64_t>(to.multiple), offsets,
                  to.permutation, to.inverse);
    if (s != status::success) return s;
    return fill_left_over(ex, to, offsets, totals, groups);
  }

  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> counts;
    workspace_layout::slot<std::uint64_t> totals;
  };
  /// Of short tiles, of which there are more.
  static std::int64_t words_of(std::int64_t n, int groups) { return ceil_div(n, tile_items) * groups; }
  static layout_plan plan(std::int64_t n, int groups) {
    layout_plan p{};
    const std::int64_t words = words_of((std::min)(n, MostItems), (std::min)(groups, MostGroups));
    p.counts = p.layout.template add<std::uint32_t>(static_cast<std::size_t>((std::min)(words, MostWords)));
    p.totals = p.layout.template add<std::uint64_t>(static_cast<std::size_t>((std::min)(groups, MostGroups)));
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
