// Scan (prefix sum) over the items of several GPUs: the public calls. The result is that of one scan over the items of
// rank 0, then those of rank 1, and so on; each rank gives its part and gets its part.
//
//   std::size_t bytes = upsweep::exclusive_sum_across_workspace_bytes(comm, in, out, n);
//   cudaError_t e = upsweep::exclusive_sum_across({memory, bytes}, comm, in, out, n, stream);
//
// `comm` is the rank's communicator (simt/communicator.hpp): an nccl_communicator, or a sim_communicator with a
// sim_stream. Every rank makes the same call; n may differ, and be 0. The ranks' hosts meet in a call, which then
// enqueues the work and returns: no sum comes to the host. Each GPU reads its items twice and writes them once.
//
// Errors: if a rank's arguments are refused (n < 0 or more than 2^48, a null pointer with n > 0, in and out that
// overlap without being the same, or a workspace that is too small), every rank's call returns cudaErrorInvalidValue,
// and nothing was touched. Any other error of a rank reaches the others by the communicator: communicator.hpp.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/reduce.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/policy.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a scan over ranks keeps of its own, before the workspace that its two parts take in turns.
template <class T>
struct scan_across_plan {
  workspace_layout layout;
  workspace_layout::slot<carry<T>> mine, all;
  workspace_layout::slot<T> before;
  std::size_t bytes;

  template <class Policy, class In, class Out>
  static scan_across_plan of(int ranks, std::int64_t n) {
    scan_across_plan p{};
    p.mine = p.layout.template add<carry<T>>(1);
    p.all = p.layout.template add<carry<T>>(static_cast<std::size_t>(ranks));
    p.before = p.layout.template add<T>(1);
    const std::size_t reduces = reduce_by_tiles<>::plan<T>(n).layout.bytes();
    const std::size_t scans = n <= 0 ? 0 : Policy::template workspace_bytes<T, In, Out>(n);
    p.bytes = p.layout.bytes() + (reduces > scans ? reduces : scans);
    return p;
  }
};

