// What one rank does for sort_across, on either backend.
#pragma once

#include "across.hpp"
#include "upsweep/sort/across_gpus.cuh"

namespace upsweep::apps {

/// Device memory of one rank, given back when all ranks have ended: until then others may write there.
template <class Executor>
struct rank_memory {
  Executor executor;
  std::vector<void*> all{};

  explicit rank_memory(Executor e) : executor(e) {}
  rank_memory(rank_memory&&) noexcept = default;
  ~rank_memory() {
    for (void* const p : all) static_cast<void>(executor.deallocate(p));
  }

  template <class T>
  status allocate(T*& p, std::size_t count) {
    void* memory = nullptr;
    const status s = executor.allocate(&memory, count * sizeof(T));
    if (s == status::success) all.push_back(memory);
    p = static_cast<T*>(memory);
    return s;
  }
};

/// One rank's part, all of it on its thread. Every rank calls. Rank 0 tells the times.
template <class Code, class Communicator, class Executor>
status sort_slice(const code_slice<Code>& slice, sort_times& times, Communicator& comm, rank_memory<Executor>& memory,
                  typename Communicator::stream_type stream) {
  const std::int64_t n = slice.n;
  const auto count = static_cast<std::size_t>(n);
  Executor& ex = memory.executor;

  Code *keys = nullptr, *sorted = nullptr;
  std::uint32_t *places = nullptr, *sorted_places = nullptr;
  unsigned char* work = nullptr;
  const std::size_t bytes = sort_pairs_across_workspace_bytes(comm, keys, sorted, places, sorted_places, n, n);
  const auto do_all = [&](auto&&... steps) {
    status s = status::success;
    (static_cast<void>(s == status::success ? s = steps() : s), ...);
    return comm.checked(s);
  };
  stopwatch watch;
  status s = do_all(
      [&] { return memory.allocate(keys, count); }, [&] { return memory.allocate(sorted, count); },
      [&] { return memory.allocate(places, count); }, [&] { return memory.allocate(sorted_places, count); },
      [&] { return memory.allocate(work, bytes); }, [&] { return ex.copy(keys, slice.codes, count * sizeof *keys); },
      [&] { return ex.copy(places, slice.values, count * sizeof *places); }, [&] { return ex.synchronize(); });
  std::vector<int> everyone;
  const workspace shared{work, bytes};
  if (s == status::success) s = comm.share(shared);
  if (s == status::success) s = comm.meet(comm.rank(), everyone);
  if (s != status::success) return s;
  if (comm.rank() == 0) times.upload_ms = watch.lap();
  s = static_cast<status>(sort_pairs_across(shared, comm, static_cast<const Code*>(keys), sorted,
                                            static_cast<const std::uint32_t*>(places), sorted_places, n, n,
                                            sort_order::ascending, stream));
  if (s == status::success) s = comm.wait(stream, rank_group::patience);
  // The slices of the others are on the host no longer.
  if (s == status::success) s = comm.unshare(shared);
  if (s == status::success) s = comm.meet(comm.rank(), everyone);
  if (s != status::success) return s;
  if (comm.rank() == 0) times.device_ms = watch.lap();
  s = do_all([&] { return ex.copy(slice.values, sorted_places, count * sizeof *places); },
             [&] { return ex.synchronize(); });
  if (comm.rank() == 0) times.download_ms = watch.lap();
  return s;
}

/// The same of all that are in this process.
template <class Code, class Communicator, class Executor>
status sort_part(codes_across<Code>& all, Communicator& comm, rank_memory<Executor>& memory,
                 typename Communicator::stream_type stream) {
  const auto total = static_cast<std::int64_t>(all.codes.size());
  std::int64_t begin = 0;
  for (int r = 0; r < comm.rank(); ++r) begin += balanced_share(total, r, comm.ranks());
  const std::int64_t n = balanced_share(total, comm.rank(), comm.ranks());
  return sort_slice(code_slice<Code>{all.codes.data() + begin, all.places.data() + begin, n}, all.times, comm, memory,
                    stream);
}

/// The first error of the ranks.
inline status first_error(const std::vector<status>& of_ranks) {
  const auto error = std::find_if(of_ranks.begin(), of_ranks.end(), [](status s) { return s != status::success; });
  return error == of_ranks.end() ? status::success : *error;
}

}  // namespace upsweep::apps
