// Indices of items in the order of their groups, stably: the items of each group are counted, and then their indices go
// to their places in one pass of a split, or in two, by the lower 8 bits of the number of the group and by the higher
// ones, as in an onesweep radix sort (Adinets & Merrill, 2022). The functor runs twice an item.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/device/count_groups.cuh"
#include "upsweep/compact/device/group_begins.cuh"
#include "upsweep/compact/device/grouping.cuh"
#include "upsweep/compact/device/split_pass.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The index of an item and the number of its group, in one word: at most 2^47 items.
struct numbered_item {
  static constexpr int group_bits = 17;
  static constexpr std::uint32_t no_group = (1u << group_bits) - 1;
  static_assert(max_groups <= no_group);

  std::uint64_t word;

  static UPSWEEP_DEVICE numbered_item of(std::int64_t index, std::uint32_t group) {
    return {static_cast<std::uint64_t>(index) << group_bits | (group & no_group)};
  }
  UPSWEEP_DEVICE std::int64_t index() const { return static_cast<std::int64_t>(word >> group_bits); }
  UPSWEEP_DEVICE std::uint32_t group() const { return static_cast<std::uint32_t>(word) & no_group; }
};

/// All items in order, as an iterator.
template <class GroupOf>
struct numbered_items {
  GroupOf group_of;
  bucket_count groups;
  std::int64_t at = 0;

  UPSWEEP_DEVICE numbered_item operator[](std::int64_t i) const {
    return numbered_item::of(at + i, groups.number(group_of(at + i)));
  }
  UPSWEEP_DEVICE numbered_items operator+(std::int64_t n) const { return {group_of, groups, at + n}; }
};

/// The bucket of a pass: bits of the group's number from `first` on; of an item without a group, none.
struct group_digit {
  int first;
  std::uint32_t mask;
  UPSWEEP_DEVICE std::uint32_t of_item(const numbered_item& x) const {
    return x.group() == numbered_item::no_group ? no_bucket : x.group() >> first & mask;
  }
};

/// Place p of all items in the order of their groups, as an iterator that is written through: where an item goes.
struct places_of_groups {
  integer_array permutation, inverse;
  const std::uint64_t* left_over;  ///< places before each group that are left over; null where there are none

  struct place {
    const places_of_groups& all;
    std::int64_t at;
    UPSWEEP_DEVICE void operator=(const numbered_item& x) const {
      const std::int64_t to = all.left_over == nullptr ? at : at + static_cast<std::int64_t>(all.left_over[x.group()]);
      if (all.permutation.wanted()) all.permutation.put(to, x.index());
      if (all.inverse.wanted()) all.inverse.put(x.index(), to);
    }
  };
  UPSWEEP_DEVICE place operator[](std::int64_t i) const { return {*this, i}; }
  /// An item of another group would go to a place of another tile.
  UPSWEEP_DEVICE bool takes_items_in_order() const { return left_over != nullptr; }
};

/// The method. Passes go over portions of `Portion` items, at most 2^30. Counting: how groups are counted. A thread has
/// Items of a pass's tile.
template <std::int64_t Portion = std::int64_t{1} << 30, class Counting = group_counting<>, int Items = 12>
class onesweep_groups {
 public:
  using pass = split_pass<Portion, Items, grouped_digit_lookback<0, 16, 64>>;  // all of up to 1024 tiles begin at once
  using offset = std::uint64_t;
  static constexpr std::int64_t tile_items = pass::template tile_items<numbered_item>;
  static_assert(sizeof(typename pass::template kernel<numbered_item, offset>::temp_storage) <= 64 * 1024,
                "groups have no other way where that is all of the shared memory");
  static constexpr std::int64_t most_items = std::int64_t{1} << (64 - numbered_item::group_bits);

  static std::size_t workspace_bytes(std::int64_t n, int groups, std::int64_t multiple) {
    if (n <= 0 || groups <= 0 || groups > max_groups) return 0;
    return plan(n, groups, multiple).layout.bytes();
  }

  template <class Executor, class Count, class GroupOf>
  static status run(Executor& ex, workspace w, const group_places& to, std::int64_t* offsets, Count n, int groups,
                    GroupOf group_of) {
    if (bound_of(n) > most_items) return status::not_supported;
    return run_checked(ex, w, to, offsets, n, groups, group_of);
  }

 private:
  static constexpr int low_bits = low_group_bits;
  static constexpr int low_buckets = 1 << low_bits;
  static_assert(max_groups >> low_bits <= max_buckets && low_buckets <= max_buckets);

  static bool has_two_passes(int groups) { return groups > max_buckets; }
  static int high_buckets(int groups) {
    return has_two_passes(groups) ? static_cast<int>(ceil_div(groups, low_buckets)) : groups;
  }

  static std::int64_t chunks_of(int groups) { return ceil_div(groups, find_begins_kernel::chunk_groups); }

