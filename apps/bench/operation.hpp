// What upsweep-bench measures.
#pragma once

#include <string_view>

namespace upsweep::apps {

enum class operation {
  scan,
  compact,
  flagged,
  partition,
  split,
  sort,
  by_key,
  segmented,
  axis,
  segmented_sort,
  top_k,
  reduce_by_key,
  run_lengths,
  unique,
  group_by,
  merge,
  expand,
  splats
};
inline constexpr std::string_view operation_names[] = {
    "scan",           "compact", "flagged",       "partition",   "split",  "sort",     "by_key", "segmented", "axis",
    "segmented_sort", "top_k",   "reduce_by_key", "run_lengths", "unique", "group_by", "merge",  "expand",    "splats"};

/// One of primitives.hpp: of u32 alone, and no variants.
inline bool is_primitive(operation what) {
  return what >= operation::segmented_sort && what <= operation::splats;
}

/// Exclusive sums of segments: u32 alone, and no variants.
inline bool is_of_segments(operation what) {
  return what == operation::by_key || what == operation::segmented;
}

/// There are scan variants.
inline bool has_variants(operation what) {
  return what != operation::partition && what != operation::split && what != operation::axis && !is_of_segments(what) &&
         !is_primitive(what);
}

/// Some elements are kept, others not.
inline bool is_selection(operation what) {
  return what == operation::compact || what == operation::flagged || what == operation::partition;
}

}  // namespace upsweep::apps
