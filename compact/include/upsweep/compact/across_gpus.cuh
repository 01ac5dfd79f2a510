// Stream compaction over the items of several GPUs: the public calls. Each rank's kept items stay on it, in input
// order; every GPU knows their position among those of all ranks, without the host. Once the host knows how many there
// are, rebalance_across gives every rank its share of them.
//
//   std::size_t bytes = upsweep::select_if_across_workspace_bytes(comm, in, out, results, n, keep);
//   cudaError_t e = upsweep::select_if_across({memory, bytes}, comm, in, out, results, n, keep, stream);
//   ...                                                 // *count and *total come to the host
//   const std::int64_t share = upsweep::balanced_share(total, comm.rank(), comm.ranks());
//   e = upsweep::rebalance_across(comm, out, shared_out, count, share, stream);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "upsweep/compact/partition.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// The results of a selection over ranks, in the device memory of each.
template <class Count>
struct across_results {
  Count* count;            ///< how many items this rank keeps
  Count* start = nullptr;  ///< how many the ranks before it keep: where its items begin among all; null if not needed
  Count* total = nullptr;  ///< how many all ranks keep; null if not needed
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

/// What this rank's own selection would refuse: all ranks learn of it before one of them begins. No `rejected`:
/// nullptr.
template <class In, class Out, class Rejected, class Count>
bool can_select(In in, Out out, Rejected rejected, const across_results<Count>& results, std::int64_t n,
                rejected_order order) {
  if (!is_size_of_rank(n) || results.count == nullptr || (n > 0 && (is_null(in) || is_null(out) || is_null(rejected))))
    return false;
  const select_results count = results.count;
  const std::array sums{use_of(results.start, results.start != nullptr ? 1 : 0, true),
                        use_of(results.total, results.total != nullptr ? 1 : 0, true)};
  if constexpr (moves_all_bytes<In, Out, Rejected>) {
    const soa_array array{in, out, sizeof *in, rejected};
    return are_valid({&array, 1}, n, count, order, sums);
  } else {
    const std::array arrays{use_of(in, n, false), use_of(out, count.room(n), true)};
    return are_valid({}, n, count, order, sums, arrays);
  }
}

/// A selection of this rank's n items by `select`, in a workspace of `selects` bytes, and the sums of the ranks'
/// counts.
template <class Communicator, class Count, class Select>
status select_across(workspace w, Communicator& comm, const across_results<Count>& results, std::int64_t n, bool fits,
                     std::size_t selects, typename Communicator::stream_type stream, const Select& select) {
  const auto p = select_across_plan<Count>::of(comm.ranks(), selects);
  fits = fits && w.data != nullptr && w.bytes >= p.bytes;
  std::vector<std::int64_t> counts;
  status s = agree(comm, stream, fits ? status::success : status::invalid_value, n, counts);
  if (s != status::success) return s;

  s = comm.checked(select(p.layout.rest(w)));
  Count* const all = p.layout.at(w, p.all);
  if (s == status::success) s = comm.checked(comm.all_gather(results.count, all, sizeof(Count), stream));
  if (s != status::success) return s;
  auto ex = executor_of(stream);
  return comm.checked(
      ex.launch(1, sum_counts_kernel{}, static_cast<const Count*>(all), comm.rank(), comm.ranks(), results));
}

/// How many items a rank has, and how many it gets.
struct rebalanced_rank {
  std::int64_t n, n_out;
};

/// The bytes of this rank's items that go to each rank, and those of its part that come from each: where they begin.
struct rebalanced_stretches {
  rank_table<std::int64_t> sent, came;
  bool add_up;  ///< the ranks get as many items as there are
};
template <class T>
rebalanced_stretches stretches_of(const std::vector<rebalanced_rank>& ranks, int rank) {
  const int k = static_cast<int>(ranks.size());
  rank_table<std::int64_t> has{}, gets{};  // where the items of each rank begin, before and after
  for (int r = 0; r < k; ++r) {
    has[r + 1] = has[r] + ranks[static_cast<std::size_t>(r)].n;
    gets[r + 1] = gets[r] + ranks[static_cast<std::size_t>(r)].n_out;
  }
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  rebalanced_stretches s{{}, {}, has[k] == gets[k]};
  for (int r = 0; r <= k; ++r) {
    s.sent[r] = (std::clamp(gets[r], has[rank], has[rank + 1]) - has[rank]) * size;
    s.came[r] = (std::clamp(has[r], gets[rank], gets[rank + 1]) - gets[rank]) * size;
  }
  return s;
}

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
///   w        a workspace of select_if_across_workspace_bytes bytes; the caller keeps it until the work has finished
///   comm     this rank's communicator
///   in       this rank's n items: a pointer or random-access iterator of device memory
///   out      where its kept items go, in input order: device memory with room for them; may be in
///   results  how many items this rank keeps, and, if wanted, how many the ranks before it and all ranks keep: in
///            device memory, of 4 or 8 bytes, the same on all ranks
///   n        how many items this rank has; 0 is allowed
///   keep     the predicate of an item that the GPU can call; it returns the same each time
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: if a rank's arguments are refused (n < 0, a null pointer, arrays that overlap, other than out == in, or a
/// workspace that is too small), every rank's call returns cudaErrorInvalidValue, and nothing was touched; any other
/// error reaches the others by the communicator. Cost: that of select_if on each rank's items, and an all-gather of one
/// count from each rank.
///     cudaError_t e = select_if_across({memory, bytes}, comm, in, out, across_results{count, start, total}, n, keep,
///                                      stream);
template <class Policy = default_compact_policy, class Communicator, class In, class Out, class Count, class Predicate>
[[nodiscard]] error_of<typename Communicator::stream_type> select_if_across(
    workspace w, Communicator& comm, In in, Out out, across_results<Count> results, std::int64_t n, Predicate keep,
    typename Communicator::stream_type stream = {}) {
  const std::size_t selects = n < 0 ? 0 : select_if_workspace_bytes<Policy>(in, out, results.count, n, keep);
  const bool fits = detail::can_select(in, out, nullptr, results, n, rejected_order::apart);
  return static_cast<error_of<typename Communicator::stream_type>>(
      detail::select_across(w, comm, results, n, fits, selects, stream, [&](workspace rest) {
        return static_cast<status>(select_if<Policy>(rest, in, out, results.count, n, keep, stream));
      }));
}

/// Bytes of workspace of partition_if_across with these arguments: a host formula; more items never need less.
template <class Policy = default_compact_policy, class Communicator, class In, class Out, class Rejected, class Count,
          class Predicate>
std::size_t partition_if_across_workspace_bytes(const Communicator& comm, In in, Out out, Rejected rejected,
                                                across_results<Count> results, std::int64_t n, Predicate keep) {
  return detail::select_across_plan<Count>::of(
             comm.ranks(), partition_if_workspace_bytes<Policy>(in, out, rejected, results.count, n > 0 ? n : 0, keep))
      .bytes;
}

/// Keeps in[i] when keep(in[i]), on its rank; the others go to `rejected`, on the same rank. So the kept items of all
/// ranks are in input order, and so are the rejected ones. Where a rank's rejected items begin among those of all: at
/// the number of items of the earlier ranks, less *start.
///   w         a workspace of partition_if_across_workspace_bytes bytes; the caller keeps it until the work has
///             finished
///   comm      this rank's communicator
///   in        this rank's n items: a pointer or random-access iterator of device memory
///   out       where its kept items go, in input order: device memory with room for them; may be in
///   rejected  where its other items go, in input order: device memory with room for them
///   results   how many items this rank keeps, and, if wanted, how many the ranks before it and all ranks keep: in
///             device memory, of 4 or 8 bytes, the same on all ranks
///   n         how many items this rank has; 0 is allowed
///   keep      the predicate of an item that the GPU can call; it returns the same each time
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: if a rank's arguments are refused (n < 0, a null pointer, arrays that overlap, other than out == in, or a
/// workspace that is too small), every rank's call returns cudaErrorInvalidValue, and nothing was touched; any other
/// error reaches the others by the communicator. Cost: that of partition_if on each rank's items, and an all-gather of
/// one count from each rank.
///     cudaError_t e = partition_if_across({memory, bytes}, comm, in, out, rejected, across_results{count, start}, n,
///                                         keep, stream);
template <class Policy = default_compact_policy, class Communicator, class In, class Out, class Rejected, class Count,
          class Predicate>
[[nodiscard]] error_of<typename Communicator::stream_type> partition_if_across(
    workspace w, Communicator& comm, In in, Out out, Rejected rejected, across_results<Count> results, std::int64_t n,
    Predicate keep, typename Communicator::stream_type stream = {}) {
  const std::size_t selects =
      n < 0 ? 0 : partition_if_workspace_bytes<Policy>(in, out, rejected, results.count, n, keep);
  const bool fits = detail::can_select(in, out, rejected, results, n, rejected_order::after);
  return static_cast<error_of<typename Communicator::stream_type>>(
      detail::select_across(w, comm, results, n, fits, selects, stream, [&](workspace rest) {
        return static_cast<status>(
            partition_if<Policy>(rest, in, out, rejected, results.count, n, keep, rejected_order::after, stream));
      }));
}

/// Moves items between the ranks, so that each has as many as it asks for. Their order over all ranks stays the same.
///   comm    this rank's communicator
///   in      this rank's n items, copied as bytes, in device memory; left as they were
///   out     its part: n_out items of device memory; no overlap with in
///   n       how many items this rank has; 0 is allowed
///   n_out   how many it gets; balanced_share(total, rank, ranks) for equal parts
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: if a rank's arguments are refused (n < 0, n_out < 0 or more than 2^48, a null pointer with items, an
/// overlap, or sizes n_out that do not add up to the items of all ranks), every rank's call returns
/// cudaErrorInvalidValue, and nothing was touched; any other error reaches the others by the communicator. Cost: items
/// that stay are copied, others are sent once. No workspace.
///     cudaError_t e = rebalance_across(comm, kept, shared_out, n_kept, share, stream);
template <class Communicator, class T>
[[nodiscard]] error_of<typename Communicator::stream_type> rebalance_across(
    Communicator& comm, const T* in, T* out, std::int64_t n, std::int64_t n_out,
    typename Communicator::stream_type stream = {}) {
  static_assert(is_bitwise_copyable<T>, "upsweep: items that change their rank are copied as bytes");
  const auto as_error = [](status s) { return static_cast<error_of<typename Communicator::stream_type>>(s); };
  const bool fits = detail::is_size_of_rank(n) && detail::is_size_of_rank(n_out) && (n == 0 || in != nullptr) &&
                    (n_out == 0 || out != nullptr) &&
                    detail::written_apart(std::array{detail::use_of(in, n, false), detail::use_of(out, n_out, true)});
  std::vector<detail::rebalanced_rank> all;
  const status s = detail::agree(comm, stream, fits ? status::success : status::invalid_value,
                                 detail::rebalanced_rank{n, n_out}, all);
  if (s != status::success) return as_error(s);
  const auto stretches = detail::stretches_of<T>(all, comm.rank());
  if (!stretches.add_up) return as_error(status::invalid_value);
  return as_error(comm.checked(comm.exchange(in, stretches.sent.at, out, stretches.came.at, stream)));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
