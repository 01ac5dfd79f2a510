// Scans inside kernels of your own: plain CUDA, launched as you launch any other, with shared memory that the kernel
// declares. What a scan needs to know of its block it asks a cuda_block, which costs nothing. Blocks are
// one-dimensional, of as many threads as the cuda_block and the scan say.
//
//   nvcc -std=c++20 -arch=native -I scan/include scan/examples/block_scan_in_your_kernel.cu
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "scenes.hpp"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/cuda_block.cuh"

namespace {

constexpr int threads = 256;

// A thread an emitter. The block takes a piece of `emitter_of` for all of its particles; the scan says where each
// emitter's begin in that piece.
using block_scan = upsweep::block_scan<std::uint32_t, upsweep::warp_scans<threads>>;

__global__ void spawn(const std::uint32_t* wanted, int emitters, std::uint32_t* spawned, int* emitter_of) {
  __shared__ block_scan::temp_storage storage;
  __shared__ std::uint32_t first;
  upsweep::cuda_block<threads> block;

  const int emitter = blockIdx.x * threads + threadIdx.x;
  const std::uint32_t mine = emitter < emitters ? wanted[emitter] : 0;
  std::uint32_t all;
  const std::uint32_t before = block_scan::exclusive_scan(block, storage, mine, 0u, upsweep::plus{}, all);
  if (threadIdx.x == 0) first = atomicAdd(spawned, all);
  __syncthreads();
  for (std::uint32_t i = 0; i < mine; ++i) emitter_of[first + before + i] = emitter;
}

// A warp a ray: a point is seen when it is higher than all before it. No shared memory, no barrier.
__global__ void see(const float* slope, int rays, char* seen) {
  upsweep::cuda_block<threads> block;
  const int ray = blockIdx.x * block.warps + block.warp();
  if (ray >= rays) return;  // the whole warp

  const int point = ray * 32 + block.lane();
  const float highest = upsweep::warp_inclusive_scan(block, slope[point], upsweep::maximum{});
  const float highest_before = block.shuffle_up(highest, 1);
  seen[point] = block.lane() == 0 || slope[point] > highest_before;
}

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  std::exit(1);
}

template <class T>
T* on_gpu(const std::vector<T>& items) {
  T* p = nullptr;
  check(cudaMalloc(&p, items.size() * sizeof(T)));
  check(cudaMemcpy(p, items.data(), items.size() * sizeof(T), cudaMemcpyDefault));
  return p;
}

template <class T>
std::vector<T> from_gpu(const T* p, std::size_t n) {
  std::vector<T> items(n);
  check(cudaMemcpy(items.data(), p, n * sizeof(T), cudaMemcpyDefault));
  return items;
}

bool spawns() {
  const std::vector<std::uint32_t> wanted = example::some_emitters();
  const int emitters = static_cast<int>(wanted.size());
  std::uint32_t* const wanted_on_gpu = on_gpu(wanted);
  std::uint32_t* const spawned = on_gpu(std::vector<std::uint32_t>{0});
  int* const emitter_of = on_gpu(std::vector<int>(wanted.size() * 4));
  spawn<<<(emitters + threads - 1) / threads, threads>>>(wanted_on_gpu, emitters, spawned, emitter_of);
  check(cudaGetLastError());
  const std::vector<int> result = from_gpu(emitter_of, wanted.size() * 4);
  const bool right = example::is_spawned(wanted, result, from_gpu(spawned, 1)[0]);
  check(cudaFree(wanted_on_gpu));
  check(cudaFree(spawned));
  check(cudaFree(emitter_of));
  return right;
}

bool sees() {
  const std::vector<float> slope = example::some_slopes();
  const int rays = static_cast<int>(slope.size()) / 32, rays_of_block = threads / 32;
  float* const slope_on_gpu = on_gpu(slope);
  char* const seen = on_gpu(std::vector<char>(slope.size()));
  see<<<(rays + rays_of_block - 1) / rays_of_block, threads>>>(slope_on_gpu, rays, seen);
  check(cudaGetLastError());
  const bool right = example::is_seen(slope, from_gpu(seen, slope.size()));
  check(cudaFree(slope_on_gpu));
  check(cudaFree(seen));
  return right;
}

}  // namespace

int main() {
  int devices = 0;
  if (const cudaError_t e = cudaGetDeviceCount(&devices); e != cudaSuccess || devices == 0) {
    std::printf("SKIP: no GPU: %s\n", cudaGetErrorString(e == cudaSuccess ? cudaErrorNoDevice : e));
    return 0;
  }
  const bool spawned = spawns(), seen = sees();
  std::printf("spawn: %s, see: %s\n", spawned ? "right" : "wrong", seen ? "right" : "wrong");
  return spawned && seen ? 0 : 1;
}
