#include "segment_sums.hpp"

#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

namespace upsweep::apps {

template <class T>
std::size_t segment_sums_workspace_bytes(bool by_key, const segment_arrays<T>& a) {
  return by_key ? exclusive_sum_by_key_workspace_bytes(a.keys, a.in, a.out, a.n)
                : exclusive_sum_segmented_workspace_bytes(a.in, a.offsets, a.out, a.n, a.segments);
}

template <class T>
status segment_sums(runtime::stream s, bool by_key, workspace w, const segment_arrays<T>& a) {
  if (s.where == runtime::backend::cuda) return segment_sums_on_cuda(s.handle, by_key, w, a);
  const sim_stream stream{static_cast<const sim_options*>(s.handle)};
  return by_key ? exclusive_sum_by_key(w, a.keys, a.in, a.out, a.n, equal_to{}, stream)
                : exclusive_sum_segmented(w, a.in, a.offsets, a.out, a.n, a.segments, stream);
}

template std::size_t segment_sums_workspace_bytes(bool, const segment_arrays<std::uint32_t>&);
template std::size_t segment_sums_workspace_bytes(bool, const segment_arrays<std::uint64_t>&);
template status segment_sums(runtime::stream, bool, workspace, const segment_arrays<std::uint32_t>&);
template status segment_sums(runtime::stream, bool, workspace, const segment_arrays<std::uint64_t>&);

}  // namespace upsweep::apps
