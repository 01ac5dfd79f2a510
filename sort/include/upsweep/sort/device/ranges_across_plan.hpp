// Where a sort of two ranks by ranges cuts, and where in its memory a rank has the items of each range.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// Seven ranges of codes, in order: three that rank 0 takes, one around the place where the ranks' parts meet, which
/// both take, and three of rank 1.
struct rank_ranges {
  static constexpr int count = 7, cuts = count - 1, border = 3, own = 4;

  /// The ranges that a rank takes, in the order in which it sorts them: the i-th of `own`.
  static UPSWEEP_HOST_DEVICE constexpr int taken(int rank, int i) { return i == 0 ? border : rank * own + i - 1; }
  static constexpr bool takes(int rank, int range) { return rank == 0 ? range <= border : range >= border; }
};

/// Where sample i is taken of n keys: at one of the `stride` places from i * stride on, whichever a hash of i says.
UPSWEEP_HOST_DEVICE inline std::int64_t sampled_place(std::int64_t i, std::int64_t stride, std::int64_t n) {
  std::uint64_t hash = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;  // as splitmix64 begins
  hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
  const std::int64_t first = i * stride, among = stride < n - first ? stride : n - first;
  return first + static_cast<std::int64_t>((hash >> 32) % static_cast<std::uint64_t>(among));
}

/// A sample of both ranks' keys: one of every stride, in order on each rank.
struct range_sample {
  std::int64_t stride, of_rank[2];

  /// Of about `most` keys of the larger rank.
  static range_sample of(std::int64_t n_first, std::int64_t n_second, std::int64_t most) {
    const std::int64_t stride = (std::max<std::int64_t>)(1, ((std::max)(n_first, n_second) + most - 1) / most);
    return {stride, {(n_first + stride - 1) / stride, (n_second + stride - 1) / stride}};
  }
  std::int64_t items() const { return of_rank[0] + of_rank[1]; }
  std::int64_t larger() const { return (std::max)(of_rank[0], of_rank[1]); }
};

/// The places of the cuts among the sorted samples, where the parts of the ranks meet after `meet` of all items: the
/// border has four standard deviations of that on either side. What a rank sorts first is small, since nothing is at
/// work while that comes from the other rank; what it sorts then takes longer than the next range takes to come.
struct range_cut_places {
  std::int64_t at[rank_ranges::cuts];

  static range_cut_places of(const range_sample& sample, std::int64_t meet) {
    const std::int64_t all = sample.items();
    const auto deviation = static_cast<std::int64_t>(std::sqrt(static_cast<double>(all)) / 2) + 1;
    const std::int64_t middle = meet / sample.stride, low = (std::max<std::int64_t>)(middle - 4 * deviation, 0),
                       high = (std::min)(middle + 4 * deviation, all);
    const auto among = [](std::int64_t begin, std::int64_t end, int percent) {
      return begin + (end - begin) * percent / 100;
    };
    range_cut_places p{{among(0, low, 8), among(0, low, 32), low, high, among(high, all, 8), among(high, all, 32)}};
    for (std::int64_t& place : p.at) place = (std::min)(place, all - 1);
    return p;
  }
};

/// Items of each rank and range.
struct range_counts {
  std::int64_t of[2][rank_ranges::count];

  std::int64_t items(int range) const { return of[0][range] + of[1][range]; }
  /// Before a range.
  std::int64_t before(int range) const {
    std::int64_t sum = 0;
    for (int r = 0; r < range; ++r) sum += items(r);
    return sum;
  }
};

/// How many items a rank has room for, by a sample: more than five standard deviations above what that says.
/// below[r][c] is how many samples of rank r come before cut c.
inline range_counts rooms_of_ranges(const range_sample& sample, const std::int64_t (&below)[2][rank_ranges::cuts]) {
  range_counts rooms{};
  for (int r = 0; r < 2; ++r) {
    for (int range = 0; range < rank_ranges::count; ++range) {
      const std::int64_t begin = range == 0 ? 0 : below[r][range - 1];
      const std::int64_t end = range == rank_ranges::cuts ? sample.of_rank[r] : below[r][range];
      const auto more = static_cast<std::int64_t>(5 * std::sqrt(static_cast<double>(end - begin) + 1)) + 8;
      rooms.of[r][range] = (end - begin + more) * sample.stride;
    }
  }
  return rooms;
}

/// Where a rank has the items of each range: its own, and, of a range that it takes, those of the other rank beside
/// them, so that those of rank 0 come first.
struct range_layout {
  std::int64_t begin[rank_ranges::count], room[rank_ranges::count];  ///< of its own items
  std::int64_t items;                                                ///< in all

  static range_layout of(int rank, const range_counts& rooms) {
    range_layout l{};
    for (int r = 0; r < rank_ranges::count; ++r) {
      const std::int64_t others = rank_ranges::takes(rank, r) ? rooms.of[1 - rank][r] : 0;
      l.begin[r] = l.items + (rank == 1 ? others : 0);
      l.room[r] = rooms.of[rank][r];
      l.items += l.room[r] + others;
    }
    return l;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
