#include "segment_sums.hpp"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

namespace upsweep::apps {

template <class T>
status segment_sums_on_cuda(void* stream, bool by_key, workspace w, const segment_arrays<T>& a) {
  const auto s = static_cast<cudaStream_t>(stream);
  return static_cast<status>(by_key ? exclusive_sum_by_key(w, a.keys, a.in, a.out, a.n, equal_to{}, s)
                                    : exclusive_sum_segmented(w, a.in, a.offsets, a.out, a.n, a.segments, s));
}

template status segment_sums_on_cuda(void*, bool, workspace, const segment_arrays<std::uint32_t>&);
template status segment_sums_on_cuda(void*, bool, workspace, const segment_arrays<std::uint64_t>&);

}  // namespace upsweep::apps