/// Every scan over ranks. `Init` is a carry<T>, absent where there is none.
template <class Policy, scan_kind Kind, class T, class Communicator, class In, class Out, class Op>
status scan_across(workspace w, Communicator& comm, In in, Out out, std::int64_t n, Op op, carry<T> init,
                   typename Communicator::stream_type stream) {
  using plan = scan_across_plan<T>;
  const plan p = plan::template of<Policy, In, Out>(comm.ranks(), n);
  const bool fits = is_size_of_rank(n) && (n == 0 || (!is_null(in) && !is_null(out))) && w.data != nullptr &&
                    w.bytes >= p.bytes && !overlaps_askew(in, out, n);
  std::vector<std::int64_t> counts;
  status s = agree(comm, stream, fits ? status::success : status::invalid_value, n, counts);
  if (s != status::success) return s;

  auto ex = executor_of(stream);
  carry<T>*const mine = p.layout.at(w, p.mine), *const all = p.layout.at(w, p.all);
  s = comm.checked(reduce_by_tiles<>::template run<T>(ex, p.layout.rest(w), in, n, op, mine));
  if (s == status::success) s = comm.checked(comm.all_gather(mine, all, sizeof(carry<T>), stream));
  if (s != status::success || n == 0) return s;

  bool has_before = init.present;
  for (int r = 0; r < comm.rank(); ++r) has_before = has_before || counts[static_cast<std::size_t>(r)] > 0;
  const workspace rest = p.layout.rest(w);
  if (!has_before) {
    return comm.checked(static_cast<status>(scan_in<Policy, Kind, T>(rest, in, out, no_total{}, n, op, init, stream)));
  }
  T* const before = p.layout.at(w, p.before);
  s = comm.checked(
      ex.launch(1, sum_of_ranks_kernel<T>{}, static_cast<const carry<T>*>(all), comm.rank(), op, init, before));
  if (s != status::success) return s;
  const device_value<T> at{before};
  return comm.checked(static_cast<status>(scan_in<Policy, Kind, T>(rest, in, out, no_total{}, n, op, at, stream)));
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// out[i] = init op the items of the ranks before op in[0] op ... op in[i - 1], for i < n.
///   w       a workspace of exclusive_scan_across_workspace_bytes bytes; the caller keeps it until the work has
///           finished
///   comm    this rank's communicator
///   in      this rank's n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items this rank has; 0 is allowed
///   op      an associative operator that the GPU can call with two items; it need not commute
///   init    the value before the first item of all ranks, the same on every rank
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue on every rank, and nothing touched, if on one of them n < 0, a pointer is null with n
/// > 0, in and out overlap without being the same, or the workspace is too small. Any other error of a rank reaches the
/// others by the communicator (communicator.hpp). Cost: the items are read twice and written once; an all-gather of one
/// sum from each rank. Source: reduce, then scan (Merrill & Grimshaw 2009), with one GPU for each tile.
///     cudaError_t e = exclusive_scan_across({memory, bytes}, comm, in, out, n, maximum{}, 0, stream);
template <class Policy = default_scan_policy, class Communicator, class In, class Out, class Op, class Init>
[[nodiscard]] error_of<typename Communicator::stream_type> exclusive_scan_across(
    workspace w, Communicator& comm, In in, Out out, std::int64_t n, Op op, Init init,
    typename Communicator::stream_type stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return static_cast<error_of<typename Communicator::stream_type>>(
      detail::scan_across<Policy, detail::scan_kind::exclusive, T>(w, comm, in, out, n, op,
                                                                   detail::init_argument<T>(init), stream));
}

/// Bytes of workspace of exclusive_scan_across with these arguments: a host formula; more items never need less.
template <class Policy = default_scan_policy, class Communicator, class In, class Out, class Op, class Init>
std::size_t exclusive_scan_across_workspace_bytes(const Communicator& comm, In, Out, std::int64_t n, Op, Init) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan_across_plan<T>::template of<Policy, In, Out>(comm.ranks(), n).bytes;
}

/// out[i] = the items of the ranks before op in[0] op ... op in[i], for i < n.
///   w       a workspace of inclusive_scan_across_workspace_bytes bytes; the caller keeps it until the work has
///           finished
///   comm    this rank's communicator
///   in      this rank's n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items this rank has; 0 is allowed
///   op      an associative operator that the GPU can call with two items; it need not commute
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue on every rank, and nothing touched, if on one of them n < 0, a pointer is null with n
/// > 0, in and out overlap without being the same, or the workspace is too small. Any other error of a rank reaches the
/// others by the communicator (communicator.hpp). Cost: the items are read twice and written once; an all-gather of one
/// sum from each rank. Source: reduce, then scan (Merrill & Grimshaw 2009), with one GPU for each tile.
///     cudaError_t e = inclusive_scan_across({memory, bytes}, comm, in, out, n, maximum{}, stream);
template <class Policy = default_scan_policy, class Communicator, class In, class Out, class Op>
[[nodiscard]] error_of<typename Communicator::stream_type> inclusive_scan_across(
    workspace w, Communicator& comm, In in, Out out, std::int64_t n, Op op,
    typename Communicator::stream_type stream = {}) {
  using T = scan_accumulator_t<In, Op>;
  return static_cast<error_of<typename Communicator::stream_type>>(
      detail::scan_across<Policy, detail::scan_kind::inclusive, T>(w, comm, in, out, n, op,
                                                                   detail::carry<T>{T{}, false}, stream));
}

/// Bytes of workspace of inclusive_scan_across with these arguments: a host formula; more items never need less.
template <class Policy = default_scan_policy, class Communicator, class In, class Out, class Op>
std::size_t inclusive_scan_across_workspace_bytes(const Communicator& comm, In, Out, std::int64_t n, Op) {
  return detail::scan_across_plan<scan_accumulator_t<In, Op>>::template of<Policy, In, Out>(comm.ranks(), n).bytes;
}

