// Stable split of the items of several GPUs into buckets that are spread over them: the public calls. Rank r of k gets
// the buckets from first_bucket_of_rank(buckets, r, k) on, before those of rank r + 1.
//
//   std::size_t bytes = upsweep::split_across_workspace_bytes(comm, in, out, offsets, n, room, 16, cell_of{});
//   cudaError_t e = upsweep::split_across({memory, bytes}, comm, in, out, offsets, n, room, 16, cell_of{}, stream);
//
// Each bucket is whole on its rank: in it the items of rank 0 in their order, then those of rank 1, and so on. Items
// whose number is not that of a bucket are left out, as by split (compact/split.cuh).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/compact/split.cuh"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// The first bucket of a rank, of 0 to `ranks`: shares that differ by one bucket at most.
constexpr int first_bucket_of_rank(int buckets, int rank, int ranks) {
  return buckets / ranks * rank + (rank < buckets % ranks ? rank : buckets % ranks);
}

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The items of this rank by their buckets, and those that came, by the ranks that they are of.
template <class T>
struct split_across_plan {
  workspace_layout layout;
  workspace_layout::slot<T> parted, came;
  std::size_t bytes;

  /// Sizes that no rank may have take what the most that it may have do: such a call is refused.
  template <class Policy>
  static split_across_plan of(std::int64_t n, std::int64_t room, int buckets) {
    n = std::clamp<std::int64_t>(n, 0, most_items_of_rank);
    room = std::clamp<std::int64_t>(room, 0, most_items_of_rank);
    split_across_plan p{};
    p.parted = p.layout.template add<T>(n);
    p.came = p.layout.template add<T>(room);
    p.bytes = p.layout.bytes() + Policy{}.workspace_bytes((std::max)(n, room), buckets);
    return p;
  }
};

/// What the ranks tell each other first. They split into the same buckets.
struct split_of_rank {
  std::int64_t room;
  int buckets;
};

