// Stream compaction over the items of several GPUs: the public call. Each rank's kept items stay on it, in input order;
// where they stand among those of all ranks is known on every GPU, without the host.
//
//   std::size_t bytes = upsweep::select_if_across_workspace_bytes(comm, in, out, results, n, keep);
//   cudaError_t e = upsweep::select_if_across({memory, bytes}, comm, in, out, results, n, keep, stream);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "upsweep/compact/select.cuh"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// What a selection over ranks tells, in the device memory of each.
template <class Count>
struct across_results {
  Count* count;            ///< how many items this rank keeps
  Count* start = nullptr;  ///< how many the ranks in front keep: where this one's begin among all; null: not wanted
  Count* total = nullptr;  ///< how many all ranks keep; null: not wanted
};

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The sums of the ranks' counts. One block.
struct sum_counts_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Count* counts, int rank, int ranks,
                                 across_results<Count> results) const {
    if (block.thread_rank() != 0) return;
    Count before = 0, all = 0;
    for (int r = 0; r < ranks; ++r) {
      if (r == rank) before = all;
      all += counts[r];
    }
    if (results.start != nullptr) *results.start = before;
    if (results.total != nullptr) *results.total = all;
  }
};

template <class Count>
struct select_across_plan {
  workspace_layout layout;
  workspace_layout::slot<Count> all;
  std::size_t bytes;

  static select_across_plan of(int ranks, std::size_t selects) {
    select_across_plan p{};
    p.all = p.layout.template add<Count>(static_cast<std::size_t>(ranks));
    p.bytes = p.layout.bytes() + selects;
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Bytes of workspace of select_if_across with these arguments: a host formula; more items never need less.
template <class Policy = default_compact_policy, class Communicator, class In, class Out, class Count, class Predicate>
std::size_t select_if_across_workspace_bytes(const Communicator& comm, In in, Out out, across_results<Count> results,
                                             std::int64_t n, Predicate keep) {
  return detail::select_across_plan<Count>::of(
             comm.ranks(), select_if_workspace_bytes<Policy>(in, out, results.count, n > 0 ? n : 0, keep))
      .bytes;
}

/// Keeps in[i] when keep(in[i]), on its rank.
///   w        a workspace of select_if_across_workspace_bytes bytes; the caller's until the work has finished
///   comm     this rank's communicator
///   in       this rank's n items: a pointer or random-access iterator of device memory
///   out      where its kept items go, in input order: device memory with room for them; may be in
///   results  how many items this rank keeps, and, where wanted, how many the ranks before it and all ranks keep: in
///            device memory, of 4 or 8 bytes, which all ranks take alike
///   n        how many items this rank has; 0 is allowed
///   keep     the predicate of an item that the GPU can call; it gives the same answer each time
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: where a rank's arguments are refused (n < 0, a null pointer, the workspace is too small), every rank's call
/// answers cudaErrorInvalidValue, and nothing was touched; any other error reaches the others by the communicator.
/// Cost: that of select_if on each rank's items, and an all-gather of one count a rank.
///     cudaError_t e = select_if_across({memory, bytes}, comm, in, out, across_results{count, start, total}, n, keep,
///                                      stream);
template <class Policy = default_compact_policy, class Communicator, class In, class Out, class Count, class Predicate>
[[nodiscard]] error_of<typename Communicator::stream_type> select_if_across(
    workspace w, Communicator& comm, In in, Out out, across_results<Count> results, std::int64_t n, Predicate keep,
    typename Communicator::stream_type stream = {}) {
  using stream_type = typename Communicator::stream_type;
  const auto as_error = [](status s) { return static_cast<error_of<stream_type>>(s); };
  const std::size_t selects = n < 0 ? 0 : select_if_workspace_bytes<Policy>(in, out, results.count, n, keep);
  const auto p = detail::select_across_plan<Count>::of(comm.ranks(), selects);
  const bool fits = n >= 0 && (n == 0 || (!detail::is_null(in) && !detail::is_null(out))) && results.count != nullptr &&
                    w.data != nullptr && w.bytes >= p.bytes;
  std::vector<std::int64_t> counts;
  status s = detail::agree(comm, fits ? status::success : status::invalid_value, n, counts);
  if (s != status::success) return as_error(s);

  s = comm.checked(static_cast<status>(select_if<Policy>(p.layout.rest(w), in, out, results.count, n, keep, stream)));
  Count* const all = p.layout.at(w, p.all);
  if (s == status::success) s = comm.checked(comm.all_gather(results.count, all, sizeof(Count), stream));
  if (s != status::success) return as_error(s);
  auto ex = executor_of(stream);
  return as_error(comm.checked(
      ex.launch(1, detail::sum_counts_kernel{}, static_cast<const Count*>(all), comm.rank(), comm.ranks(), results)));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
