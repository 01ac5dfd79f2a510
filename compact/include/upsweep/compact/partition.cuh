// Partition of device memory: the public calls.
//
//   cudaError_t e = upsweep::partition_if(upsweep::stream_pool{}, in, near, far, count, n, is_near{},
//   upsweep::rejected_order::after, stream);
//
// Kept elements move to the front of their output, and the others to their own array or after them, each in input order
// unless asked otherwise.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/default_policy.hpp"
#include "upsweep/compact/device/select_from.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/simt/memory_resource.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Keeps in[i] when the vote of index i says so; the others go to `rejected`, or where `order` says.
///   w         a workspace of partition_workspace_bytes bytes, or a memory resource to take it from; the caller keeps
///             it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       where kept items go, in input order: a pointer or iterator of device memory with room for them; may be
///             in
///   rejected  where the other items go, in input order: a pointer or iterator of device memory; with nullptr, `order`
///             says where
///   results   a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///             (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n         how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///             written over it
///   vote      which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; for index i it may read
///             element i of an array that is compacted in place, and nothing else that the call writes
///   order     where rejected items go that have no array of their own: `after` the kept ones in out, in input order;
///             backwards from the end of out, as in CUB; or, with `apart`, nowhere. out then has room for n items
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), or the workspace is too small; cudaErrorNotSupported for what the policy's method
/// cannot do; otherwise the first error of a launch. n = 0 writes a count of 0. A capacity is only possible with a
/// rejected array. Cost: O(n) work; by the default policy one or two launches, in which each vote is called once or
/// twice, and each kept element moves once, in place at most twice. Source: stream compaction over decoupled look-back
/// (Merrill & Garland 2016), compact/README.md.
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Vote,
          class Results = select_results, class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition(workspace_or_resource w, In in, Out out, Rejected rejected, Results results,
                                         Count n, Vote vote, rejected_order order = rejected_order::after,
                                         Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_vote<Vote>()) {
    return detail::select_from<Policy>(w, in, out, rejected, results, n, detail::vote_of(vote), order, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of partition with these arguments. A host formula in O(1): no GPU is needed, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Vote,
          class Results = select_results, class Count = std::int64_t>
std::size_t partition_workspace_bytes(In in, Out out, Rejected rejected, Results, Count n, Vote,
                                      rejected_order order = rejected_order::after) {
  return detail::selection_bytes<Policy>(in, out, rejected, detail::bound_of(n), order);
}

/// Keeps in[i] when keep(in[i]); the others go to `rejected`, or where `order` says.
///   w         a workspace of partition_if_workspace_bytes bytes, or a memory resource to take it from; the caller
///             keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       where kept items go, in input order: a pointer or iterator of device memory with room for them; may be
///             in
///   rejected  where the other items go, in input order: a pointer or iterator of device memory; with nullptr, `order`
///             says where
///   results   a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///             (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n         how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///             written over it
///   keep      the predicate of an item that the GPU can call; it returns the same each time
///   order     where rejected items go that have no array of their own: `after` the kept ones in out, in input order;
///             backwards from the end of out, as in CUB; or, with `apart`, nowhere. out then has room for n items
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), or the workspace is too small; cudaErrorNotSupported for what the policy's method
/// cannot do; otherwise the first error of a launch. n = 0 writes a count of 0. A capacity is only possible with a
/// rejected array. Cost: O(n) work; by the default policy one or two launches, in which each vote is called once or
/// twice, and each kept element moves once, in place at most twice. Source: stream compaction over decoupled look-back
/// (Merrill & Garland 2016), compact/README.md.
///     cudaError_t e = partition_if(stream_pool{}, in, near, far, count, n, is_near{}, rejected_order::after, stream);
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Predicate,
          class Results = select_results, class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition_if(workspace_or_resource w, In in, Out out, Rejected rejected, Results results,
                                            Count n, Predicate keep, rejected_order order = rejected_order::after,
                                            Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() &&
                detail::check_predicate<Predicate, detail::item_t<In>>()) {
    return detail::select_from<Policy>(w, in, out, rejected, results, n, detail::vote_by_items(in, keep), order,
                                       stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of partition_if with these arguments. A host formula in O(1): no GPU is needed, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Rejected, class Predicate,
          class Results = select_results, class Count = std::int64_t>
std::size_t partition_if_workspace_bytes(In in, Out out, Rejected rejected, Results, Count n, Predicate,
                                         rejected_order order = rejected_order::after) {
  return detail::selection_bytes<Policy>(in, out, rejected, detail::bound_of(n), order);
}

/// Keeps in[i] when flags[i] is true; the others go to `rejected`, or where `order` says.
///   w         a workspace of partition_flagged_workspace_bytes bytes, or a memory resource to take it from; the caller
///             keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   flags     n flags; a true one keeps its item: a pointer or iterator of device memory
///   out       where kept items go, in input order: a pointer or iterator of device memory with room for them; may be
///             in
///   rejected  where the other items go, in input order: a pointer or iterator of device memory; with nullptr, `order`
///             says where
///   results   a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///             (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n         how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///             written over it
///   order     where rejected items go that have no array of their own: `after` the kept ones in out, in input order;
///             backwards from the end of out, as in CUB; or, with `apart`, nowhere. out then has room for n items
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), or the workspace is too small; cudaErrorNotSupported for what the policy's method
/// cannot do; otherwise the first error of a launch. n = 0 writes a count of 0. A capacity is only possible with a
/// rejected array. Cost: O(n) work; by the default policy one or two launches, in which each vote is called once or
/// twice, and each kept element moves once, in place at most twice. Source: stream compaction over decoupled look-back
/// (Merrill & Garland 2016), compact/README.md.
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Rejected,
          class Results = select_results, class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition_flagged(workspace_or_resource w, In in, Flags flags, Out out,
                                                 Rejected rejected, Results results, Count n,
                                                 rejected_order order = rejected_order::after, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_input<Flags, Stream>()) {
    return detail::select_from<Policy>(w, in, out, rejected, results, n, detail::vote_by_flags(flags), order, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of partition_flagged with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Rejected,
          class Results = select_results, class Count = std::int64_t>
std::size_t partition_flagged_workspace_bytes(In in, Flags, Out out, Rejected rejected, Results, Count n,
                                              rejected_order order = rejected_order::after) {
  return detail::selection_bytes<Policy>(in, out, rejected, detail::bound_of(n), order);
}

/// Keeps element i of every array when the vote of index i says so; the others go to the array's `rejected`, or where
/// `order` says.
///   w        a workspace of partition_arrays_workspace_bytes bytes, or a memory resource to take it from; the caller
///            keeps it until the work has finished
///   arrays   any number of arrays of n elements each, of any element size and alignment; out may be in; each may name
///            an array for its rejected elements
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written over it
///   vote     which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; for index i it may read
///            element i of an array that is compacted in place, and nothing else that the call writes
///   order    where rejected items go that have no array of their own: `after` the kept ones in out, in input order;
///            backwards from the end of out, as in CUB; or, with `apart`, nowhere. out then has room for n items
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), an element has 0 bytes or more than 1 MiB, or the workspace is too small;
/// cudaErrorNotSupported for what the policy's method cannot do; otherwise the first error of a launch. n = 0 writes a
/// count of 0. A capacity is only possible with a rejected array. Cost: O(n) work; by the default policy a pass for
/// every 16 arrays, in which each vote is called once or twice, and each kept element moves once, in place at most
/// twice. Source: stream compaction over decoupled look-back (Merrill & Garland 2016), compact/README.md.
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition_arrays(workspace_or_resource w, std::span<const soa_array> arrays,
                                                Results results, Count n, Vote vote,
                                                rejected_order order = rejected_order::after, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_results<Results>() && detail::check_count<Count>() &&
                detail::check_vote<Vote>()) {
    return detail::select_from<Policy>(w, arrays, results, n, detail::vote_of(vote), order, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of partition_arrays with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t>
std::size_t partition_arrays_workspace_bytes(std::span<const soa_array> arrays, Results, Count n, Vote,
                                             rejected_order order = rejected_order::after) {
  return Policy{}.workspace_bytes(arrays, detail::bound_of(n), order);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
