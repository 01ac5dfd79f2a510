#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#if CUB_VERSION >= 300500
#include <cub/device/device_segmented_scan.cuh>
#endif

#include "references.cuh"

namespace upsweep::apps {

template <class T>
std::vector<reference_call> cub_calls(runtime::stream s, [[maybe_unused]] bool by_key, const segment_arrays<T>& a) {
  std::vector<reference_call> calls;
  const auto stream = static_cast<cudaStream_t>(s.handle);
  add_cub_calls(calls, a.n, {.name = "cub"}, [stream, a](void* storage, std::size_t& bytes, auto n) {
    return cub::DeviceScan::ExclusiveSumByKey(storage, bytes, a.keys, a.in, a.out, n, cuda::std::equal_to<>{}, stream);
  });
#if CUB_VERSION >= 300500
  if (!by_key) {
    add_cub_call(calls, {.name = "cub segmented"}, [stream, a](void* storage, std::size_t& bytes) {
      return cub::DeviceSegmentedScan::ExclusiveSegmentedSum(storage, bytes, a.in, a.out, a.offsets, a.offsets + 1,
                                                             a.segments, stream);
    });
  }
#endif
  return calls;
}

template std::vector<reference_call> cub_calls(runtime::stream, bool, const segment_arrays<std::uint32_t>&);
template std::vector<reference_call> cub_calls(runtime::stream, bool, const segment_arrays<std::uint64_t>&);

}  // namespace upsweep::apps
