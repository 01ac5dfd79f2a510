#include "across_rank.hpp"
#include "upsweep/simt/nccl_communicator.hpp"

namespace upsweep::apps {
namespace {

template <class Code>
status sort_by_threads(codes_across<Code>& all, int ranks) {
  rank_group group(ranks);
  std::vector<status> answers(static_cast<std::size_t>(ranks), status::success);
  std::vector<rank_memory<cuda_executor>> memory;
  for (int r = 0; r < ranks; ++r) memory.emplace_back(cuda_executor(nullptr));
  run_ranks(group, [&](int rank) {
    const auto at = static_cast<std::size_t>(rank);
    nccl_communicator comm;
    status s = status_of(cudaSetDevice(rank));
    if (s != status::success) {
      group.fail(s);
    } else {
      s = comm.join(group, rank);
    }
    if (s == status::success) s = sort_part(all, comm, memory[at], nullptr);
    answers[at] = s;
  });
  return first_error(answers);
}

template <class Code>
status sort_by_processes(const gpu_process& mine, const code_slice<Code>& slice, sort_times& times) {
  status s = status_of(cudaSetDevice(mine.gpu));
  ncclUniqueId id{};
  if (s == status::success && mine.rank == 0) s = status_of(ncclGetUniqueId(&id));
  if (s != status::success) return s;
  mine.bring(&id, sizeof id);
  rank_memory<cuda_executor> memory{cuda_executor(nullptr)};
  nccl_communicator comm;
  s = comm.join(id, mine.rank, mine.ranks);
  return s == status::success ? sort_slice(slice, times, comm, memory, nullptr) : s;
}

}  // namespace

status sort_slice_on_gpu(const gpu_process& mine, const code_slice<std::uint32_t>& slice, sort_times& times) {
  return sort_by_processes(mine, slice, times);
}
status sort_slice_on_gpu(const gpu_process& mine, const code_slice<std::uint64_t>& slice, sort_times& times) {
  return sort_by_processes(mine, slice, times);
}
status sort_codes_on_gpus(codes_across<std::uint32_t>& all, int ranks) {
  return sort_by_threads(all, ranks);
}
status sort_codes_on_gpus(codes_across<std::uint64_t>& all, int ranks) {
  return sort_by_threads(all, ranks);
}

}  // namespace upsweep::apps
