// Calls over ranks that are processes, one a GPU, as under mpirun: this one begins them and never touches a GPU itself.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "support/random_items.hpp"
#include "upsweep/compact/across_gpus.cuh"
#include "upsweep/scan/across_gpus.cuh"
#include "upsweep/simt/nccl_communicator.hpp"
#include "upsweep/sort/across_gpus.cuh"

namespace upsweep::test {
namespace {

constexpr int two = 2;
constexpr std::int64_t n = 300001;
using number = std::uint32_t;
enum exit_of_rank : int { done = 0, skipped = 1, wrong = 2, failed = 3 };

/// A rank's arrays, which end with its process.
struct rank_arrays_of {
  number *in = nullptr, *out = nullptr;
  void* work = nullptr;
  std::size_t bytes = 64 << 20;

  explicit rank_arrays_of(const std::vector<number>& items) {
    if (cudaMalloc(&in, n * sizeof(number)) != cudaSuccess || cudaMalloc(&out, 2 * n * sizeof(number)) != cudaSuccess ||
        cudaMalloc(&work, bytes) != cudaSuccess ||
        cudaMemcpy(in, items.data(), n * sizeof(number), cudaMemcpyHostToDevice) != cudaSuccess) {
      _exit(failed);
    }
  }
  std::vector<number> result(std::int64_t count) const {
    std::vector<number> items(static_cast<std::size_t>(count));
    if (cudaMemcpy(items.data(), out, items.size() * sizeof(number), cudaMemcpyDeviceToHost) != cudaSuccess) {
      _exit(failed);
    }
    return items;
  }
};

/// What all ranks have, one after the other.
std::vector<number> all_items() {
  return random_items<number>(static_cast<std::size_t>(two * n));
}
std::vector<number> part(const std::vector<number>& all, std::int64_t begin, std::int64_t count) {
  return {all.begin() + begin, all.begin() + begin + count};
}

int scan_sort_and_rebalance(int rank, nccl_communicator& comm) {
  const std::vector<number> all = all_items();
  const rank_arrays_of a(part(all, rank * n, n));
  const workspace w{a.work, a.bytes};
  const auto finished = [&](cudaError_t e) {
    return e == cudaSuccess && comm.wait(nullptr, std::chrono::seconds(20)) == status::success;
  };
  std::vector<number> sums(all.size()), sorted = all;
  for (std::size_t i = 1; i < all.size(); ++i) sums[i] = sums[i - 1] + all[i - 1];
  std::sort(sorted.begin(), sorted.end());

  const number* const in = a.in;
  if (!finished(exclusive_sum_across(w, comm, in, a.out, n))) return failed;
  if (a.result(n) != part(sums, rank * n, n)) return wrong;
  const std::int64_t takes = rank == 0 ? n + 1000 : n - 1000, begin = rank == 0 ? 0 : n + 1000;
  if (!finished(sort_keys_across(w, comm, in, a.out, n, takes))) return failed;
  if (a.result(takes) != part(sorted, begin, takes)) return wrong;
  if (!finished(rebalance_across(comm, in, a.out, n, takes))) return failed;
  return a.result(takes) == part(all, begin, takes) ? done : wrong;
}

/// By a policy whose kernels store to, read from or copy from the other process, and by sending, where rank 1's
/// workspace is not what it shares.
template <class Policy>
int sort_in_shared_memory(int rank, nccl_communicator& comm, const rank_arrays_of& a, workspace shared) {
  std::vector<number> sorted = all_items();
  std::sort(sorted.begin(), sorted.end());
  const std::int64_t takes = rank == 0 ? n + 1000 : n - 1000, begin = rank == 0 ? 0 : n + 1000;
  const number* const in = a.in;
  if (sort_keys_across_workspace_bytes<Policy>(comm, in, a.out, n, takes) > shared.bytes) return wrong;
  for (const workspace w : {shared, rank == 1 ? workspace{a.work, shared.bytes} : shared}) {
    if (cudaMemset(a.out, 0, takes * sizeof(number)) != cudaSuccess) return failed;
    if (sort_keys_across<Policy>(w, comm, in, a.out, n, takes) != cudaSuccess) return failed;
    if (comm.wait(nullptr, std::chrono::seconds(20)) != status::success) return failed;
    if (a.result(takes) != part(sorted, begin, takes)) return wrong;
  }
  return done;
}
/// The memory begins inside of an allocation, elsewhere on each rank. It is shared twice, and not what is of a pool.
int sorts_in_shared_memory(int rank, nccl_communicator& comm) {
  if (!comm.reaches_peers() || !comm.must_share()) return failed;
  const rank_arrays_of a(part(all_items(), rank * n, n));
  char* memory = nullptr;
  void* of_pool = nullptr;
  constexpr std::size_t bytes = 40 << 20;
  if (cudaMalloc(&memory, bytes + (8 << 20)) != cudaSuccess) return failed;
  if (cudaMallocAsync(&of_pool, bytes, nullptr) != cudaSuccess) return failed;
  const workspace shared{memory + 256 + rank * (3 << 20), bytes}, refused{of_pool, bytes};
  if (comm.share(refused) != status::success || comm.is_shared(refused)) return wrong;
  using by_ranges = detail::sort_across_policy<default_sort_policy, std::int64_t{1} << 62, 10000, 100000, 1 << 15>;
  int result = done;
  for (int turn = 0; turn < 2 && result == done; ++turn) {
    if (comm.is_shared(shared) || comm.share(shared) != status::success || !comm.is_shared(shared)) return wrong;
    result = sort_in_shared_memory<exchanging_sort_across_policy>(rank, comm, a, shared);
    if (result == done) result = sort_in_shared_memory<default_sort_across_policy>(rank, comm, a, shared);
    if (result == done) result = sort_in_shared_memory<by_ranges>(rank, comm, a, shared);
    if (result == done && comm.unshare(shared) != status::success) return failed;
  }
  if (cudaFree(memory) != cudaSuccess || cudaFreeAsync(of_pool, nullptr) != cudaSuccess) return failed;
  return result == done ? scan_sort_and_rebalance(rank, comm) : result;
}

/// Rank 1 captures its stream, of the kind that waits for the legacy one, in the mode that forbids most. Its calls are
/// refused on both, its capture goes on, and so does the communicator.
int refuse_a_captured_stream(int rank, nccl_communicator& comm) {
  const rank_arrays_of a(part(all_items(), rank * n, n));
  const workspace w{a.work, a.bytes};
  const number* const in = a.in;
  cudaStream_t stream = nullptr;
  if (cudaMemset(a.out, 7, n * sizeof(number)) != cudaSuccess || cudaStreamCreate(&stream) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess) {
    return failed;
  }
  if (rank == 1 && cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) != cudaSuccess) return failed;
  constexpr auto refused = cudaErrorStreamCaptureUnsupported;
  if (exclusive_sum_across(w, comm, in, a.out, n, stream) != refused) return wrong;
  if (sort_keys_across(w, comm, in, a.out, n, n, sort_order::ascending, stream) != refused) return wrong;
  if (rebalance_across(comm, in, a.out, n, n, stream) != refused) return wrong;
  if (rank == 1) {
    cudaGraph_t graph = nullptr;
    std::size_t nodes = 0;
    if (cudaMemsetAsync(a.out, 0, sizeof(number), stream) != cudaSuccess) return wrong;
    if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) return wrong;
    if (cudaGraphGetNodes(graph, nullptr, &nodes) != cudaSuccess || nodes != 1) return wrong;
  }
  if (a.result(n) != std::vector<number>(static_cast<std::size_t>(n), 0x07070707)) return wrong;
  return scan_sort_and_rebalance(rank, comm);
}

