// The segments of a segmented sort by their length: short ones are sorted at once, of the others there are lists.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/bounded_segments.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/row_of_keys.cuh"
#include "upsweep/sort/device/segments_of_a_warp.cuh"
#include "upsweep/sort/device/short_segment_rows.cuh"
#include "upsweep/sort/device/short_segments.cuh"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A segment that is not short. Of a large one, `first_tile` says which of all tiles of large segments are its own.
struct listed_segment {
  std::int64_t begin, items, first_tile;
};

/// What a block's sort and the passes go over. Counters are zero before the first kernel, and may then count more
/// segments than there is room for: those are of segments that overlap, and are left out.
struct segment_lists {
  static constexpr int tile_bits = 36;  // of `large_count`, after the number of segments
  static constexpr std::uint64_t tile_mask = (std::uint64_t{1} << tile_bits) - 1;
  static constexpr int of_blocks = 4;  // for sorts by one block, of as many sizes
  std::int64_t longest[of_blocks];     ///< of a list, and the shortest are longer than that before
  listed_segment* list[of_blocks];
  std::int64_t room[of_blocks];
  std::uint64_t* count[of_blocks];
  listed_segment* large;
  std::int64_t large_room, tile_room;
  std::uint64_t* large_count;   ///< segments and tiles in one number, so that first tiles rise with the segments
  std::uint32_t* digit_counts;  ///< of each large segment, cleared where it is listed
  std::uint64_t* wide_counts;   ///< likewise, of 2^32 items and more
  int digit_counts_of_a_segment;
  std::uint32_t* tiles_done;  ///< of each large segment, likewise
  bool has_wide_tiles;        ///< of WideTileItems: see segment_lists_kernel
};

/// Each lane looks at one segment. A warp sorts its short ones at once, and lists the others. Segments that begin or
/// end outside of [0, n], or end before they begin, are empty. TileItems are those of a tile, or WideTileItems.
template <class Key, class Value, class Digits, int ShortLanes, int TileItems, int WideTileItems = TileItems,
          int Threads = 256>
struct segment_lists_kernel {
  using short_sort = short_segments<Key, Value, Digits, ShortLanes>;
  static constexpr int lists_of_blocks = segment_lists::of_blocks;
  static constexpr int block_threads = Threads;
  static constexpr int warps = block_threads / warp_size;
  static constexpr int blocks_per_multiprocessor = 4;
  static constexpr bool lets_next_begin = true;
  using rows = short_segment_rows<row_of_keys<Key, Digits>>;
  static constexpr bool has_rows = short_sort::by_codes && sizeof(typename short_sort::code_word) == 4;
  /// The part for rows has no bytes to speak of where there are none.
  union warp_storage {
    typename short_sort::temp_storage by_lanes;
    std::conditional_t<has_rows, typename rows::temp_storage, char> in_rows;
  };
  struct temp_storage {
    warp_storage of_warp[warps];
  };
  static constexpr int most_segments_of_a_warp = has_rows ? warp_size * rows::most_segments_of_a_lane : warp_size;

