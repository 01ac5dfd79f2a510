// Stream compaction of device memory: the public calls.
//
// Kept elements move to the front of their output, in input order; their number is written to device memory, where the
// next kernel can read it. A call enqueues its kernels on `stream` and returns: it neither allocates nor waits, and it
// can be captured in a graph. With a sim_stream it runs on the CPU and has finished when it returns.
//
// n is a number, or a device_count: the number in device memory, with a bound on the host. `results` is a pointer to
// the count, or a select_results (arguments.hpp), which also takes a capacity and gives indices and indirect arguments.
// The count may be written where n lies, if it is of that size.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/particles.hpp"
#include "upsweep/compact/policy.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// Bytes of workspace for select_arrays and partition_arrays (whose in == out decides whether a copy is needed). A host
/// formula: the pointers are only compared, and more elements never need less. 0 for n <= 0.
template <class Policy = default_compact_policy>
std::size_t select_arrays_workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                                          rejected_order rejected = rejected_order::apart) {
  return Policy{}.workspace_bytes(arrays, n, rejected);
}
template <class Policy = default_compact_policy>
std::size_t partition_arrays_workspace_bytes(std::span<const soa_array> arrays, std::int64_t n,
                                             rejected_order rejected = rejected_order::behind) {
  return Policy{}.workspace_bytes(arrays, n, rejected);
}

/// Keeps element i of every array when vote(i), a functor of the index that the GPU can call. out may be in; other
/// overlaps with its first element, or with `capacity` of them, are refused; the rest is the caller's. n = 0 writes a
/// count of 0. An array with a `rejected` gives it the other elements, in order. n < 0, a null pointer with n > 0, an
/// element_bytes of 0 or above 1 MiB, such an overlap, also of a count, of indices or of what a vote of votes.hpp
/// reads, or a workspace too small: cudaErrorInvalidValue, nothing touched. What the policy's method cannot do:
/// cudaErrorNotSupported, nothing touched. Complexity: elements are asked at most twice in a pass, of which 16 arrays
/// take one; each that is kept moves once, in place twice at most. vote(i) gives the same answer each time; of what the
/// call writes, it may look at element i of an array in place alone.
template <class Policy = default_compact_policy, class Count, class Vote, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_arrays(workspace w, std::span<const soa_array> arrays, Count n, Vote vote,
                                             std::type_identity_t<select_results> results, Stream stream = {}) {
  auto executor = executor_of(stream);
  return static_cast<error_of<Stream>>(Policy{}.run(executor, w, arrays, count_argument(n), vote, results));
}

/// The same, with the other elements of arrays without a `rejected` behind the kept ones of `out`, which has room for
/// all n: where there are such arrays, a results.capacity is refused.
template <class Policy = default_compact_policy, class Count, class Vote, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition_arrays(workspace w, std::span<const soa_array> arrays, Count n, Vote vote,
                                                std::type_identity_t<select_results> results, Stream stream = {},
                                                rejected_order rejected = rejected_order::behind) {
  auto executor = executor_of(stream);
  return static_cast<error_of<Stream>>(Policy{}.run(executor, w, arrays, count_argument(n), vote, results, rejected));
}

/// Bytes of workspace for select, select_if and select_flagged.
template <class Policy = default_compact_policy, class T>
std::size_t select_workspace_bytes(const T* in, const T* out, std::int64_t n) {
  if constexpr (requires { Policy{}.array_workspace_bytes(in, out, n); }) {
    return Policy{}.array_workspace_bytes(in, out, n);
  } else {
    const soa_array array{in, const_cast<T*>(out), sizeof(T)};
    return select_arrays_workspace_bytes<Policy>({&array, 1}, n);
  }
}

