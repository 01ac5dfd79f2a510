// Sorts many short segments that lie one after the other in the registers of a warp, whatever their lengths, by
// odd-even transposition: in each round, neighbours that are out of order change places, unless a segment begins
// between them. Segments of up to L items take L rounds (Habermann, "Parallel neighbor-sort", 1972).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <numeric>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/sub_warp_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Where the items of a row are in shared memory, of which lane l has Items, from number l * Items on: with a free slot
/// wherever lanes would meet in a bank. Lanes copy number row * 32 + lane.
template <int Items>
struct row_layout {
  static constexpr int period = std::lcm(Items, warp_size);
  static UPSWEEP_DEVICE int of_lane(int lane, int i) { return lane * Items + lane / (period / Items) + i; }
  static UPSWEEP_DEVICE int of_row(int row, int lane) { return row * warp_size + row / (period / warp_size) + lane; }
};

inline constexpr int most_items_of_a_row = 16 * warp_size;

/// Whole segments: from item `first` of the warp's on, which is item `base` of the arrays, `items` in all.
struct row_of_segments {
  std::int64_t base;
  int first, items, longest;
};

/// Of `heads`, at which of each lane's items a segment begins, those of this lane and of the next one's first item. The
/// row ends with the warp. The warp calls.
template <int Items, class Ctx>
UPSWEEP_DEVICE std::uint32_t heads_of_lane(Ctx& block, const std::uint32_t (&heads)[warp_size]) {
  const std::uint32_t own = heads[block.lane()], next = block.shuffle_down(own, 1);
  return own | (block.lane() == warp_size - 1 ? 1 : next & 1) << Items;
}

/// Bit i of `heads` says that a segment begins at word i of this lane, bit Items that one begins at the next lane's
/// first. All bits of the words after the last segment are set. The warp calls.
template <int Items, class Ctx>
UPSWEEP_DEVICE void sort_segments_in_a_row(Ctx& block, std::uint32_t (&word)[Items], std::uint32_t heads, int rounds,
                                           const unit_factors& units) {
  static_assert(Items >= 2 && Items % 2 == 0, "pairs of a round are the same in all lanes");
  // With all bits set where a segment begins: no earlier word is higher.
  std::uint32_t apart[Items];
  UPSWEEP_UNROLL
  for (int i = 0; i < Items; ++i) apart[i] = 0u - (heads >> i & 1);
  const auto order_pairs = [&](int first) {
    UPSWEEP_UNROLL
    for (int i = first; i + 1 < Items; i += 2) {
      // The higher one by multiplications, as in `ordering`.
      const std::uint32_t behind = word[i + 1] | apart[i + 1], both = word[i] * units.one + word[i + 1];
      word[i] = behind < word[i] ? behind : word[i];
      word[i + 1] = word[i] * units.minus_one + both;
    }
  };
  UPSWEEP_NO_UNROLL
  for (int left = rounds; left > 0; --left) {
    order_pairs(0);
    if (--left == 0) break;
    order_pairs(1);
    constexpr int last = Items - 1;
    const std::uint32_t behind = block.shuffle_down(word[0], 1), before = block.shuffle_up(word[last], 1);
    if ((heads >> Items & 1) == 0 && behind < word[last]) word[last] = behind;
    if ((heads & 1) == 0 && word[0] < before) word[0] = before;
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
