#include <thrust/copy.h>
#include <thrust/execution_policy.h>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <stdexcept>

#include "references.cuh"

namespace upsweep::apps {
namespace {

template <class T>
struct between {
  T low, high;
  __host__ __device__ bool operator()(const T& x) const { return low <= x && x < high; }
};

template <class T>
between<T> bounds_of(const select_arrays_of_one& a) {
  return {*static_cast<const T*>(a.low), *static_cast<const T*>(a.high)};
}

}  // namespace

std::vector<reference_call> cub_calls(runtime::stream s, const select_arrays_of_one& a) {
  std::vector<reference_call> calls;
  const auto stream = static_cast<cudaStream_t>(s.handle);
  element_types::visit(a.type, [&](auto zero) {
    using T = decltype(zero);
    add_cub_calls(calls, a.n, {.name = "cub"},
                  [stream, in = static_cast<const T*>(a.in), out = static_cast<T*>(a.out), count = a.count,
                   keep = bounds_of<T>(a)](void* storage, std::size_t& bytes, auto n) {
                    return cub::DeviceSelect::If(storage, bytes, in, out, count, n, keep, stream);
                  });
  });
  return calls;
}

std::vector<reference_call> cub_calls(runtime::stream s, const partition_arrays_of_one& a) {
  std::vector<reference_call> calls;
  const auto stream = static_cast<cudaStream_t>(s.handle);
  partition_types::visit(a.type, [&](auto zero) {
    using T = decltype(zero);
    add_cub_calls(calls, a.n, {.name = "cub", .ends_in_spare = std::make_shared<bool>(true)},
                  [stream, in = static_cast<const T*>(a.in), out = static_cast<T*>(a.out), count = a.count,
                   keep = bounds_of<T>(a)](void* storage, std::size_t& bytes, auto n) {
                    return cub::DevicePartition::If(storage, bytes, in, out, count, n, keep, stream);
                  });
  });
  return calls;
}

/// copy_if answers with the end of the output, so it waits for the device.
std::vector<reference_call> thrust_calls(runtime::stream s, const select_arrays_of_one& a) {
  std::vector<reference_call> calls;
  const auto stream = static_cast<cudaStream_t>(s.handle);
  const auto policy = [stream](thrust_memory& memory) { return thrust::cuda::par(memory).on(stream); };
  element_types::visit(a.type, [&](auto zero) {
    using T = decltype(zero);
    add_thrust_call(calls, {.name = "thrust", .waits = true, .capturable = false}, policy,
                    [stream, in = static_cast<const T*>(a.in), out = static_cast<T*>(a.out), n = a.n, count = a.count,
                     keep = bounds_of<T>(a)](const auto& on) {
                      const std::int64_t kept = thrust::copy_if(on, in, in + n, out, keep) - out;
                      const auto e = cudaMemcpyAsync(count, &kept, sizeof kept, cudaMemcpyHostToDevice, stream);
                      if (e != cudaSuccess) throw std::runtime_error("the count was not copied");
                    });
  });
  return calls;
}

}  // namespace upsweep::apps
