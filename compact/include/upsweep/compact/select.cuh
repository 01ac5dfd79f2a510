// Stream compaction of device memory: the public calls.
//
//   cudaError_t e = upsweep::select_if(upsweep::stream_pool{}, in, out, count, n, upsweep::between<float>{0, 1},
//   stream);
//
// Kept elements move to the front of their output, in input order; their number is written to device memory, where the
// next kernel can read it. A call enqueues its kernels on `stream` and returns: it allocates nothing, unless it is
// given a resource (simt/memory_resource.cuh), does not wait, and can be captured in a graph. With a sim_stream it runs
// on the CPU and has finished when it returns.
//
// select_if takes a predicate of items, select_flagged takes flags, and the others a vote by index: a functor that is
// wrapped in by_index, or one of votes.hpp. Items that are not plain arrays of one trivially copyable type are moved
// one by one through their iterators, by the method `fused` alone, and not in place. Where the other items go too:
// partition.cuh, which comes with this file.
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
#include "upsweep/compact/partition.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/simt/memory_resource.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Keeps in[i] when the vote of index i says so.
///   w        a workspace of select_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///            until the work has finished
///   in       n items: a pointer or random-access iterator of device memory
///   out      where kept items go, in input order: a pointer or iterator of device memory with room for them; may be in
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written over it
///   vote     which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; for index i it may read
///            element i of an array that is compacted in place, and nothing else that the call writes
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), or the workspace is too small; cudaErrorNotSupported for what the policy's method
/// cannot do; otherwise the first error of a launch. n = 0 writes a count of 0. Cost: O(n) work; by the default policy
/// one or two launches, in which each vote is called once or twice, and each kept element moves once, in place at most
/// twice. Source: stream compaction over decoupled look-back (Merrill & Garland 2016), compact/README.md.
///     cudaError_t e = select(stream_pool{}, in, out, count, n, vote_bits<unsigned>{mask}, stream);
template <class Policy = default_compact_policy, class In, class Out, class Vote, class Results = select_results,
          class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select(workspace_or_resource w, In in, Out out, Results results, Count n, Vote vote,
                                      Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_vote<Vote>()) {
    return detail::select_from<Policy>(w, in, out, nullptr, results, n, detail::vote_of(vote), detail::no_rejected{},
                                       stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of select with these arguments. A host formula in O(1): no GPU is needed, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Vote, class Results = select_results,
          class Count = std::int64_t>
std::size_t select_workspace_bytes(In in, Out out, Results, Count n, Vote) {
  return detail::selection_bytes<Policy>(in, out, nullptr, detail::bound_of(n), rejected_order::apart);
}

/// Keeps in[i] when keep(in[i]).
///   w        a workspace of select_if_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///            until the work has finished
///   in       n items: a pointer or random-access iterator of device memory
///   out      where kept items go, in input order: a pointer or iterator of device memory with room for them; may be in
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written over it
///   keep     the predicate of an item that the GPU can call; it returns the same each time
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), or the workspace is too small; cudaErrorNotSupported for what the policy's method
/// cannot do; otherwise the first error of a launch. n = 0 writes a count of 0. Cost: O(n) work; by the default policy
/// one or two launches, in which each vote is called once or twice, and each kept element moves once, in place at most
/// twice. Source: stream compaction over decoupled look-back (Merrill & Garland 2016), compact/README.md.
///     cudaError_t e = select_if(stream_pool{}, in, out, count, n, between<float>{0, 1}, stream);
template <class Policy = default_compact_policy, class In, class Out, class Predicate, class Results = select_results,
          class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_if(workspace_or_resource w, In in, Out out, Results results, Count n,
                                         Predicate keep, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() &&
                detail::check_predicate<Predicate, detail::item_t<In>>()) {
    return detail::select_from<Policy>(w, in, out, nullptr, results, n, detail::vote_by_items(in, keep),
                                       detail::no_rejected{}, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of select_if with these arguments. A host formula in O(1): no GPU is needed, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Predicate, class Results = select_results,
          class Count = std::int64_t>
std::size_t select_if_workspace_bytes(In in, Out out, Results, Count n, Predicate) {
  return detail::selection_bytes<Policy>(in, out, nullptr, detail::bound_of(n), rejected_order::apart);
}

/// Keeps in[i] when flags[i] is true.
///   w        a workspace of select_flagged_workspace_bytes bytes, or a memory resource to take it from; the caller
///            keeps it until the work has finished
///   in       n items: a pointer or random-access iterator of device memory
///   flags    n flags; a true one keeps its item: a pointer or iterator of device memory
///   out      where kept items go, in input order: a pointer or iterator of device memory with room for them; may be in
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written over it
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), or the workspace is too small; cudaErrorNotSupported for what the policy's method
/// cannot do; otherwise the first error of a launch. n = 0 writes a count of 0. Cost: O(n) work; by the default policy
/// one or two launches, in which each vote is called once or twice, and each kept element moves once, in place at most
/// twice. Source: stream compaction over decoupled look-back (Merrill & Garland 2016), compact/README.md.
///     cudaError_t e = select_flagged(stream_pool{}, in, flags, out, count, n, stream);
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Results = select_results,
          class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_flagged(workspace_or_resource w, In in, Flags flags, Out out, Results results,
                                              Count n, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>() && detail::check_input<Flags, Stream>()) {
    return detail::select_from<Policy>(w, in, out, nullptr, results, n, detail::vote_by_flags(flags),
                                       detail::no_rejected{}, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of select_flagged with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Flags, class Out, class Results = select_results,
          class Count = std::int64_t>
std::size_t select_flagged_workspace_bytes(In in, Flags, Out out, Results, Count n) {
  return detail::selection_bytes<Policy>(in, out, nullptr, detail::bound_of(n), rejected_order::apart);
}

/// Keeps element i of every array when the vote of index i says so.
///   w        a workspace of select_arrays_workspace_bytes bytes, or a memory resource to take it from; the caller
///            keeps it until the work has finished
///   arrays   any number of arrays of n elements each, of any element size and alignment; out may be in; each may name
///            an array for its rejected elements
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written over it
///   vote     which elements are kept, by index: by_index{f}, keep_rules, or one of votes.hpp; for index i it may read
///            element i of an array that is compacted in place, and nothing else that the call writes
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (but out may be in), an element has 0 bytes or more than 1 MiB, or the workspace is too small;
/// cudaErrorNotSupported for what the policy's method cannot do; otherwise the first error of a launch. n = 0 writes a
/// count of 0. Cost: O(n) work; by the default policy a pass for every 16 arrays, in which each vote is called once or
/// twice, and each kept element moves once, in place at most twice. Source: stream compaction over decoupled look-back
/// (Merrill & Garland 2016), compact/README.md.
///     const soa_array arrays[] = {{x, x, sizeof *x}, {color, color, sizeof *color}};
///     cudaError_t e = select_arrays(stream_pool{}, arrays, count, n, vote_flagged<char>{alive}, stream);
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_arrays(workspace_or_resource w, std::span<const soa_array> arrays,
                                             Results results, Count n, Vote vote, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_results<Results>() && detail::check_count<Count>() &&
                detail::check_vote<Vote>()) {
    return detail::select_from<Policy>(w, arrays, results, n, detail::vote_of(vote), rejected_order::apart, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of select_arrays with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class Vote, class Results = select_results, class Count = std::int64_t>
std::size_t select_arrays_workspace_bytes(std::span<const soa_array> arrays, Results, Count n, Vote) {
  return Policy{}.workspace_bytes(arrays, detail::bound_of(n), rejected_order::apart);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