/// out[i] = the sum of the items of the ranks before and in[0] + ... + in[i - 1], for i < n; added up in the type
/// sum_accumulator_t<In, Out> of scan.cuh.
///   w       a workspace of exclusive_sum_across_workspace_bytes bytes; the caller keeps it until the work has finished
///   comm    this rank's communicator
///   in      this rank's n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items this rank has; 0 is allowed
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue on every rank, and nothing touched, if on one of them n < 0, a pointer is null with n
/// > 0, in and out overlap without being the same, or the workspace is too small. Any other error of a rank reaches the
/// others by the communicator (communicator.hpp). Cost: the items are read twice and written once; an all-gather of one
/// sum from each rank. Source: reduce, then scan (Merrill & Grimshaw 2009), with one GPU for each tile.
///     cudaError_t e = exclusive_sum_across({memory, bytes}, comm, counts, offsets, n, stream);
template <class Policy = default_scan_policy, class Communicator, class In, class Out>
[[nodiscard]] error_of<typename Communicator::stream_type> exclusive_sum_across(
    workspace w, Communicator& comm, In in, Out out, std::int64_t n, typename Communicator::stream_type stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return static_cast<error_of<typename Communicator::stream_type>>(
      detail::scan_across<Policy, detail::scan_kind::exclusive, T>(w, comm, in, out, n, plus{},
                                                                   detail::carry<T>{T{}, true}, stream));
}

/// Bytes of workspace of exclusive_sum_across with these arguments: a host formula; more items never need less.
template <class Policy = default_scan_policy, class Communicator, class In, class Out>
std::size_t exclusive_sum_across_workspace_bytes(const Communicator& comm, In, Out, std::int64_t n) {
  return detail::scan_across_plan<sum_accumulator_t<In, Out>>::template of<Policy, In, Out>(comm.ranks(), n).bytes;
}

/// out[i] = the sum of the items of the ranks before and in[0] + ... + in[i], for i < n; added up in the type
/// sum_accumulator_t<In, Out> of scan.cuh.
///   w       a workspace of inclusive_sum_across_workspace_bytes bytes; the caller keeps it until the work has finished
///   comm    this rank's communicator
///   in      this rank's n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items this rank has; 0 is allowed
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue on every rank, and nothing touched, if on one of them n < 0, a pointer is null with n
/// > 0, in and out overlap without being the same, or the workspace is too small. Any other error of a rank reaches the
/// others by the communicator (communicator.hpp). Cost: the items are read twice and written once; an all-gather of one
/// sum from each rank. Source: reduce, then scan (Merrill & Grimshaw 2009), with one GPU for each tile.
///     cudaError_t e = inclusive_sum_across({memory, bytes}, comm, counts, ends, n, stream);
template <class Policy = default_scan_policy, class Communicator, class In, class Out>
[[nodiscard]] error_of<typename Communicator::stream_type> inclusive_sum_across(
    workspace w, Communicator& comm, In in, Out out, std::int64_t n, typename Communicator::stream_type stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return static_cast<error_of<typename Communicator::stream_type>>(
      detail::scan_across<Policy, detail::scan_kind::inclusive, T>(w, comm, in, out, n, plus{},
                                                                   detail::carry<T>{T{}, false}, stream));
}

/// Bytes of workspace of inclusive_sum_across with these arguments: a host formula; more items never need less.
template <class Policy = default_scan_policy, class Communicator, class In, class Out>
std::size_t inclusive_sum_across_workspace_bytes(const Communicator& comm, In, Out, std::int64_t n) {
  return detail::scan_across_plan<sum_accumulator_t<In, Out>>::template of<Policy, In, Out>(comm.ranks(), n).bytes;
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
