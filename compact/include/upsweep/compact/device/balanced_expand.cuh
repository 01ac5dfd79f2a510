// Expansion: item i becomes count[i] outputs. A scan of the counts tells where those of each item begin. Then tiles of
// as many outputs each, however many items these are of, find by bisection which items they are, mark in shared memory
// where one of them begins, and each output looks for the last mark before it: the load-balancing search of moderngpu
// (Baxter 2013) with ballots for a merge. Nobody waits for another block.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/request.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/default_policy.hpp"
#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

inline constexpr std::int64_t most_outputs = (std::numeric_limits<std::int64_t>::max)();

/// The counts of any iterator of integers: what is below 0 is 0.
template <class Counts>
struct counts_from_zero {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using pointer = const value_type*;
  using reference = value_type;

  Counts counts;
  std::int64_t at = 0;

  UPSWEEP_HOST_DEVICE value_type operator*() const { return (*this)[0]; }
  UPSWEEP_HOST_DEVICE value_type operator[](std::int64_t i) const {
    using count = item_t<Counts>;
    const count c = counts[at + i];
    if constexpr (std::is_signed_v<count>) {
      return c > 0 ? static_cast<value_type>(c) : 0;
    } else if constexpr (sizeof(count) < 8) {
      return static_cast<value_type>(c);
    } else {
      return c < static_cast<std::uint64_t>(most_outputs) ? static_cast<value_type>(c) : most_outputs;
    }
  }
  UPSWEEP_HOST_DEVICE counts_from_zero operator+(std::int64_t n) const { return {counts, at + n}; }
};

/// The sum of numbers that are not below 0, at most 2^63 - 1: so offsets never decrease, whatever the counts are.
struct saturating_plus {
  UPSWEEP_HOST_DEVICE std::int64_t operator()(std::int64_t x, std::int64_t y) const {
    return x < most_outputs - y ? x + y : most_outputs;
  }
};

