// A particle system in CUDA C++, frame after frame in one captured graph: emit, integrate, cull the dead, sort the
// living by depth. How many live is known to the device alone, and nothing waits until the end.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace {

constexpr std::uint32_t capacity = 100'000, emitted = 12'000, longest_life = 16, frames = 100;

void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
  std::exit(1);
}

template <class T>
T* array(std::int64_t n) {
  void* p = nullptr;
  check(cudaMalloc(&p, static_cast<std::size_t>(n) * sizeof(T)));
  check(cudaMemset(p, 0, static_cast<std::size_t>(n) * sizeof(T)));
  return static_cast<T*>(p);
}

__host__ __device__ float depth_of(std::uint32_t id) {
  return static_cast<float>(id * 7919ull % 1009);
}
/// The frames in which a particle is drawn; 0 for one that dies as soon as it is there.
__host__ __device__ std::uint32_t life_of(std::uint32_t id) {
  return id * 2654435761u % longest_life;
}

struct particles {
  float* depth;
  std::uint32_t *id, *life;
};
struct counts {
  std::uint32_t frame, live, born;
};

/// After those that live, as far as there is room.
__global__ void emit(particles p, counts* now) {
  const std::uint32_t room = capacity - now->live, born = emitted < room ? emitted : room;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < born; i += gridDim.x * blockDim.x) {
    const std::uint32_t id = now->frame * emitted + i, at = now->live + i;
    p.id[at] = id;
    p.depth[at] = depth_of(id);
    p.life[at] = life_of(id) + 1;
  }
}

__global__ void begin(counts* now) {
  const std::uint32_t room = capacity - now->live;
  now->born = now->live + (emitted < room ? emitted : room);
  ++now->frame;
}

__global__ void age(particles p, const counts* now) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < now->born; i += gridDim.x * blockDim.x) --p.life[i];
}

struct is_alive {
  const std::uint32_t* life;
  __device__ __host__ bool operator()(std::int64_t i) const { return life[i] > 0; }
};

template <class T>
std::vector<T> fetch(const T* from, std::size_t n) {
  std::vector<T> to(n);
  check(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDefault));
  return to;
}

}  // namespace

int main() {
  int devices = 0;
  if (const cudaError_t e = cudaGetDeviceCount(&devices); e != cudaSuccess || devices == 0) {
    std::printf("SKIP: built, but not run, as there is no GPU: %s\n", cudaGetErrorName(e));
    return 0;
  }
  const particles p{array<float>(capacity), array<std::uint32_t>(capacity), array<std::uint32_t>(capacity)};
  counts* const now = array<counts>(1);
  float* const sorted_depth = array<float>(capacity);
  std::uint32_t *const drawn = array<std::uint32_t>(capacity), *const sums = array<std::uint32_t>(capacity);
  std::uint32_t* const draw_arguments = array<std::uint32_t>(1);
  const upsweep::soa_array in_place[] = {{p.depth, p.depth, 4}, {p.id, p.id, 4}, {p.life, p.life, 4}};
  const upsweep::by_index alive{is_alive{p.life}};
  upsweep::select_results living(&now->live);
  living.indirect.draw = draw_arguments;
  const upsweep::device_count born{&now->born, capacity}, live{&now->live, capacity};
  const std::size_t bytes = std::max({upsweep::select_arrays_workspace_bytes(in_place, living, born, alive),
                                      upsweep::sort_pairs_workspace_bytes(p.depth, sorted_depth, p.id, drawn, live),
                                      upsweep::exclusive_sum_workspace_bytes(drawn, sums, live)});
  const upsweep::workspace workspace{array<char>(static_cast<std::int64_t>(bytes)), bytes};

  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t frame;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  emit<<<64, 256, 0, stream>>>(p, now);
  begin<<<1, 1, 0, stream>>>(now);
  age<<<64, 256, 0, stream>>>(p, now);
  check(upsweep::select_arrays(workspace, in_place, living, born, alive, stream));
  check(upsweep::sort_pairs(workspace, p.depth, sorted_depth, p.id, drawn, live, upsweep::sort_order::descending, {},
                            stream));
  check(upsweep::exclusive_sum(workspace, drawn, sums, live, stream));
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&frame, graph, 0));
  for (std::uint32_t f = 0; f < frames; ++f) check(cudaGraphLaunch(frame, stream));
  check(cudaStreamSynchronize(stream));

  std::vector<std::uint32_t> living_ids;  // the same by a loop on the CPU
  std::vector<std::uint32_t> lives;
  for (std::uint32_t f = 0; f < frames; ++f) {
    const std::size_t born = std::min<std::size_t>(emitted, capacity - living_ids.size());
    for (std::uint32_t i = 0; i < born; ++i) {
      living_ids.push_back(f * emitted + i);
      lives.push_back(life_of(f * emitted + i) + 1);
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lives.size(); ++i) {
      if (--lives[i] == 0) continue;
      living_ids[kept] = living_ids[i];
      lives[kept++] = lives[i];
    }
    living_ids.resize(kept);
    lives.resize(kept);
  }
  std::stable_sort(living_ids.begin(), living_ids.end(), [](auto a, auto b) { return depth_of(a) > depth_of(b); });

  const counts last = fetch(now, 1)[0];
  bool right = last.frame == frames && last.live == living_ids.size() && fetch(draw_arguments, 1)[0] == last.live;
  if (right) {
    const auto ids = fetch(drawn, last.live), prefixes = fetch(sums, last.live);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; right && i < ids.size(); ++i) {
      right = ids[i] == living_ids[i] && prefixes[i] == sum;
      sum += ids[i];
    }
  }
  std::printf("%u of %u particles live after %u frames: %s\n", last.live, capacity, last.frame,
              right ? "right" : "wrong");
  return right ? 0 : 1;
}
