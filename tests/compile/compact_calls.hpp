// Every public call of compaction once, as a program would write it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "functors.hpp"
#include "upsweep/compact/expand.cuh"
#include "upsweep/compact/group_by.cuh"
#include "upsweep/compact/histogram.cuh"
#include "upsweep/compact/particles.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"

namespace calls {

template <class Stream>
bool compactions(upsweep::workspace w, const int* in, int* out, const unsigned char* flags, std::int64_t* count,
                 Stream stream) {
  using error = upsweep::error_of<Stream>;
  constexpr error good{};
  constexpr std::int64_t n = 100;
  const upsweep::soa_array arrays[] = {{in, out, sizeof *in}};
  const upsweep::by_index at{at_odd{}};
  const upsweep::by_index quarter{at_quarter{}};
  const std::size_t bytes = upsweep::select_arrays_workspace_bytes(arrays, count, n, at) +
                            upsweep::partition_arrays_workspace_bytes(arrays, count, n, at) +
                            upsweep::select_workspace_bytes(in, out, count, n, at) +
                            upsweep::select_if_workspace_bytes(in, out, count, n, is_odd{}) +
                            upsweep::select_flagged_workspace_bytes(in, flags, out, count, n) +
                            upsweep::partition_workspace_bytes(in, out, out + n, count, n, at) +
                            upsweep::partition_if_workspace_bytes(in, out, nullptr, count, n, is_odd{}) +
                            upsweep::partition_flagged_workspace_bytes(in, flags, out, nullptr, count, n) +
                            upsweep::unique_workspace_bytes(in, out, count, n, same{}) +
                            upsweep::unique_by_key_workspace_bytes(in, out, in + n, out + n, count, n, same{}) +
                            upsweep::split_arrays_workspace_bytes(arrays, count, n, 4, quarter) +
                            upsweep::split_workspace_bytes(in, out, count, n, 4, halved{}) +
                            upsweep::expand_workspace_bytes(in, out, count, n, sum{}) +
                            upsweep::group_by_workspace_bytes(in, out, count, n, 4, halved{}) +
                            upsweep::group_by_index_workspace_bytes(out, count, n, 4, quarter);
  return bytes > 0 && upsweep::select_arrays(w, arrays, count, n, at, stream) == good &&
         upsweep::select_arrays(w, arrays, count, n, upsweep::keep_rules{}, stream) == good &&
         upsweep::partition_arrays(w, arrays, count, n, at, upsweep::rejected_order::after, stream) == good &&
         upsweep::select(w, in, out, count, n, at, stream) == good &&
         upsweep::select(w, flags, out, count, n, at, stream) == good &&  // through iterators
         upsweep::select_if(w, in, out, count, n, is_odd{}, stream) == good &&
         upsweep::select_flagged(w, in, flags, out, count, n, stream) == good &&
         upsweep::partition(w, in, out, out + n, count, n, at, upsweep::rejected_order::after, stream) == good &&
         upsweep::partition_if(w, in, out, nullptr, count, n, is_odd{}, upsweep::rejected_order::after, stream) ==
             good &&
         upsweep::partition_flagged(w, in, flags, out, nullptr, count, n, upsweep::rejected_order::backwards, stream) ==
             good &&
         upsweep::unique(w, in, out, count, n, same{}, stream) == good &&
         upsweep::unique_by_key(w, in, out, in + n, out + n, count, n, same{}, stream) == good &&
         upsweep::split_arrays(w, arrays, count, n, 4, quarter, stream) == good &&
         upsweep::split(w, in, out, count, n, 4, halved{}, stream) == good &&
         upsweep::expand(w, in, out, count, n, sum{}, stream) == good &&
         upsweep::group_by(w, in, out, count, n, 4, halved{}, stream) == good &&
         upsweep::group_by_index(w, out, count, n, 4, quarter, stream) == good &&
         upsweep::histogram(in, count, n, 4, halved{}, stream) == good &&
         upsweep::histogram_index(out, n, 4, quarter, stream) == good;
}

}  // namespace calls
