// Bisection: by a thread, and by a warp at once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The first place of [low, high) of which is_before(place) is false, or high. Where it is not true of all places up to
/// some place and of none from there on, any place of the range.
template <class Index, class Ask>
UPSWEEP_DEVICE Index partition_point(Index low, Index high, const Ask& is_before) {
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The same by a whole warp, whose lanes ask of a place each: in a fifth of the steps. All lanes get the answer.
template <class Ctx, class Ask>
UPSWEEP_DEVICE std::int64_t partition_point_by_warp(Ctx& block, std::int64_t low, std::int64_t high,
                                                    const Ask& is_before) {
  while (low < high) {
    const std::int64_t stride = (high - low + warp_size) / (warp_size + 1);
    const std::int64_t at = low + (block.lane() + 1) * stride - 1;
    const int before = count_lanes(block.ballot(at < high && is_before(at)));
    const std::int64_t past = low + (before + 1) * stride - 1;  // the place of the first lane that said no
    if (before < warp_size && past < high) high = past;
    low += before * stride;
  }
  return low;
}

/// The same by both halves of a warp, each in its own range: in a fourth of the steps. Each lane gets the answer of its
/// half.
template <class Ctx, class Ask>
UPSWEEP_DEVICE std::int64_t partition_point_by_halves(Ctx& block, std::int64_t low, std::int64_t high,
                                                      const Ask& is_before) {
  constexpr int lanes = warp_size / 2;
  const int lane = block.lane() % lanes, first_lane = block.lane() - lane;
  while (block.ballot(low < high) != 0) {
    const std::int64_t stride = (high - low + lanes) / (lanes + 1);
    const std::int64_t at = low + (lane + 1) * stride - 1;
    const lane_mask yes = block.ballot(low < high && at < high && is_before(at));
    if (low >= high) continue;  // of this half, which goes on with the other one
    const int before = count_lanes(yes >> first_lane & ((lane_mask{1} << lanes) - 1));
    const std::int64_t past = low + (before + 1) * stride - 1;  // the place of the first lane that said no
    if (before < lanes && past < high) high = past;
    low += before * stride;
  }
  return low;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
