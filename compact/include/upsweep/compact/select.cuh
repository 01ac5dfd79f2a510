// Stream compaction of device memory: the public calls.
//
// Kept elements move to the front of their output, in input order; their number is written to `*num_selected`, in
// device memory, where the next kernel can read it. A call enqueues its kernels on `stream` and returns: it neither
// allocates nor waits, and it can be captured in a graph. With a sim_stream it runs on the CPU and has finished when it
// returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upsweep/compact/particles.hpp"
#include "upsweep/compact/policy.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// Bytes of workspace for select_arrays (whose in == out decides whether a copy is needed). A host formula: the
/// pointers are only compared, and more elements never need less. 0 for n <= 0.
template <class Policy = default_compact_policy>
std::size_t select_arrays_workspace_bytes(std::span<const soa_array> arrays, std::int64_t n) {
  return Policy{}.workspace_bytes(arrays, n);
}

/// Keeps element i of every array when vote(i), a functor of the index that the GPU can call. out may be in; other
/// overlaps are refused. n = 0 writes a count of 0.
/// n < 0, a null pointer with n > 0, an element_bytes of 0 or above 1 MiB, an overlap, or a workspace too small:
/// cudaErrorInvalidValue, nothing touched. Complexity: one vote, one scan of n positions, one move of each array.
template <class Policy = default_compact_policy, class Vote, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_arrays(workspace w, std::span<const soa_array> arrays, std::int64_t n, Vote vote,
                                             std::int64_t* num_selected, Stream stream = {}) {
  auto executor = executor_of(stream);
  return static_cast<error_of<Stream>>(Policy{}.run(executor, w, arrays, n, vote, num_selected));
}

/// The vote of element i by its value.
template <class T, class Predicate>
struct vote_if {
  const T* in;
  Predicate keep;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return keep(in[i]); }
};

/// The predicate low <= x < high. A NaN is never kept.
template <class T>
struct between {
  T low, high;
  UPSWEEP_HOST_DEVICE bool operator()(const T& x) const { return low <= x && x < high; }
};

/// The vote of element i by its flag: any non-zero keeps it.
template <class Flag>
struct vote_flagged {
  const Flag* flags;
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const { return flags[i] != 0; }
};

/// Bytes of workspace for select_if and select_flagged.
template <class Policy = default_compact_policy, class T>
std::size_t select_workspace_bytes(const T* in, const T* out, std::int64_t n) {
  const soa_array array{in, const_cast<T*>(out), sizeof(T)};
  return select_arrays_workspace_bytes<Policy>({&array, 1}, n);
}

/// Keeps in[i] when keep(in[i]). Else as select_arrays.
template <class Policy = default_compact_policy, class T, class Predicate, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_if(workspace w, const T* in, T* out, std::int64_t* num_selected, std::int64_t n,
                                         Predicate keep, Stream stream = {}) {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
  const soa_array array{in, out, sizeof(T)};
  return select_arrays<Policy>(w, {&array, 1}, n, vote_if<T, Predicate>{in, keep}, num_selected, stream);
}

/// Keeps in[i] when flags[i] is not zero. A null `flags` with n > 0: cudaErrorInvalidValue. Else as select_arrays.
template <class Policy = default_compact_policy, class T, class Flag, class Stream = default_stream>
[[nodiscard]] error_of<Stream> select_flagged(workspace w, const T* in, const Flag* flags, T* out,
                                              std::int64_t* num_selected, std::int64_t n, Stream stream = {}) {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
  if (n > 0 && flags == nullptr) return static_cast<error_of<Stream>>(status::invalid_value);
  const soa_array array{in, out, sizeof(T)};
  return select_arrays<Policy>(w, {&array, 1}, n, vote_flagged<Flag>{flags}, num_selected, stream);
}

}  // namespace upsweep
