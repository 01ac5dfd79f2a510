// Every public call of the scan once, as a program would write it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "functors.hpp"
#include "upsweep/scan/axis_scan.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

namespace calls {

template <class Stream>
bool scans(upsweep::workspace w, const int* in, std::int64_t* out, const int* keys, Stream stream) {
  using upsweep::plus, upsweep::equal_to;
  using error = upsweep::error_of<Stream>;
  constexpr error good{};
  constexpr std::int64_t n = 100;
  std::int64_t* const total = out + n;
  const upsweep::array_axis axis = upsweep::along({n / 10, 10}, 0);
  const std::size_t bytes = upsweep::exclusive_scan_workspace_bytes(in, out, n, plus{}, 0) +
                            upsweep::inclusive_scan_workspace_bytes(in, out, n, plus{}) +
                            upsweep::inclusive_sum_workspace_bytes(in, out, n) +
                            upsweep::exclusive_scan_by_key_workspace_bytes(keys, in, out, n, plus{}, 0) +
                            upsweep::inclusive_scan_by_key_workspace_bytes(keys, in, out, n, plus{}) +
                            upsweep::inclusive_sum_by_key_workspace_bytes(keys, in, out, n) +
                            upsweep::exclusive_scan_segmented_workspace_bytes(in, keys, out, n, 3, plus{}, 0) +
                            upsweep::inclusive_scan_segmented_workspace_bytes(in, keys, out, n, 3, plus{}) +
                            upsweep::inclusive_sum_segmented_workspace_bytes(in, keys, out, n, 3) +
                            upsweep::exclusive_scan_axis_workspace_bytes(in, out, axis, plus{}, 0) +
                            upsweep::inclusive_scan_axis_workspace_bytes(in, out, axis, plus{}) +
                            upsweep::exclusive_sum_axis_workspace_bytes(in, out, axis) +
                            upsweep::inclusive_sum_axis_workspace_bytes(in, out, axis.backward());
  return bytes > 0 && upsweep::exclusive_scan(w, in, out, n, sum{}, 0, stream) == good &&
         upsweep::inclusive_scan(w, in, out, n, sum{}, stream) == good &&
         upsweep::inclusive_scan_init(w, in, out, n, sum{}, 0, stream) == good &&
         upsweep::exclusive_scan_with_total(w, in, out, total, n, sum{}, 0, stream) == good &&
         upsweep::inclusive_scan_with_total(w, in, out, total, n, sum{}, stream) == good &&
         upsweep::inclusive_scan_init_with_total(w, in, out, total, n, sum{}, 0, stream) == good &&
         upsweep::exclusive_sum(w, in, out, upsweep::device_count{keys, n}, stream) == good &&
         upsweep::inclusive_sum(w, in, out, n, stream) == good &&
         upsweep::exclusive_scan_by_key(w, keys, in, out, n, sum{}, 0, same{}, stream) == good &&
         upsweep::inclusive_scan_by_key(w, keys, in, out, n, sum{}, same{}, stream) == good &&
         upsweep::exclusive_sum_by_key(w, keys, in, out, n, same{}, stream) == good &&
         upsweep::inclusive_sum_by_key(w, keys, in, out, n, same{}, stream) == good &&
         upsweep::exclusive_scan_segmented(w, in, keys, out, n, 3, sum{}, 0, stream) == good &&
         upsweep::inclusive_scan_segmented(w, in, keys, out, n, 3, sum{}, stream) == good &&
         upsweep::exclusive_sum_segmented(w, in, keys, out, n, 3, stream) == good &&
         upsweep::inclusive_sum_segmented(w, in, keys, out, n, 3, stream) == good &&
         upsweep::exclusive_scan_axis(w, in, out, axis, sum{}, 0, stream) == good &&
         upsweep::inclusive_scan_axis(w, in, out, axis, sum{}, stream) == good &&
         upsweep::exclusive_sum_axis(w, in, out, axis, stream) == good &&
         upsweep::inclusive_sum_axis(w, in, out, axis.backward(), stream) == good;
}

}  // namespace calls
