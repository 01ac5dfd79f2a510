// Where segments lie with separate begins and ends. Their items, one segment after the other, are numbered: so all
// items can be dealt out alike, however long the segments are and wherever they lie.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Where the items of a segment are; there are none of one that ends before it begins or is not all in [0, n].
struct segment_range {
  std::int64_t begin, items;

  template <class Begins, class Ends>
  static UPSWEEP_DEVICE segment_range of(const Begins& begins, const Ends& ends, std::int64_t segment, std::int64_t n) {
    const auto begin = static_cast<std::int64_t>(begins[segment]), end = static_cast<std::int64_t>(ends[segment]);
    return {begin, 0 <= begin && begin < end && end <= n ? end - begin : 0};
  }
};

/// The lengths of segments, as an input of a scan; 0 after the last segment.
template <class Begins, class Ends, class Count, class Segments>
struct segment_lengths {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::int64_t;
  using difference_type = std::int64_t;
  using pointer = const std::int64_t*;
  using reference = std::int64_t;

  Begins begins;
  Ends ends;
  Count n;
  Segments segments;
  std::int64_t first;

  UPSWEEP_DEVICE std::int64_t operator[](std::int64_t i) const {
    const std::int64_t segment = first + i;
    if (segment >= items_of(segments)) return 0;
    return segment_range::of(begins, ends, segment, items_of(n)).items;
  }
  UPSWEEP_DEVICE segment_lengths operator+(std::int64_t i) const { return {begins, ends, n, segments, first + i}; }
};

/// Segments in the order of their numbers: starts[s] items are in those before s, starts[count] in all.
struct numbered_segments {
  const std::int64_t* starts;
  std::int64_t count;

  UPSWEEP_DEVICE std::int64_t items() const { return starts[count]; }

  /// The segment that has `item`, from segment `from` on, which starts at or before that. All lanes of a warp call,
  /// with the same arguments: they go forward by steps that grow, then by steps that shrink.
  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t find(Ctx& block, std::int64_t item, std::int64_t from) const {
    std::int64_t step = 1;
    for (bool grows = true;;) {
      const std::int64_t probe = from + (block.lane() + 1) * step;
      const int passed = count_lanes(block.ballot(probe < count && starts[probe] <= item));
      from += passed * step;
      grows = grows && passed == warp_size;
      if (grows) {
        step *= warp_size;
      } else if (step == 1) {
        return from;
      } else {
        step /= warp_size;
      }
    }
  }
};

/// Items of a tile by their places there, in an array in which segment s begins at begins[s].
template <class It, class Begins>
struct items_of_segments {
  It items;
  Begins begins;
  numbered_segments segments;
  std::int64_t first, first_segment;  ///< of the tile
  const std::uint32_t* segment;       ///< of each item, from first_segment on

  UPSWEEP_DEVICE decltype(auto) operator[](std::int64_t place) const {
    const std::int64_t s = first_segment + segment[place];
    return items[static_cast<std::int64_t>(begins[s]) + (first + place - segments.starts[s])];
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
