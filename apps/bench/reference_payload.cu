#include <thrust/execution_policy.h>
#include <thrust/sequence.h>

#include <cub/device/device_radix_sort.cuh>

#include "references.cuh"

namespace upsweep::apps {
namespace {

struct alignas(16) row {
  std::uint32_t word[4];
};

__global__ void gather(const row* in, row* out, const std::uint32_t* place, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[place[i]];
}

/// The places of n keys before the sort, made once.
std::shared_ptr<std::uint32_t> places_of(std::int64_t n) {
  void* memory = nullptr;
  if (cudaMalloc(&memory, static_cast<std::size_t>(n) * sizeof(std::uint32_t)) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  const std::shared_ptr<std::uint32_t> places(static_cast<std::uint32_t*>(memory),
                                              [](std::uint32_t* p) { static_cast<void>(cudaFree(p)); });
  thrust::sequence(thrust::device, places.get(), places.get() + n);
  return places;
}

}  // namespace

std::vector<reference_call> cub_calls(runtime::stream s, const payload_arrays& a) {
  std::vector<reference_call> calls;
  const auto stream = static_cast<cudaStream_t>(s.handle);
  const auto places = places_of(a.n);
  const std::size_t sorted_bytes = (static_cast<std::size_t>(a.n) * sizeof(std::uint32_t) + 255) / 256 * 256;
  add_cub_calls(calls, a.n, {.name = "cub and gathers"}, [=](void* storage, std::size_t& bytes, auto n) {
    if (places == nullptr) return cudaErrorMemoryAllocation;
    auto* const sorted = static_cast<std::uint32_t*>(storage);
    void* const rest = storage == nullptr ? nullptr : static_cast<char*>(storage) + sorted_bytes;
    std::size_t rest_bytes = bytes - sorted_bytes;
    cudaError_t e =
        cub::DeviceRadixSort::SortPairs(rest, rest_bytes, a.keys_in, a.keys_out,
                                        static_cast<const std::uint32_t*>(places.get()), sorted, n, 0, 32, stream);
    if (storage == nullptr) {
      bytes = sorted_bytes + rest_bytes;
      return e;
    }
    constexpr int threads = 256;
    const auto blocks = static_cast<unsigned>((a.n + threads - 1) / threads);
    for (std::size_t k = 0; k < a.in.size() && e == cudaSuccess; ++k) {
      gather<<<blocks, threads, 0, stream>>>(static_cast<const row*>(a.in[k]), static_cast<row*>(a.out[k]), sorted,
                                             a.n);
      e = cudaGetLastError();
    }
    return e;
  });
  return calls;
}

}  // namespace upsweep::apps