/// Where the bytes that `rank` receives from each rank begin, and where all end. starts[r] has where those begin that
/// rank r sends to each rank.
inline rank_table<std::int64_t> came_from(const std::vector<rank_table<std::int64_t>>& starts, int rank) {
  rank_table<std::int64_t> came{};
  for (std::size_t r = 0; r < starts.size(); ++r) {
    came.at[r + 1] = came.at[r] + starts[r][rank + 1] - starts[r][rank];
  }
  return came;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Moves in[i] to bucket bucket_of(in[i]), on the rank that has the bucket.
///   w          a workspace of split_across_workspace_bytes bytes; the caller keeps it until the work has finished
///   comm       this rank's communicator
///   in         this rank's n items of device memory, copied as bytes; left as they were
///   out        device memory with room for `room` items: those of this rank's buckets, one bucket after the other; no
///              overlap with in
///   offsets    buckets + 1 integers of device memory: where each bucket begins in this rank's out, and the last one
///              ends; buckets of other ranks are empty there
///   n          how many items this rank has; 0 is allowed
///   room       how many items out has room for
///   buckets    how many buckets, 1 to 256, the same on all ranks
///   bucket_of  the number of an item's bucket, of any arithmetic or enumeration type: a functor of the item that the
///              GPU can call; the same on all ranks
///   stream     the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: if a rank's arguments are refused (n < 0 or room < 0, buckets below 1, above 256 or other than on the other
/// ranks, a null pointer with items or room, no offsets, an overlap, or a workspace that is too small), every rank's
/// call returns cudaErrorInvalidValue, and nothing was touched. If a rank would get more items than it has room for,
/// every rank's call returns the same error; the contents of offsets and the workspace are then unspecified. Any other
/// error reaches the others by the communicator. Cost: a split of n items, one exchange of the items that change their
/// rank, and a split of what arrives. The host waits for the first split: its ranks + 1 sums go to all ranks, which
/// need them for the sizes of what NCCL sends.
///     cudaError_t e = split_across({memory, bytes}, comm, in, out, offsets, n, room, 16, cell_of{}, stream);
template <class Policy = default_split_policy, class Communicator, class T, class BucketOf>
[[nodiscard]] error_of<typename Communicator::stream_type> split_across(
    workspace w, Communicator& comm, const T* in, T* out, std::int64_t* offsets, std::int64_t n, std::int64_t room,
    int buckets, BucketOf bucket_of, typename Communicator::stream_type stream = {}) {
  static_assert(is_bitwise_copyable<T>, "upsweep: items that change their rank are copied as bytes");
  using error = error_of<typename Communicator::stream_type>;
  constexpr int most_buckets = 256;
  const auto p = detail::split_across_plan<T>::template of<Policy>(n, room, buckets);
  const bool has_memory = p.bytes == 0 || (w.data != nullptr && w.bytes >= p.bytes);
  const bool fits = detail::is_size_of_rank(n) && detail::is_size_of_rank(room) && buckets >= 1 &&
                    buckets <= most_buckets && (n == 0 || in != nullptr) && (room == 0 || out != nullptr) &&
                    offsets != nullptr && has_memory &&
                    detail::written_apart(std::array{detail::use_of(in, n, false), detail::use_of(out, room, true),
                                                     detail::use_of(offsets, std::int64_t{buckets} + 1, true)});
  std::vector<detail::split_of_rank> all;
  status s = detail::agree(comm, stream, fits ? status::success : status::invalid_value,
                           detail::split_of_rank{room, buckets}, all);
  if (s != status::success) return static_cast<error>(s);
  for (const detail::split_of_rank& other : all) {
    if (other.buckets != all[0].buckets) return static_cast<error>(status::invalid_value);
  }

  const workspace rest = p.layout.rest(w);
  T *const parted = p.layout.at(w, p.parted), *const came = p.layout.at(w, p.came);
  s = comm.checked(static_cast<status>(split<Policy>(rest, in, parted, offsets, n, buckets, bucket_of, stream)));
  std::vector<std::int64_t> begins(static_cast<std::size_t>(buckets) + 1);
  auto ex = executor_of(stream);
  if (s == status::success) {
    s = detail::copy_to_host(comm, ex, begins.data(), offsets, begins.size() * sizeof(std::int64_t), stream);
  }
  if (s != status::success) return static_cast<error>(s);

  detail::rank_table<std::int64_t> starts{};
  for (int r = 0; r <= comm.ranks(); ++r) {
    starts[r] = begins[static_cast<std::size_t>(first_bucket_of_rank(buckets, r, comm.ranks()))] *
                static_cast<std::int64_t>(sizeof(T));
  }
  std::vector<detail::rank_table<std::int64_t>> of_ranks;
  s = comm.meet(starts, of_ranks);
  if (s != status::success) return static_cast<error>(s);
  // All ranks know of each whether it has room.
  for (int r = 0; r < comm.ranks(); ++r) {
    const std::int64_t bytes = detail::came_from(of_ranks, r)[comm.ranks()];
    if (bytes > all[static_cast<std::size_t>(r)].room * static_cast<std::int64_t>(sizeof(T))) {
      return static_cast<error>(status::invalid_value);
    }
  }
  const auto from = detail::came_from(of_ranks, comm.rank());
  s = comm.checked(comm.exchange(parted, starts.at, came, from.at, stream));
  if (s != status::success) return static_cast<error>(s);
  // What came from a rank is in the order of buckets, and of its items in each: a stable split keeps that of ranks.
  const std::int64_t n_out = from[comm.ranks()] / static_cast<std::int64_t>(sizeof(T));
  const T* const mine = came;
  return static_cast<error>(
      comm.checked(static_cast<status>(split<Policy>(rest, mine, out, offsets, n_out, buckets, bucket_of, stream))));
}

/// Bytes of workspace of split_across with these arguments: a host formula; more items, or more room, never need less.
template <class Policy = default_split_policy, class Communicator, class T, class BucketOf>
std::size_t split_across_workspace_bytes(const Communicator&, const T*, T*, std::int64_t*, std::int64_t n,
                                         std::int64_t room, int buckets, BucketOf) {
  return detail::split_across_plan<T>::template of<Policy>(n, room, buckets).bytes;
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
