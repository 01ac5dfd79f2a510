// The kernels of block_scan_in_your_kernel.cu in the form that runs on the sim as well: functors, which ask their block
// for what CUDA has as blockIdx, atomicAdd and __syncthreads. Here g++ compiles them; nvcc compiles the same text for
// the GPU, where upsweep::cuda_executor(stream).launch(...) takes the place of the sim's.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "scenes.hpp"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/sim_executor.hpp"

namespace {

struct spawn {
  static constexpr int block_threads = 256;
  using block_scan = upsweep::block_scan<std::uint32_t, upsweep::warp_scans<block_threads>>;
  struct temp_storage {  // the block's shared memory
    block_scan::temp_storage scan;
    std::uint32_t first;
  };

  template <class Block>
  UPSWEEP_DEVICE void operator()(Block& block, temp_storage& s, const std::uint32_t* wanted, int emitters,
                                 std::uint32_t* spawned, int* emitter_of) const {
    const int emitter = static_cast<int>(block.block_index()) * block_threads + block.thread_rank();
    const std::uint32_t mine = emitter < emitters ? wanted[emitter] : 0;
    std::uint32_t all;
    const std::uint32_t before = block_scan::exclusive_scan(block, s.scan, mine, 0u, upsweep::plus{}, all);
    if (block.thread_rank() == 0) s.first = block.atomic_add(spawned, all);
    block.barrier();
    for (std::uint32_t i = 0; i < mine; ++i) emitter_of[s.first + before + i] = emitter;
  }
};

struct see {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Block>
  UPSWEEP_DEVICE void operator()(Block& block, temp_storage&, const float* slope, int rays, char* seen) const {
    const int ray = static_cast<int>(block.block_index()) * block.warps + block.warp();
    if (ray >= rays) return;

    const int point = ray * 32 + block.lane();
    const float highest = upsweep::warp_inclusive_scan(block, slope[point], upsweep::maximum{});
    const float highest_before = block.shuffle_up(highest, 1);
    seen[point] = block.lane() == 0 || slope[point] > highest_before;
  }
};

}  // namespace

int main() {
  const std::vector<std::uint32_t> wanted = example::some_emitters();
  const int emitters = static_cast<int>(wanted.size());
  std::vector<int> emitter_of(wanted.size() * 4);
  std::uint32_t spawned = 0;
  const std::vector<float> slope = example::some_slopes();
  const int rays = static_cast<int>(slope.size()) / 32;
  std::vector<char> seen(slope.size());

  upsweep::sim_executor sim;
  if (sim.launch((emitters + 255) / 256, spawn{}, wanted.data(), emitters, &spawned, emitter_of.data()) !=
          upsweep::status::success ||
      sim.launch((rays + 7) / 8, see{}, slope.data(), rays, seen.data()) != upsweep::status::success) {
    return 1;  // the sim has said why
  }
  const bool spawned_right = example::is_spawned(wanted, emitter_of, spawned),
             seen_right = example::is_seen(slope, seen);
  std::printf("spawn: %s, see: %s\n", spawned_right ? "right" : "wrong", seen_right ? "right" : "wrong");
  return spawned_right && seen_right ? 0 : 1;
}