/// Each block has neighbouring tiles. `offsets` are those of the items, which never decrease, and have room for one
/// more.
template <int Threads, int Items>
struct expand_tiles_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;
  static constexpr int warps = Threads / warp_size;
  /// A tile goes over up to so many items and marks where each begins; where it has more, most of them empty, its
  /// outputs look for their items one by one.
  static constexpr int most_marked = 8 * tile_items;

  struct temp_storage {
    std::int64_t item;  // that of the tile's first output
    int last_mark[warps];
    uninitialized_array<std::uint32_t, tile_items> mark;  // by place: of the item that begins there, its number from
                                                          // the item on that the tile begins to look at
  };

  template <class Ctx, class Count, class Out, class ItemOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, std::int64_t* offsets, const std::int64_t* all,
                                 Count count, select_results results, Out out, ItemOf given) const {
    const std::int64_t n = items_of(count), wanted = *all, total = results.clamped(wanted);
    if (block.block_index() == 0 && block.thread_rank() == 0) {
      results.put(block, wanted);
      offsets[n] = wanted;  // nobody reads it here
    }
    auto&& item_of = callable<std::int64_t, std::int64_t>(given);
    const std::int64_t tiles = ceil_div(total, tile_items), each = tiles / block.num_blocks(),
                       more = tiles % block.num_blocks(), index = block.block_index();
    const std::int64_t begin = index * each + (index < more ? index : more), end = begin + each + (index < more);
    std::int64_t item = unknown;
    UPSWEEP_NO_UNROLL
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const std::int64_t first = tile * tile_items, left = total - first;
      const int valid = left < tile_items ? static_cast<int>(left) : tile_items;
      if (item == unknown && block.warp() == 0) {
        const std::int64_t behind =
            partition_point_by_warp(block, 0, n, [&](std::int64_t i) { return offsets[i] <= first; });
        if (block.lane() == 0) s.item = behind - 1;
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) s.mark[i * Threads + block.thread_rank()] = no_mark;
      block.barrier();  // s.item is known, and s.mark is clear
      if (item == unknown) item = s.item;
      const std::int64_t last = first + valid - 1, beyond = item + most_marked;
      if (beyond >= n || offsets[beyond] > last) {
        mark_items(block, s, offsets, n, item, first, last);
        item = put_marked(block, s, offsets, item, first, valid, out, item_of);
      } else {
        UPSWEEP_NO_UNROLL
        for (std::int64_t place = first + block.thread_rank(); place <= last; place += Threads) {
          const std::int64_t i = partition_point(item, n, [&](std::int64_t k) { return offsets[k] <= place; }) - 1;
          out[place] = item_of(i, place - offsets[i]);
        }
        item = unknown;
      }
      block.barrier();  // s has been read
    }
  }

 private:
  static constexpr std::uint32_t no_mark = ~0u;
  static constexpr std::int64_t unknown = -1;
  static constexpr int at_once = 4;

  /// Marks the items with outputs from `first` to `last`; none is before `item`. That of the first output may have
  /// begun before. An empty one has no place: the next begins where it does.
  template <class Ctx>
  static UPSWEEP_DEVICE void mark_items(Ctx& block, temp_storage& s, const std::int64_t* offsets, std::int64_t n,
                                        std::int64_t item, std::int64_t first, std::int64_t last) {
    const auto offset_of = [&](std::int64_t i) { return i < n ? offsets[i] : most_outputs; };
    UPSWEEP_NO_UNROLL
    for (int of_block = 0;; of_block += at_once * Threads) {
      std::int64_t begin[at_once], end[at_once];
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        const std::int64_t at = item + of_block + i * Threads + block.thread_rank();
        begin[i] = offset_of(at);
        end[i] = offset_of(at + 1);
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < at_once; ++i) {
        if (begin[i] > last || end[i] <= first || begin[i] == end[i]) continue;
        const int place = begin[i] > first ? static_cast<int>(begin[i] - first) : 0;
        s.mark[place] = static_cast<std::uint32_t>(of_block + i * Threads + block.thread_rank());
      }
      if (begin[at_once - 1] > last) break;
    }
    block.barrier();  // s.mark is written
  }

  /// A warp has neighbouring places, a row of 32 after the other. Returns the item of the last output.
  template <class Ctx, class Out, class ItemOf>
  static UPSWEEP_DEVICE std::int64_t put_marked(Ctx& block, temp_storage& s, const std::int64_t* offsets,
                                                std::int64_t item, std::int64_t first, int valid, const Out& out,
                                                ItemOf& item_of) {
    const int begin = block.warp() * warp_size * Items, lane = block.lane();
    lane_mask marks[Items];
    int last = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int row = begin + i * warp_size;
      marks[i] = block.ballot(s.mark[row + lane] != no_mark);
      if (marks[i] != 0) last = row + highest_lane(marks[i]);
    }
    if (lane == 0) s.last_mark[block.warp()] = last;
    const std::int64_t before = first - offsets[item + s.mark[0]];  // of the first item's outputs
    block.barrier();                                                // s.last_mark is written
    int mark = 0, of_all = 0;
    UPSWEEP_UNROLL
    for (int w = 0; w < warps; ++w) {
      const int of_warp = s.last_mark[w];
      if (w < block.warp() && of_warp > mark) mark = of_warp;
      if (of_warp > of_all) of_all = of_warp;
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int row = begin + i * warp_size, at = row + lane;
      const lane_mask up_to_mine = marks[i] & full_warp >> (warp_size - 1 - lane);
      const int mine = up_to_mine != 0 ? row + highest_lane(up_to_mine) : mark;
      if (at < valid) {
        const std::int64_t number = at - mine + (mine == 0 ? before : 0);
        out[first + at] = item_of(item + s.mark[mine], number);
      }
      if (marks[i] != 0) mark = row + highest_lane(marks[i]);
    }
    return item + s.mark[of_all];
  }
};

