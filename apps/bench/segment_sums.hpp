// Exclusive sums of segments by upsweep, on either device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::apps {

/// Segments that cover all n items, given twice: neighbours of a segment have the same key, those of two segments have
/// different ones; segment s has the items offsets[s] to offsets[s + 1] - 1. T, of items and keys: u32 or u64.
template <class T>
struct segment_arrays {
  const T* in;
  T* out;
  std::int64_t n;
  const T* keys;
  const std::int64_t* offsets;
  std::int64_t segments;
};

template <class T>
std::size_t segment_sums_workspace_bytes(bool by_key, const segment_arrays<T>& a);
template <class T>
status segment_sums(runtime::stream s, bool by_key, workspace w, const segment_arrays<T>& a);

/// The part of segment_sums that nvcc compiles.
template <class T>
status segment_sums_on_cuda(void* stream, bool by_key, workspace w, const segment_arrays<T>& a);

}  // namespace upsweep::apps