  static constexpr std::size_t first_pass_ticket = 2;

  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<std::uint64_t> counts;
    workspace_layout::slot<std::uint64_t> chunks, low_counts;  // of many groups: what chunks of them tell
    workspace_layout::slot<std::uint32_t> tickets;  // of the count, of chunks, and of each portion of each pass
    workspace_layout::slot<std::int64_t> items;
    workspace_layout::slot<std::uint64_t> low_begins, high_begins, turns;
    workspace_layout::slot<std::uint64_t> left_over;
    workspace_layout::slot<std::uint32_t> words;  // of the pass by the higher bits, then of that by the lower
    workspace_layout::slot<numbered_item> between;
  };

  static layout_plan plan(std::int64_t n, int groups, std::int64_t multiple) {
    const auto items = static_cast<std::size_t>(n), all = static_cast<std::size_t>(groups);
    const std::int64_t tiles = ceil_div(n, tile_items);
    const auto portions = static_cast<std::size_t>(pass::most_portions(n));
    const int high = high_buckets(groups), low = has_two_passes(groups) ? low_buckets : 0;
    layout_plan p{};
    p.counts = p.layout.template add<std::uint64_t>(all);
    const bool in_chunks = groups > group_begins::most_at_end;
    p.chunks = p.layout.template add<std::uint64_t>(in_chunks ? 2 * static_cast<std::size_t>(chunks_of(groups)) : 0);
    p.low_counts = p.layout.template add<std::uint64_t>(in_chunks ? low_buckets : 0);
    p.tickets = p.layout.template add<std::uint32_t>(first_pass_ticket + 2 * portions);
    p.items = p.layout.template add<std::int64_t>(1);
    p.low_begins = p.layout.template add<std::uint64_t>(low_buckets);
    p.high_begins = p.layout.template add<std::uint64_t>(max_buckets);
    p.turns = p.layout.template add<std::uint64_t>(portions > 1 ? 2 * max_buckets : 0);
    p.left_over = p.layout.template add<std::uint64_t>(multiple > 1 ? all : 0);
    p.words = p.layout.template add<std::uint32_t>(
        static_cast<std::size_t>(pass::words_of(tiles, high) + pass::words_of(tiles, low)));
    p.between = p.layout.template add<numbered_item>(low > 0 ? items : 0);
    return p;
  }

  template <class Executor, class Count, class GroupOf>
  static status run_checked(Executor& ex, workspace w, const group_places& to, std::int64_t* offsets, Count n,
                            int groups, GroupOf group_of) {
    const std::int64_t bound = bound_of(n), tiles = ceil_div(bound, tile_items);
    const auto p = plan(bound, groups, to.multiple);
    const bool two = has_two_passes(groups);
    const bucket_count low = bucket_count::of(low_buckets), high = bucket_count::of(high_buckets(groups));
    std::uint64_t *const counts = p.layout.at(w, p.counts), *const left_over =
                                                                to.multiple > 1 ? p.layout.at(w, p.left_over) : nullptr;
    std::uint32_t *const tickets = p.layout.at(w, p.tickets), *const words = p.layout.at(w, p.words);
    std::uint64_t *const low_begins = p.layout.at(w, p.low_begins), *const high_begins = p.layout.at(w, p.high_begins),
                         *const turns = p.layout.at(w, p.turns);
    std::int64_t* const items = p.layout.at(w, p.items);
    const std::int64_t words_of_last = pass::words_of(tiles, high.buckets);
    using item = numbered_item;
    item* const between = p.layout.at(w, p.between);

    const numbered_items<GroupOf> in{group_of, bucket_count::of(groups)};
    const places_of_groups out{to.permutation, to.inverse, left_over};
    const group_digit whole{two ? low_bits : 0, ~0u}, lower{0, low_buckets - 1};
    const device_count<std::int64_t> grouped{items, bound};
    if (two ? !pass::template can_run<item, offset>(ex, in, between, n, lower) ||
                  !pass::template can_run<item, offset>(ex, static_cast<const item*>(between), out, grouped, whole)
            : !pass::template can_run<item, offset>(ex, in, out, n, whole)) {
      return status::not_supported;
    }

    status s = ex.clear(counts, p.tickets.end() - p.counts.offset);
    if (s != status::success) return s;
    const group_begins begins{groups,
                              two,
                              static_cast<std::uint64_t>(to.multiple),
                              counts,
                              tickets,
                              items,
                              low_begins,
                              high_begins,
                              left_over,
                              offsets,
                              to.inverse,
                              words,
                              words_of_last + (two ? pass::words_of(tiles, low_buckets) : 0)};
    // Where more tiles wait on some multiprocessors than on others, all wait for these.
    s = Counting::run(ex, n, groups, group_of, counts, begins, tiles <= ex.multiprocessors());
    if (s != status::success) return s;
    std::uint32_t* const of_passes = tickets + first_pass_ticket;
    const typename pass::memory of_last{of_passes, words, turns};
    if (groups > group_begins::most_at_end) {
      std::uint64_t* const chunks = p.layout.at(w, p.chunks);
      grid each_chunk(chunks_of(groups));
      each_chunk.overlaps_next = true;
      s = ex.launch(
          each_chunk, find_begins_kernel{}, begins,
          find_begins_kernel::memory{tickets + 1, chunks, chunks + each_chunk.blocks, p.layout.at(w, p.low_counts)});
      if (s != status::success) return s;
    }
    if (two) {
      const typename pass::memory of_first{of_passes + pass::most_portions(bound), words + words_of_last, turns};
      s = pass::template run<item, offset>(ex, of_first, low_begins, in, between, n, low, lower);
      if (s != status::success) return s;
      s = pass::template run<item, offset>(ex, of_last, high_begins, static_cast<const item*>(between), out, grouped,
                                           high, whole);
    } else {
      s = pass::template run<item, offset>(ex, of_last, high_begins, in, out, n, high, whole);
    }
    if (s != status::success) return s;
    return fill_left_over(ex, to, offsets, counts, groups);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
