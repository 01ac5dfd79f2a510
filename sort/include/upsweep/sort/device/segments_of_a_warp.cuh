// Which segments a warp has.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/device/bounded_segments.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Segments that are still to be sorted, by the number of the warp that has them; or none, where all are.
struct warps_left {
  std::uint32_t* number;
  std::uint64_t* count;
};

/// Ranges of the segments that a warp has: `of_warp` from `first` on, of `segments` in all.
template <class Begins, class Ends>
struct segments_of_a_warp {
  std::int64_t first;
  int of_warp;
  std::int64_t n, segments;
  const Begins& begins;
  const Ends& ends;
  UPSWEEP_DEVICE segment_range operator()(int number) const {
    const std::int64_t segment = first + number;
    segment_range range{};
    if (number < of_warp && segment < segments) range = segment_range::of(begins, ends, segment, n);
    return range;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
