#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <thrust/version.h>

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include "references.cuh"

namespace upsweep::apps {
namespace {

std::string version_text(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace

std::string cub_version() {
  return version_text(CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
}
std::string thrust_version() {
  return version_text(THRUST_MAJOR_VERSION, THRUST_MINOR_VERSION, THRUST_SUBMINOR_VERSION);
}

std::vector<reference_call> cub_calls(runtime::stream s, const scan_arrays& a) {
  std::vector<reference_call> calls;
  const auto stream = static_cast<cudaStream_t>(s.handle);
  element_types::visit(a.type, [&](auto zero) {
    using T = decltype(zero);
    add_cub_calls(calls, a.n, {.name = "cub"},
                  [stream, in = static_cast<const T*>(a.in), out = static_cast<T*>(a.out)](void* storage,
                                                                                           std::size_t& bytes, auto n) {
                    return cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n, stream);
                  });
  });
  return calls;
}

std::vector<reference_call> thrust_calls(runtime::stream s, const scan_arrays& a) {
  std::vector<reference_call> calls;
  const auto policy = [stream = static_cast<cudaStream_t>(s.handle)](thrust_memory& memory) {
    return thrust::cuda::par_nosync(memory).on(stream);
  };
  element_types::visit(a.type, [&](auto zero) {
    using T = decltype(zero);
    add_thrust_call(calls, {.name = "thrust"}, policy,
                    [in = static_cast<const T*>(a.in), out = static_cast<T*>(a.out), n = a.n](const auto& on) {
                      thrust::exclusive_scan(on, in, in + n, out);
                    });
  });
  return calls;
}

}  // namespace upsweep::apps
