// Short segments that are neighbours: a warp copies them as one, and sorts them as rows in its registers, whatever
// their lengths. Of keys alone that are told by codes of 32 bits.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/padded_array.hpp"
#include "upsweep/scan/device/bounded_segments.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/segments_in_a_row.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Sorts by all bits of the digits.
template <class Key, class Digits>
struct short_segment_rows {
  static constexpr int most_segments_of_a_lane = 4;
  static constexpr int longest = 48;
  static constexpr int room = warp_size * 16;  // of a row

  /// Of one warp.
  struct temp_storage {
    padded_array<std::uint32_t, room> code;
    std::uint32_t heads[warp_size];  // at which of each lane's items a segment begins
    std::uint32_t segments[most_segments_of_a_lane][warp_size];
  };

  Digits digits;
  const Key* keys_in;
  Key* keys_out;
  unit_factors units;

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
    if (of_a_lane == 1 && is_faster_by_lanes(block, of_lane, longest_of_all, total)) return false;
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
      const row next = row_from(block, mine, base, done);
      if (next.longest == 1) {
        copy_row(block, next);
      } else if (next.items <= 4 * warp_size) {
        sort_row<4>(block, s, mine, next);
      } else if (next.items <= 8 * warp_size) {
        sort_row<8>(block, s, mine, next);
      } else if (next.items <= 10 * warp_size) {
        sort_row<10>(block, s, mine, next);
      } else if (next.items <= 12 * warp_size) {
        sort_row<12>(block, s, mine, next);
      } else {
        sort_row<16>(block, s, mine, next);
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

  /// Whole segments: from item `first` of the warp's on, which is item `base` of the arrays, `items` in all.
  struct row {
    std::int64_t base;
    int first, items, longest;
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
  static UPSWEEP_DEVICE row row_from(Ctx& block, const lane_segments& mine, std::int64_t base, int first) {
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

  template <class Ctx>
  UPSWEEP_DEVICE void copy_row(Ctx& block, const row& r) const {
    constexpr int at_once = 4;
    for (int first = block.lane(); first < r.items; first += at_once * warp_size) {
      Key key[at_once];
      UPSWEEP_UNROLL
      for (int j = 0; j < at_once; ++j) {
        if (first + j * warp_size < r.items) key[j] = keys_in[r.base + first + j * warp_size];
      }
      UPSWEEP_UNROLL
      for (int j = 0; j < at_once; ++j) {
        if (first + j * warp_size < r.items) keys_out[r.base + first + j * warp_size] = key[j];
      }
    }
  }

  template <int Items, class Ctx>
  UPSWEEP_DEVICE void sort_row(Ctx& block, temp_storage& s, const lane_segments& mine, const row& r) const {
    using layout = row_layout<Items>;
    const int lane = block.lane();
    s.heads[lane] = 0;
    block.warp_sync();  // s.heads is cleared, and what s had of the row before has been read
    UPSWEEP_UNROLL
    for (int j = 0; j < most_segments_of_a_lane; ++j) {
      const int head = mine.begin(j) - r.first;
      if (mine.items(j) > 0 && 0 <= head && head < r.items) {
        block.atomic_or(s.heads + head / Items, 1u << head % Items);
      }
    }
    const auto digit = digits.at(0, 1);
    const Key* const in = keys_in + r.base + lane;
    std::uint32_t word[Items];
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      word[i] = ~std::uint32_t{0};
      if (i * warp_size + lane < r.items) word[i] = digit.code_of(in[i * warp_size]);
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) s.code.slot[layout::of_row(i, lane)] = word[i];
    block.warp_sync();  // s.code and s.heads are written
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) word[i] = s.code.slot[layout::of_lane(lane, i)];
    const std::uint32_t own = s.heads[lane], next = block.shuffle_down(own, 1);
    const std::uint32_t heads = own | (lane == warp_size - 1 ? 1 : next & 1) << Items;
    sort_segments_in_a_row(block, word, heads, r.longest, units);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) s.code.slot[layout::of_lane(lane, i)] = word[i];
    block.warp_sync();  // s.code is sorted
    Key* const out = keys_out + r.base + lane;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i * warp_size + lane >= r.items) continue;
      out[i * warp_size] =
          digit.key_of(static_cast<decltype(digit.code_of(Key{}))>(s.code.slot[layout::of_row(i, lane)]));
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
