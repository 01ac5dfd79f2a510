// Several ranks share one sort: each has its own keys and gets an equal part of the sorted whole. With nvcc a rank
// is a GPU of this machine (target upsweep::nccl); with a C++ compiler it is a thread, and the sim is its device.
#include <algorithm>
#include <chrono>

#include "example.cuh"
#include "upsweep/sort/across_gpus.cuh"

#if defined(__CUDACC__)
#include "upsweep/simt/nccl_communicator.hpp"

struct communicator : upsweep::nccl_communicator {
  communicator(upsweep::rank_group& group, int rank) {
    check(cudaSetDevice(rank));
    check(static_cast<cudaError_t>(join(group, rank)));
  }
};
int count_ranks() {
  int gpus = 0;
  check(cudaGetDeviceCount(&gpus));
  return gpus;
}
constexpr auto turns = upsweep::rank_turns::all_at_once;
#else
using communicator = upsweep::sim_communicator;
int count_ranks() {
  return 3;
}
constexpr auto turns = upsweep::rank_turns::in_order;  // the sim runs one kernel at a time
#endif

// Rank r has 10,000 keys and r thousand more.
std::vector<std::uint32_t> keys_of(int rank) {
  std::vector<std::uint32_t> keys(10'000 + 1000 * rank);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = (i + 77'777 * rank) * 2654435761u;
  return keys;
}

int main() {
  if (!has_gpu()) return 0;
  const int ranks = count_ranks();
  std::vector<std::uint32_t> right;
  for (int r = 0; r < ranks; ++r) {
    const auto keys = keys_of(r);
    right.insert(right.end(), keys.begin(), keys.end());
  }
  std::sort(right.begin(), right.end());
  const auto total = static_cast<std::int64_t>(right.size());
  std::vector<std::vector<std::uint32_t>> parts(ranks);

  upsweep::rank_group group(ranks, turns);
  upsweep::run_ranks(group, [&](int rank) {  // a thread for each rank
    communicator comm(group, rank);
    const auto keys = keys_of(rank);
    const auto n = static_cast<std::int64_t>(keys.size()), n_out = upsweep::balanced_share(total, rank, ranks);
    std::uint32_t *const in = on_device(keys), *const out = zeros<std::uint32_t>(n_out);
    const auto bytes = upsweep::sort_keys_across_workspace_bytes(comm, in, out, n, n_out);
    std::byte* const memory = zeros<std::byte>(static_cast<std::int64_t>(bytes));
    const auto stream = new_stream();

    // Every rank makes this call. An error of one rank reaches all of them, in the call or in wait.
    check(upsweep::sort_keys_across({memory, bytes}, comm, in, out, n, n_out, {}, stream));
    expect(comm.wait(stream, std::chrono::seconds(60)) == upsweep::status::success, "the end of the sort");
    parts[rank] = on_host(out, n_out);
  });

  // The parts are the sorted whole, rank 0's first.
  std::int64_t at = 0;
  for (const auto& part : parts) {
    for (const std::uint32_t key : part) expect(key == right[at++], "a sorted key");
  }
  expect(at == total, "the number of keys");
  std::printf("%lld keys on %d ranks\n", static_cast<long long>(total), ranks);
}
