// Exclusive sums of segments by upsweep, on either device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// Segments that cover all n items, told twice: neighbours of a segment have the same key, those of two segments have
/// different ones; segment s has the items offsets[s] to offsets[s + 1] - 1.
struct segment_arrays {
  const std::uint32_t* in;
  std::uint32_t* out;
  std::int64_t n;
  const std::uint32_t* keys;
  const std::int64_t* offsets;
  std::int64_t segments;
};

std::size_t segment_sums_workspace_bytes(bool by_key, const segment_arrays& a);
status segment_sums(runtime::stream s, bool by_key, workspace w, const segment_arrays& a);

/// The part of segment_sums that nvcc compiles.
status segment_sums_on_cuda(void* stream, bool by_key, workspace w, const segment_arrays& a);

}  // namespace upsweep::apps
