// One frame of a particle system as one CUDA graph: emit, age, compact, sort by depth, sum. How many particles live is
// known to the GPU alone: each call reads the count that the one before has written, and nothing waits for the host.
#include <cstdint>
#include <cstdio>

#include "example.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/sort/radix_sort.cuh"

constexpr int capacity = 1 << 20, emitted = 30'000, frames = 100, longest_life = 40;

struct counts {
  int frame, live, born;
};

// After those that live, as far as there is room.
__global__ void emit(counts* now, float* depth, int* life) {
  const int room = capacity - now->live, born = emitted < room ? emitted : room;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < born; i += gridDim.x * blockDim.x) {
    const unsigned random = (now->frame * emitted + i) * 2654435761u;
    depth[now->live + i] = static_cast<float>(random >> 8);
    life[now->live + i] = 1 + random % longest_life;
  }
}
__global__ void count_born(counts* now) {
  const int room = capacity - now->live;
  now->born = now->live + (emitted < room ? emitted : room);
  ++now->frame;
}
__global__ void age(const counts* now, int* life) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < now->born; i += gridDim.x * blockDim.x) --life[i];
}

struct is_alive {
  const int* life;
  __host__ __device__ bool operator()(std::int64_t i) const { return life[i] > 0; }
};

int main() {
  if (!has_gpu()) return 0;
  counts* const now = zeros<counts>(1);
  float *const depth = zeros<float>(capacity), *const far_to_near = zeros<float>(capacity);
  int *const life = zeros<int>(capacity), *const life_sorted = zeros<int>(capacity), *const sums = zeros<int>(capacity);
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));

  const upsweep::soa_array arrays[] = {{depth, depth, sizeof *depth}, {life, life, sizeof *life}};
  const upsweep::device_count born{&now->born, capacity}, live{&now->live, capacity};
  const upsweep::stream_pool pool;  // workspaces come from the graph's own memory

  const cudaGraphExec_t frame = captured(stream, [&] {
    emit<<<64, 256, 0, stream>>>(now, depth, life);
    count_born<<<1, 1, 0, stream>>>(now);
    age<<<64, 256, 0, stream>>>(now, life);
    check(upsweep::select_arrays(pool, arrays, &now->live, born, upsweep::by_index{is_alive{life}}, stream));
    check(upsweep::sort_pairs(pool, depth, far_to_near, life, life_sorted, live, upsweep::sort_order::descending, {},
                              stream));
    check(upsweep::inclusive_sum(pool, life_sorted, sums, live, stream));
  });
  for (int i = 0; i < frames; ++i) check(cudaGraphLaunch(frame, stream));
  check(cudaStreamSynchronize(stream));

  // What the last frame left: depths that fall, lives that add up.
  counts last;
  check(cudaMemcpy(&last, now, sizeof last, cudaMemcpyDefault));
  float* const depths = new float[last.live];
  int* const lives = new int[2 * last.live];
  check(cudaMemcpy(depths, far_to_near, last.live * sizeof(float), cudaMemcpyDefault));
  check(cudaMemcpy(lives, life_sorted, last.live * sizeof(int), cudaMemcpyDefault));
  check(cudaMemcpy(lives + last.live, sums, last.live * sizeof(int), cudaMemcpyDefault));
  bool right = last.frame == frames && last.live > emitted;
  int sum = 0;
  for (int i = 0; i < last.live; ++i) {
    sum += lives[i];
    right = right && lives[i] > 0 && lives[last.live + i] == sum && (i == 0 || depths[i - 1] >= depths[i]);
  }
  std::printf("%d particles live after %d frames, for %d frames more in all: %s\n", last.live, last.frame, sum,
              right ? "right" : "WRONG");
  return right ? 0 : 1;
}
