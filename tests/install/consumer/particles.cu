// A particle system in CUDA C++: emit, age, cull the dead, sort the living by depth; nothing waits until the end.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace {

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  std::exit(1);
}

template <class T>
T* array(std::int64_t n) {
  void* p = nullptr;
  check(cudaMalloc(&p, static_cast<std::size_t>(n) * sizeof(T)));
  return static_cast<T*>(p);
}

__global__ void emit(float* depth, float* life, std::uint32_t* id, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  depth[i] = static_cast<float>(i * 7919 % 1009);
  life[i] = static_cast<float>(i % 4);
  id[i] = static_cast<std::uint32_t>(i);
}

__global__ void age(float* life, float dt, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) life[i] -= dt;
}

struct is_alive {
  const float* life;
  __device__ __host__ bool operator()(std::int64_t i) const { return life[i] > 0; }
};

}  // namespace

int main() {
  int devices = 0;
  if (const cudaError_t e = cudaGetDeviceCount(&devices); e != cudaSuccess || devices == 0) {
    std::printf("SKIP: built, but not run, as there is no GPU: %s\n", cudaGetErrorName(e));
    return 0;
  }
  const std::int64_t n = 100'000, living = n / 2;
  float *depth = array<float>(n), *life = array<float>(n), *sorted_depth = array<float>(n);
  std::uint32_t *id = array<std::uint32_t>(n), *sorted_id = array<std::uint32_t>(n);
  std::int64_t* count = array<std::int64_t>(1);
  const upsweep::soa_array particles[] = {{depth, depth, 4}, {id, id, 4}};
  const std::size_t bytes = std::max({upsweep::select_arrays_workspace_bytes(particles, n),
                                      upsweep::sort_pairs_workspace_bytes<float, std::uint32_t>(living),
                                      upsweep::sum_workspace_bytes(sorted_id, sorted_id, living)});
  const upsweep::workspace workspace{array<char>(static_cast<std::int64_t>(bytes)), bytes};
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));

  const int blocks = static_cast<int>((n + 255) / 256);
  emit<<<blocks, 256, 0, stream>>>(depth, life, id, n);
  age<<<blocks, 256, 0, stream>>>(life, 1.0f, n);
  check(upsweep::select_arrays(workspace, particles, n, is_alive{life}, count, stream));
  check(upsweep::sort_pairs(workspace, depth, sorted_depth, id, sorted_id, living, {}, upsweep::sort_order::descending,
                            stream));
  std::vector<float> depths(living);
  std::vector<std::uint32_t> ids(living), sums(living);
  std::int64_t kept = 0;
  check(cudaMemcpyAsync(ids.data(), sorted_id, living * 4, cudaMemcpyDefault, stream));
  check(upsweep::exclusive_sum(workspace, sorted_id, sorted_id, living, stream));
  check(cudaMemcpyAsync(sums.data(), sorted_id, living * 4, cudaMemcpyDefault, stream));
  check(cudaMemcpyAsync(depths.data(), sorted_depth, living * 4, cudaMemcpyDefault, stream));
  check(cudaMemcpyAsync(&kept, count, 8, cudaMemcpyDefault, stream));
  check(cudaStreamSynchronize(stream));

  bool right = kept == living;
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; right && i < living; ++i) {
    right = ids[i] % 4 >= 2 && depths[i] == static_cast<float>(ids[i] * 7919ll % 1009) && sums[i] == sum &&
            (i == 0 || depths[i] <= depths[i - 1]);
    sum += ids[i];
  }
  std::printf("%lld of %lld particles live: %s\n", static_cast<long long>(kept), static_cast<long long>(n),
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
