// Scan by key: a scan of each run of equal neighbouring keys. The public calls; conventions as in scan.cuh, but that n
// and init are values on the host, and no call gives a total.
//
//   std::size_t bytes = upsweep::sum_by_key_workspace_bytes(keys, in, out, n);
//   upsweep::inclusive_sum_by_key({workspace, bytes}, keys, in, out, n, upsweep::equal_to{}, stream);
//
// `keys` is a pointer or a random-access iterator of device memory; keys are trivially copyable. `equal(a, b)` is asked
// of keys that are neighbours, a in front. T, the accumulator, is what op returns, as in scan.cuh.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/segmented_pipelined.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

namespace detail {

template <class Policy, scan_kind Kind, class T, class Stream, class Keys, class In, class Out, class Op, class Equal>
error_of<Stream> scan_by_key(workspace w, Keys keys, In in, Out out, std::int64_t n, Op op, T init, Equal equal,
                             Stream stream) {
  using error = error_of<Stream>;
  static_assert(std::is_trivially_copyable_v<T>, "the accumulator travels through shared memory as bytes");
  if (n < 0 || (n > 0 && (is_null(keys) || is_null(in) || is_null(out)))) {
    return static_cast<error>(status::invalid_value);
  }
  if (n == 0) return static_cast<error>(status::success);
  if (overlaps_askew(in, out, n) || overlaps_askew(keys, out, n)) return static_cast<error>(status::invalid_value);
  auto executor = executor_of(stream);
  return static_cast<error>(Policy::template by_key<Kind, T>(executor, w, keys, in, out, n, op, init, equal));
}

}  // namespace detail

/// out[i] = init op in[j] op ... op in[i - 1], for i < n, where j begins the run that i is in: the largest j <= i that
/// is 0 or has !equal(keys[j - 1], keys[j]). out may be in, and keys. n < 0, a null pointer with n > 0, `in` or `keys`
/// that overlap `out` but are not the same, or a workspace smaller than exclusive_scan_by_key_workspace_bytes:
/// cudaErrorInvalidValue, nothing touched. Cost: a fill and a launch, two where out is keys or one of them no pointer;
/// each item and key is read once, whatever the runs; O(n) work. Decoupled look-back (Merrill & Garland 2016),
/// for many items by warps in roles (device/segmented_pipelined.cuh).
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op, class Init,
          class Equal = equal_to, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_by_key(workspace w, Keys keys, In in, Out out, std::int64_t n, Op op,
                                                     Init init, Equal equal = {}, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan_by_key<Policy, scan_kind::exclusive, T>(w, keys, in, out, n, op, static_cast<T>(init), equal,
                                                              stream);
}

/// out[i] = in[j] op ... op in[i], for i < n. The rest as exclusive_scan_by_key.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_by_key(workspace w, Keys keys, In in, Out out, std::int64_t n, Op op,
                                                     Equal equal = {}, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op>;
  return detail::scan_by_key<Policy, scan_kind::inclusive, T>(w, keys, in, out, n, op, T{}, equal, stream);
}

/// exclusive_scan_by_key with plus from zero, in sum_accumulator_t.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum_by_key(workspace w, Keys keys, In in, Out out, std::int64_t n,
                                                    Equal equal = {}, Stream stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return detail::scan_by_key<Policy, scan_kind::exclusive, T>(w, keys, in, out, n, plus{}, T{}, equal, stream);
}

/// inclusive_scan_by_key with plus, in sum_accumulator_t.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum_by_key(workspace w, Keys keys, In in, Out out, std::int64_t n,
                                                    Equal equal = {}, Stream stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return detail::scan_by_key<Policy, scan_kind::inclusive, T>(w, keys, in, out, n, plus{}, T{}, equal, stream);
}

/// Bytes of workspace for exclusive_scan_by_key with these arguments. A host formula: the pointers are not looked at,
/// and more items never need less. 0 for n <= 0.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op, class Init>
std::size_t exclusive_scan_by_key_workspace_bytes(Keys, In, Out, std::int64_t n, Op, Init) {
  using key = typename std::iterator_traits<Keys>::value_type;
  return n <= 0 ? 0 : Policy::template by_key_workspace_bytes<scan_accumulator_t<In, Op, Init>, key>(n);
}

/// Bytes of workspace for inclusive_scan_by_key with these arguments.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op>
std::size_t inclusive_scan_by_key_workspace_bytes(Keys keys, In in, Out out, std::int64_t n, Op op) {
  return exclusive_scan_by_key_workspace_bytes<Policy>(keys, in, out, n, op,
                                                       typename std::iterator_traits<In>::value_type{});
}

/// Bytes of workspace for exclusive_sum_by_key and inclusive_sum_by_key with these arguments.
template <class Policy = default_segments_policy, class Keys, class In, class Out>
std::size_t sum_by_key_workspace_bytes(Keys, In, Out, std::int64_t n) {
  using key = typename std::iterator_traits<Keys>::value_type;
  return n <= 0 ? 0 : Policy::template by_key_workspace_bytes<sum_accumulator_t<In, Out>, key>(n);
}

}  // namespace upsweep