  /// Each warp has the next segments_of_warp of them: at most 32, or a multiple of it up to 128. With `left` only those
  /// whose numbers are in it.
  template <class Ctx, class Count, class Segments, class Begins, class Ends>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, short_sort sorts, Count count, Segments segment_count,
                                 Begins begins, Ends ends, segment_lists lists, int segments_of_warp,
                                 warps_left left) const {
    std::int64_t number = block.block_index() * warps + block.warp();
    if constexpr (!has_rows) {
      if (left.number != nullptr) {
        if (number >= static_cast<std::int64_t>(*left.count)) return;
        number = left.number[number];
      }
    }
    const segments_of_a_warp<Begins, Ends> range_of{number * segments_of_warp, segments_of_warp, items_of(count),
                                                    items_of(segment_count),   begins,           ends};
    if (range_of.first >= range_of.segments) return;
    warp_storage& of_warp = s.of_warp[block.warp()];
    const int of_a_lane = has_rows ? (segments_of_warp + warp_size - 1) / warp_size : 1;
    if constexpr (has_rows) {
      if (sorts.bits.begin == 0 && sorts.bits.end == Digits::bits) {
        const rows in_rows{{sorts.digits, sorts.keys_in, sorts.keys_out, sorts.units}};
        if (in_rows.sort(block, of_warp.in_rows, of_a_lane, range_of)) return;
      }
    }
    UPSWEEP_NO_UNROLL
    for (int i = 0; i < of_a_lane; ++i) {
      const auto [begin, items] = range_of(i * warp_size + block.lane());
      if (block.any(items > short_sort::most_items)) add_to_lists(block, begin, items, lists);
      sorts.sort(block, of_warp.by_lanes, begin, items <= short_sort::most_items ? static_cast<int>(items) : 0);
    }
  }

 private:
  template <class Ctx>
  static UPSWEEP_DEVICE void add_to_lists(Ctx& block, std::int64_t begin, std::int64_t items,
                                          const segment_lists& lists) {
    std::int64_t shorter = short_sort::most_items;
    UPSWEEP_UNROLL
    for (int l = 0; l < lists_of_blocks; ++l) {
      const bool is_here = items > shorter && items <= lists.longest[l];
      const std::int64_t at = take_place(block, is_here, lists.count[l]);
      if (is_here && at < lists.room[l]) lists.list[l][at] = {begin, items, 0};
      shorter = lists.longest[l];
    }
    std::int64_t slot = lists.large_room;
    std::int64_t tiles = 0;
    if (items > shorter) tiles = lists.has_wide_tiles ? ceil_div(items, WideTileItems) : ceil_div(items, TileItems);
    const std::int64_t up_to = warp_inclusive_scan(block, tiles, plus{});
    // Of segments that overlap a warp may have more tiles than there is room for.
    const bool is_listed = tiles > 0 && up_to <= lists.tile_room;
    const lane_mask listed = block.ballot(is_listed);
    if (listed != 0 && has_room(block, lists)) {
      std::uint64_t before = 0;
      const int last = highest_lane(listed);
      if (block.lane() == last) {
        before = block.atomic_add(lists.large_count,
                                  (static_cast<std::uint64_t>(count_lanes(listed)) << segment_lists::tile_bits) +
                                      static_cast<std::uint64_t>(up_to));
      }
      before = block.shuffle(before, last);
      if (is_listed) {
        slot = static_cast<std::int64_t>(before >> segment_lists::tile_bits) +
               count_lanes(listed & ((lane_mask{1} << block.lane()) - 1));
      }
      const std::int64_t first = static_cast<std::int64_t>(before & segment_lists::tile_mask) + up_to - tiles;
      // It is in the list also where there is no room for its tiles, so that all first tiles in the list rise.
      const bool fits = first + tiles <= lists.tile_room;
      if (slot < lists.large_room) {
        lists.large[slot] = {begin, fits ? items : 0, first};
        lists.tiles_done[slot] = 0;
      }
    }
    for (lane_mask left = block.ballot(slot < lists.large_room); left != 0; left &= left - 1) {
      const std::int64_t of = block.shuffle(slot, lowest_lane(left));
      const bool is_wide = block.shuffle(items, lowest_lane(left)) >> 32 != 0;
      const std::int64_t first = of * lists.digit_counts_of_a_segment;
      for (int i = block.lane(); i < lists.digit_counts_of_a_segment; i += warp_size) {
        if (is_wide) {
          lists.wide_counts[first + i] = 0;
        } else {
          lists.digit_counts[first + i] = 0;
        }
      }
    }
  }

  /// Segments that overlap may be more than there is room for. These are not counted any more, so that neither half of
  /// large_count overflows: warps that add at once are fewer than 2^13, and each adds at most tile_room tiles, which
  /// are fewer than 2^23 of what memory holds. All lanes call.
  template <class Ctx>
  static UPSWEEP_DEVICE bool has_room(Ctx& block, const segment_lists& lists) {
    std::uint64_t counted = 0;
    if (block.lane() == 0) counted = block.load_relaxed(lists.large_count);
    counted = block.shuffle(counted, 0);
    return static_cast<std::int64_t>(counted >> segment_lists::tile_bits) < lists.large_room &&
           static_cast<std::int64_t>(counted & segment_lists::tile_mask) < lists.tile_room;
  }

  /// A place of its own for each lane that wants one; for others anything. All lanes call.
  template <class Ctx>
  static UPSWEEP_DEVICE std::int64_t take_place(Ctx& block, bool wants, std::uint64_t* counter) {
    const lane_mask all = block.ballot(wants);
    if (all == 0) return 0;
    std::uint64_t first = 0;
    if (block.lane() == lowest_lane(all)) {
      first = block.atomic_add(counter, static_cast<std::uint64_t>(count_lanes(all)));
    }
    first = block.shuffle(first, lowest_lane(all));
    return static_cast<std::int64_t>(first) + count_lanes(all & ((1u << block.lane()) - 1));
  }
};

/// A block after the other sorts the segments of a list. Of no bits they are copied: a sort by one block needs some.
template <class Sort>
struct listed_segments_kernel {
  static constexpr int block_threads = Sort::block_threads;
  static constexpr int blocks_per_multiprocessor = [] {
    if constexpr (requires { Sort::blocks_per_multiprocessor; }) return Sort::blocks_per_multiprocessor;
    return 0;
  }();
  static constexpr bool lets_next_begin = true;
  using temp_storage = typename Sort::temp_storage;

  template <class Ctx, class Digits, class Key, class Value>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits,
                                 const listed_segment* segments, const std::uint64_t* count, std::int64_t room,
                                 const Key* keys_in, Key* keys_out, carried_values<Value> v) const {
    // Numbers of 32 bits leave more registers to the sort. A list has fewer: see short_segments::most_items.
    const int all = static_cast<int>(*count < static_cast<std::uint64_t>(room) ? *count : room),
              blocks = static_cast<int>(block.num_blocks());
    for (int i = static_cast<int>(block.block_index()); i < all; i += blocks) {
      const listed_segment of = segments[i];
      const carried_values<Value> values = values_of_segment(v, of.begin);
      if (bits.begin == bits.end) {
        copy(block, of.items, keys_in + of.begin, keys_out + of.begin, values);
        continue;
      }
      // After its last barrier a sort reads registers alone, so that the next one may begin.
      Sort{}(block, s, digits, bits, of.items, keys_in + of.begin, keys_out + of.begin, values);
    }
  }

 private:
  template <class Ctx, class Key, class Value>
  static UPSWEEP_DEVICE void copy(Ctx& block, std::int64_t items, const Key* keys_in, Key* keys_out,
                                  const carried_values<Value>& v) {
    for (std::int64_t i = block.thread_rank(); i < items; i += block_threads) {
      keys_out[i] = keys_in[i];
      if constexpr (!std::is_same_v<Value, no_value>) v.out[i] = v.value_at(i);
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