/// Rank 1 does not come to a gather: rank 0 waits as long as it says.
int waits_for_nobody(int rank, nccl_communicator& comm) {
  if (rank == 1) _exit(done);
  number* p = nullptr;
  if (cudaMalloc(&p, 64) != cudaSuccess) return failed;
  if (comm.all_gather(p, p + 4, sizeof(number), nullptr) != status::success) return done;  // it knows already
  const status s = comm.wait(nullptr, std::chrono::milliseconds(500));
  return s == status::launch_timeout || s == status::launch_failure ? done : wrong;
}

/// Runs body(rank, communicator) in a process for each rank. The worst exit of them.
int on_processes(int (*body)(int, nccl_communicator&)) {
  int way[2];
  if (pipe(way) != 0) return failed;
  std::vector<pid_t> children;
  for (int rank = 0; rank < two; ++rank) {
    const pid_t child = fork();
    if (child < 0) return failed;
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    alarm(60);  // nobody hangs
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus < two) _exit(skipped);
    ncclUniqueId id;
    if (rank == 0 && (ncclGetUniqueId(&id) != ncclSuccess || write(way[1], &id, sizeof id) != sizeof id)) _exit(failed);
    if (rank == 1 && read(way[0], &id, sizeof id) != sizeof id) _exit(failed);
    int result = failed;
    {
      nccl_communicator comm;
      status s = status_of(cudaSetDevice(rank));
      if (s == status::success) s = comm.join(id, rank, two);
      if (s == status::success) {
        result = body(rank, comm);
      } else {
        std::fprintf(stderr, "rank %d has not joined: %s\n", rank, status_name(s));
      }
    }
    _exit(result);
  }
  int worst = done;
  for (const pid_t child : children) {
    int ended = 0;
    if (waitpid(child, &ended, 0) != child || !WIFEXITED(ended)) return failed;
    worst = std::max(worst, WEXITSTATUS(ended));
  }
  return worst;
}

TEST(across_processes, scan_sort_and_rebalance) {
  const int result = on_processes(scan_sort_and_rebalance);
  if (result == skipped) GTEST_SKIP() << "this takes two GPUs";
  EXPECT_EQ(result, done);
}
TEST(across_processes, sort_in_memory_that_they_share) {
  const int result = on_processes(sorts_in_shared_memory);
  if (result == skipped) GTEST_SKIP() << "this takes two GPUs";
  EXPECT_EQ(result, done);
}
TEST(across_processes, refuse_a_stream_that_one_of_them_captures) {
  const int result = on_processes(refuse_a_captured_stream);
  if (result == skipped) GTEST_SKIP() << "this takes two GPUs";
  EXPECT_EQ(result, done);
}
TEST(across_processes, wait_no_longer_than_they_should) {
  const int result = on_processes(waits_for_nobody);
  if (result == skipped) GTEST_SKIP() << "this takes two GPUs";
  EXPECT_EQ(result, done);
}

}  // namespace
}  // namespace upsweep::test