/// Keeps in[i] when vote(i). Else as select_arrays.
template <class Policy = default_compact_policy, class T, class Count, class Vote, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select(workspace w, const T* in, T* out, std::type_identity_t<select_results> results,
                                      Count n, Vote vote, Stream stream = {}) {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
  if constexpr (requires { Policy{}.array_workspace_bytes(in, out, std::int64_t{}); }) {
    auto executor = executor_of(stream);
    return static_cast<error_of<Stream>>(Policy{}.run_array(executor, w, in, out, count_argument(n), vote, results));
  } else {
    const soa_array array{in, out, sizeof(T)};
    return select_arrays<Policy>(w, {&array, 1}, n, vote, results, stream);
  }
}

/// Keeps in[i] when keep(in[i]). Else as select_arrays.
template <class Policy = default_compact_policy, class T, class Count, class Predicate, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_if(workspace w, const T* in, T* out, std::type_identity_t<select_results> results,
                                         Count n, Predicate keep, Stream stream = {}) {
  return select<Policy>(w, in, out, results, n, vote_if<T, Predicate>{in, keep}, stream);
}

/// Keeps in[i] when flags[i] is true: `flags` is a pointer or a random-access iterator, of numbers (any but zero) or
/// of anything else that converts to bool. Else as select_arrays.
template <class Policy = default_compact_policy, class T, class Flags, class Count, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_flagged(workspace w, const T* in, Flags flags, T* out,
                                              std::type_identity_t<select_results> results, Count n,
                                              Stream stream = {}) {
  return select<Policy>(w, in, out, results, n, vote_by_flags(flags), stream);
}

/// Bytes of workspace for partition.
template <class Policy = default_compact_policy, class T>
std::size_t partition_workspace_bytes(const T* in, T* out, T* rejected, std::int64_t n,
                                      rejected_order order = rejected_order::behind) {
  if constexpr (requires { Policy{}.array_workspace_bytes(in, out, n, rejected, order); }) {
    return Policy{}.array_workspace_bytes(in, out, n, rejected, order);
  } else {
    const soa_array array{in, out, sizeof(T), rejected};
    return partition_arrays_workspace_bytes<Policy>({&array, 1}, n, order);
  }
}

/// Keeps in[i] when vote(i); the other items go to `rejected` in input order, or, when that is null, where `order`
/// says. Else as partition_arrays.
template <class Policy = default_compact_policy, class T, class Count, class Vote, class Stream = default_stream>
[[nodiscard]] error_of<Stream> partition(workspace w, const T* in, T* out, std::type_identity_t<T*> rejected,
                                         std::type_identity_t<select_results> results, Count n, Vote vote,
                                         Stream stream = {}, rejected_order order = rejected_order::behind) {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
  if constexpr (requires { Policy{}.array_workspace_bytes(in, out, std::int64_t{}, rejected, order); }) {
    auto executor = executor_of(stream);
    return static_cast<error_of<Stream>>(
        Policy{}.partition_array(executor, w, in, out, rejected, count_argument(n), vote, results, order));
  } else {
    const soa_array array{in, out, sizeof(T), rejected};
    return partition_arrays<Policy>(w, {&array, 1}, n, vote, results, stream, order);
  }
}

/// Bytes of workspace for select_items.
template <class Policy = default_compact_policy>
std::size_t select_items_workspace_bytes(std::int64_t n) {
  return Policy{}.workspace_bytes({}, n);
}

/// Writes item i of the iterator `in` to `out` when vote(i), and else, in input order, to `rejected` where there is
/// one; from its n-th item on backwards when `backwards` is true. The iterators do not reach one another's memory, nor
/// the outputs that which votes; pointers are refused as select_arrays refuses them. Else as select_arrays; for the
/// method `fused` alone.
template <class Policy = default_compact_policy, class In, class Out, class Count, class Vote,
          class Rejected = no_items, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_items(workspace w, In in, Out out, std::type_identity_t<select_results> results,
                                            Count n, Vote vote, Stream stream = {}, Rejected rejected = {},
                                            bool backwards = false) {
  auto executor = executor_of(stream);
  const moved_items<In, Out, Rejected> moved{in, out, rejected, backwards};
  return static_cast<error_of<Stream>>(Policy{}.run_items(executor, w, moved, count_argument(n), vote, results));
}

}  // namespace upsweep