/// The method: a scan by the policy `Scan`, and tiles of Threads * Items outputs.
template <class Scan = default_scan_policy, int Threads = 256, int Items = 8>
struct balanced_expand {
  using kernel = expand_tiles_kernel<Threads, Items>;
  static constexpr int tile_items = kernel::tile_items;

  /// The offsets of n items are kept in the workspace, unless the caller wants them too.
  template <class Counts>
  static std::size_t workspace_bytes(std::int64_t n, bool has_offsets) {
    if (n <= 0) return 0;
    return layout_plan(n, has_offsets).layout.bytes() +
           Scan::template workspace_bytes<std::int64_t, counts_from_zero<Counts>, std::int64_t*>(n);
  }

  template <class Executor, class Counts, class Out, class Count, class ItemOf>
  static status run(Executor& ex, workspace w, Counts counts, Out out, const expand_results& results, Count n,
                    ItemOf item_of) {
    const std::int64_t bound = bound_of(n);
    const select_results to = results.counts();
    if (!is_right(counts, out, results, n)) return status::invalid_value;
    if (bound == 0) {
      const status s = ex.launch(1, nothing_selected_kernel{}, to);
      return s != status::success || results.offsets == nullptr ? s
                                                                : ex.fill(results.offsets, 0, sizeof *results.offsets);
    }
    const bool has_offsets = results.offsets != nullptr;
    if (w.data == nullptr || w.bytes < workspace_bytes<Counts>(bound, has_offsets)) return status::invalid_value;
    if (bound > max_items<Scan>) return status::not_supported;
    const layout_plan p(bound, has_offsets);
    std::int64_t* const offsets = has_offsets ? results.offsets : p.layout.at(w, p.offsets);
    std::int64_t* const wanted = p.layout.at(w, p.wanted);
    const status s = Scan::template run<scan_kind::exclusive, std::int64_t>(
        ex, p.layout.rest(w), counts_from_zero<Counts>{counts}, offsets, n, saturating_plus{},
        carry<std::int64_t>{0, true}, wanted);
    if (s != status::success) return s;
    // As many as run at once: how many tiles there are only the GPU knows.
    const std::int64_t tiles = ceil_div(to.capacity, tile_items), resident = blocks_each * ex.multiprocessors();
    return ex.launch(std::clamp<std::int64_t>(tiles, 1, resident), kernel{}, offsets,
                     static_cast<const std::int64_t*>(wanted), n, to, out, item_of);
  }

 private:
  static constexpr int blocks_each = 2048 / Threads < 16 ? 2048 / Threads : 16;

  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<std::int64_t> wanted, offsets;

    layout_plan(std::int64_t n, bool has_offsets)
        : wanted(layout.add<std::int64_t>(1)), offsets(layout.add<std::int64_t>(has_offsets ? 0 : n + 1)) {}
  };

  /// How far the outputs reach that there surely is room for, as far as a call tells.
  template <class Counts, class Out, class Count>
  static bool is_right(const Counts& counts, const Out& out, const expand_results& results, const Count& n) {
    const std::int64_t bound = bound_of(n);
    const select_results to = results.counts();
    if (bound < 0 || is_null(place_of(n)) || !to.are_right()) return false;
    const std::int64_t room = bound == 0 ? 0 : to.is_limited() ? to.capacity : 1;
    const std::array arrays{use_of(counts, bound, false), use_of(out, room, true)};
    const std::array more{use_of(results.offsets, bound + 1, true), use_of(place_of(n), 1, false)};
    const auto counted = to.uses(0);
    std::array<memory_use, arrays.size() + more.size() + select_results::places> all;
    std::ranges::copy(counted, std::ranges::copy(more, std::ranges::copy(arrays, all.begin()).out).out);
    return std::ranges::none_of(arrays, &memory_use::is_missing) && written_apart(all);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
