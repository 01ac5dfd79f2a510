// Short segments that are neighbours: a warp copies them as one, and sorts them as rows in its registers, whatever
// their lengths.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/device/bounded_segments.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/segments_in_a_row.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Rows are copied and sorted by a Row.
template <class Row>
struct short_segment_rows {
  static constexpr int most_segments_of_a_lane = 4;
  static constexpr int longest = 48;
  static constexpr int room = most_items_of_a_row;

  /// Of one warp.
  struct temp_storage {
    typename Row::temp_storage row;
    std::uint32_t segments[most_segments_of_a_lane][warp_size];
  };

  Row of_row;

  /// If the segments of the warp, so many a lane, are short neighbours, and a lane or two for each would not be faster,
  /// sorts them; else returns false. The warp calls.
  template <class Ctx, class RangeOf>
  UPSWEEP_DEVICE bool sort(Ctx& block, temp_storage& s, int of_a_lane, RangeOf range_of) const {
    std::int64_t begin[most_segments_of_a_lane];
    int items[most_segments_of_a_lane], longest_of_lane = 0, of_lane = 0;
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      segment_range range{};
      if (j < of_a_lane) range = range_of(block.lane() * of_a_lane + j);
      begin[j] = range.begin;
      items[j] = range.items <= longest ? static_cast<int>(range.items) : longest + 1;
    }
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      of_lane += items[j];
      longest_of_lane = longest_of_lane < items[j] ? items[j] : longest_of_lane;
    }
    const int longest_of_all = max_of(block, longest_of_lane);
    if (longest_of_all > longest) return false;
    const int up_to = warp_inclusive_scan(block, of_lane, plus{}), total = block.shuffle(up_to, warp_size - 1);
    if (total == 0) return true;
    if (Row::asks_for_lanes && of_a_lane == 1 && is_faster_by_lanes(block, of_lane, longest_of_all, total))
      return false;
    std::int64_t base = 0;  // where the first item of the warp is, if all are neighbours
    int at = up_to - of_lane;
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      begin[j] -= at;
      at += items[j];
      if (items[j] > 0) base = begin[j];
    }
    base = block.shuffle(base, lowest_lane(block.ballot(of_lane > 0)));
    bool are_neighbours = true;
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      if (items[j] > 0 && begin[j] != base) are_neighbours = false;
    }
    if (!block.all(are_neighbours)) return false;
    const lane_segments mine{&s.segments[0][block.lane()]};
    at = up_to - of_lane;
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      mine.set(j, at, items[j]);
      at += items[j];
    }
    for (int done = 0; done < total;) {
      const row_of_segments next = row_from(block, mine, base, done);
      if (next.longest == 1) {
        of_row.copy(block, next);
      } else {
        of_row.sort(block, s.row, next,
                    [&](auto items_of_lane) { mark_heads<decltype(items_of_lane)::value>(block, s, mine, next); });
      }
      done += next.items;
    }
    return true;
  }

 private:
  /// Where a lane's segments begin among the items of the warp, and of how many they are: 16 bits each. In shared
  /// memory, where only this lane looks, since registers that live through the sort of a row are spilled.
  struct lane_segments {
    std::uint32_t* of_lane;
    UPSWEEP_DEVICE int begin(int j) const { return static_cast<int>(of_lane[j * warp_size] & 0xffff); }
    UPSWEEP_DEVICE int items(int j) const { return static_cast<int>(of_lane[j * warp_size] >> 16); }
    UPSWEEP_DEVICE void set(int j, int begin, int items) const {
      of_lane[j * warp_size] = static_cast<std::uint32_t>(begin) | static_cast<std::uint32_t>(items) << 16;
    }
  };

  template <class Ctx>
  static UPSWEEP_DEVICE int max_of(Ctx& block, int number) {
    return static_cast<int>(block.reduce_max(static_cast<std::uint32_t>(number)));
  }

  /// Whether short_segments is faster: in a round of 32 segments of up to 16 items, or rounds of 16 of up to 32, and
  /// of 8. The factors are from times of an H200.
  template <class Ctx>
  static UPSWEEP_DEVICE bool is_faster_by_lanes(Ctx& block, int items, int longest_of_all, int total) {
    const int by_two = count_lanes(block.ballot(0 < items && items <= warp_size)),
              by_four = count_lanes(block.ballot(items > warp_size));
    const int by_lanes = longest_of_all <= warp_size / 2 ? 24000 : 28500 * ((by_two + 15) / 16 + (by_four + 7) / 8);
    return total * (58 + longest_of_all) >= by_lanes;
  }

  /// As many segments as there is room for, from where one begins.
  template <class Ctx>
  static UPSWEEP_DEVICE row_of_segments row_from(Ctx& block, const lane_segments& mine, std::int64_t base, int first) {
    int end = 0, longest_here = 0;
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      const int behind = mine.begin(j) + mine.items(j);
      if (mine.begin(j) < first || behind > first + room) continue;
      end = behind;
      longest_here = longest_here < mine.items(j) ? mine.items(j) : longest_here;
    }
    return {base + first, first, max_of(block, end) - first, max_of(block, longest_here)};
  }

  /// Writes s.row.heads, which the row waits for. Each lane has Items of the row.
  template <int Items, class Ctx>
  static UPSWEEP_DEVICE void mark_heads(Ctx& block, temp_storage& s, const lane_segments& mine,
                                        const row_of_segments& r) {
    s.row.heads[block.lane()] = 0;
    block.warp_sync();  // s.row.heads is cleared, and what s had of the row before has been read
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      const int head = mine.begin(j) - r.first;
      if (mine.items(j) > 0 && 0 <= head && head < r.items) {
        block.atomic_or(s.row.heads + head / Items, 1u << head % Items);
      }
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
