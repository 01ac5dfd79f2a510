// Operations that have one way to do them and take u32 alone: what they are called with, and what their commands say.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "operation.hpp"

namespace upsweep::apps {

/// What a command line says of a primitive.
struct primitive {
  operation what;
  std::string_view about;    ///< what is timed, and against what
  std::string_view options;  ///< an example
  std::span<const std::string_view> distributions;
};

/// In the order of their operations.
std::span<const primitive> primitives();
const primitive& primitive_of(operation what);

/// Arrays in device memory. They are:
///   segmented_sort: in keys, begins of segments and one more; out keys
///   top_k:          in keys; out the largest `more`, sorted
///   reduce_by_key:  in keys, values; out the key and the sum of each run, and how many runs there are
///   run_lengths:    in keys; out the key and the length of each run, and how many runs there are
///   unique:         in keys; out the key of each run, the number of each key's run, and how many runs there are
///   group_by:       in the group of each item, of `more`; out the order of the items, where each group begins, the end
///   merge:          in `more` keys, and the others; out all
///   expand:         in counts; out the item of each output, of `more`, and how many outputs there are
///   splats:         in boxes of tiles (splats.hpp), depths; out the splats of all tiles, `more` in room for more,
///   where
///                   those of each tile begin, and where they end, and how many there are
/// Keys, values, counts, groups and items are u32, or keys of top_k and depths f32, none below 0; offsets, and how many
/// there are, of 8 bytes.
struct primitive_arrays {
  operation what;
  std::int64_t n;
  std::int64_t more;  ///< of segmented_sort, the segments
  bool has_floats;    ///< of top_k: keys are f32
  std::array<void*, 2> in;
  std::array<void*, 3> out;

  std::uint32_t* words_in(int i) const { return static_cast<std::uint32_t*>(in[i]); }
  std::uint32_t* words_out(int i) const { return static_cast<std::uint32_t*>(out[i]); }
  std::int64_t* offsets_in(int i) const { return static_cast<std::int64_t*>(in[i]); }
  std::int64_t* offsets_out(int i) const { return static_cast<std::int64_t*>(out[i]); }
};

}  // namespace upsweep::apps
