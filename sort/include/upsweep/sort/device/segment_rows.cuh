// Pairs in short segments: a kernel of its own sorts them as rows, and lists those that are others.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/device/row_of_pairs.cuh"
#include "upsweep/sort/device/segments_of_a_warp.cuh"
#include "upsweep/sort/device/short_segment_rows.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Each warp has the next segments_of_warp of them, as in segment_lists_kernel, for which it lists those that are left,
/// up to 32 at a time.
template <class Key, class Value, class Digits, int Threads = 256>
struct segment_rows_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int warps = block_threads / warp_size;
  static constexpr int blocks_per_multiprocessor = 4;
  static constexpr bool lets_next_begin = true;
  using rows = short_segment_rows<row_of_pairs<Key, Value, Digits>>;
  struct temp_storage {
    typename rows::temp_storage of_warp[warps];
  };

  template <class Ctx, class Count, class Segments, class Begins, class Ends>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, rows in_rows, Count count, Segments segment_count,
                                 Begins begins, Ends ends, warps_left left, int segments_of_warp) const {
    const std::int64_t number = block.block_index() * warps + block.warp();
    const segments_of_a_warp<Begins, Ends> range_of{number * segments_of_warp, segments_of_warp, items_of(count),
                                                    items_of(segment_count),   begins,           ends};
    if (range_of.first >= range_of.segments) return;
    const int of_a_lane = (segments_of_warp + warp_size - 1) / warp_size;
    if (in_rows.sort(block, s.of_warp[block.warp()], of_a_lane, range_of) || block.lane() != 0) return;
    // As many as segment_lists_kernel has warps for.
    const std::int64_t behind = range_of.segments - range_of.first, all = (behind + warp_size - 1) / warp_size;
    const int listed = all < of_a_lane ? static_cast<int>(all) : of_a_lane;
    const std::uint64_t first = block.atomic_add(left.count, static_cast<std::uint64_t>(listed));
    for (int i = 0; i < listed; ++i) {
      left.number[first + static_cast<std::uint64_t>(i)] = static_cast<std::uint32_t>(number * of_a_lane + i);
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
