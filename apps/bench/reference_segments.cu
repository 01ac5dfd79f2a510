#include <cub/device/device_scan.cuh>

#include "references.cuh"

namespace upsweep::apps {

template <class T>
std::vector<reference_call> cub_calls(runtime::stream s, const segment_arrays<T>& a) {
  std::vector<reference_call> calls;
  add_cub_calls(calls, a.n, {.name = "cub"},
                [stream = static_cast<cudaStream_t>(s.handle), a](void* storage, std::size_t& bytes, auto n) {
                  return cub::DeviceScan::ExclusiveSumByKey(storage, bytes, a.keys, a.in, a.out, n,
                                                            cuda::std::equal_to<>{}, stream);
                });
  return calls;
}

template std::vector<reference_call> cub_calls(runtime::stream, const segment_arrays<std::uint32_t>&);
template std::vector<reference_call> cub_calls(runtime::stream, const segment_arrays<std::uint64_t>&);

}  // namespace upsweep::apps
