// A program that was written for CUB: another include and another namespace are all that changes. CUB's two calls of
// each algorithm are kept: the first one tells the bytes of temporary storage. It runs on a GPU alone: CUB's interface
// takes a stream of CUDA, and the sim has none.
#include <algorithm>

#include "example.cuh"
#include "upsweep/compact/drop_in.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/sort/drop_in.cuh"

namespace cub = upsweep::drop_in;

struct is_alive {
  __host__ __device__ bool operator()(int life) const { return life > 0; }
};

/// Runs a call of two phases.
template <class Call>
void run(Call call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  char* const storage = zeros<char>(static_cast<std::int64_t>(bytes));
  check(call(storage, bytes));
  check(cudaFree(storage));
}

int main() {
  if (!has_gpu()) return 0;
  constexpr int n = 50'000;
  std::vector<int> life(n), alive;
  for (int i = 0; i < n; ++i) life[i] = i * 7919 % 1009 - 500;
  std::copy_if(life.begin(), life.end(), std::back_inserter(alive), is_alive{});
  const int kept = static_cast<int>(alive.size());

  int *const in = on_device(life), *const out = zeros<int>(n), *const count = zeros<int>(1);
  int *const sorted = zeros<int>(n), *const sums = zeros<int>(n);
  run([&](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, in, out, count, n, is_alive{});
  });
  run([&](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, out, sorted, kept);
  });
  run([&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(storage, bytes, sorted, sums, kept);
  });
  check(cudaDeviceSynchronize());

  std::sort(alive.begin(), alive.end());
  expect(on_host(count, 1)[0] == kept && on_host(sorted, kept) == alive, "the sorted lives");
  const auto sums_now = on_host(sums, kept);
  for (int i = 0, sum = 0; i < kept; ++i) expect(sums_now[i] == (sum += alive[i]), "the sums");
  std::printf("%d of %d are alive\n", kept, n);
}
