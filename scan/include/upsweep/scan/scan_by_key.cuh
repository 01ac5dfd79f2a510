// Scan by key: a scan of each run of equal neighbouring keys. n and init are values on the host, and no call returns a
// total; otherwise as in scan.cuh.
//
//   cudaError_t e = upsweep::inclusive_sum_by_key(upsweep::stream_pool{}, keys, in, out, n, upsweep::equal_to{},
//   stream);
//
// `keys` is a pointer or a random-access iterator of device memory; keys are trivially copyable. `equal(a, b)` is
// called with neighbouring keys, a before b. T, the accumulator, is what op returns, as in scan.cuh.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/segmented_pipelined.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::default_segments_policy;
using detail::segmented_lookback;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Policy, scan_kind Kind, class T, class Stream, class Keys, class In, class Out, class Op, class Equal>
error_of<Stream> scan_by_key_in(workspace w, Keys keys, In in, Out out, std::int64_t n, Op op, T init, Equal equal,
                                Stream stream) {
  using error = error_of<Stream>;
  if (n < 0 || (n > 0 && (is_null(keys) || is_null(in) || is_null(out)))) {
    return static_cast<error>(status::invalid_value);
  }
  if (n == 0) return static_cast<error>(status::success);
  if (overlaps_askew(in, out, n) || overlaps_askew(keys, out, n)) return static_cast<error>(status::invalid_value);
  auto executor = executor_of(stream);
  return static_cast<error>(Policy::template by_key<Kind, T>(executor, w, keys, in, out, n, op, init, equal));
}

template <class Policy, class T, class Keys>
std::size_t scan_by_key_workspace_bytes(std::int64_t n) {
  return n <= 0 ? 0 : Policy::template by_key_workspace_bytes<T, item_t<Keys>>(n);
}

/// Every scan of scan_by_key.cuh.
template <class Policy, scan_kind Kind, class Stream, class Keys, class In, class Out, class Op, class Init,
          class Equal>
error_of<Stream> scan_by_key(const workspace_or_resource& w, Keys keys, In in, Out out, std::int64_t n, Op op,
                             Init init, Equal equal, Stream stream) {
  if constexpr (check_scan<Stream, In, Out, std::int64_t, Op, Init>() && check_input<Keys, Stream>()) {
    if constexpr (check_equality<Equal, item_t<Keys>>()) {
      using T = typename accumulator_of<In, Op, Init>::type;
      const stream_of<Stream> on = stream;
      return w.lend(scan_by_key_workspace_bytes<Policy, T, Keys>(n), on, [&](workspace lent) {
        return scan_by_key_in<Policy, Kind, T>(lent, keys, in, out, n, op, init_argument<T>(init).value, equal, on);
      });
    }
  }
  return {};
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// out[i] = init op in[j] op ... op in[i - 1], for i < n. Here j begins the run that i is in: the largest j <= i that
/// is 0 or has !equal(keys[j - 1], keys[j]).
///   w       a workspace of exclusive_scan_by_key_workspace_bytes bytes, or a memory resource to take it from; the
///           caller keeps it until the work has finished
///   keys    n keys, of which equal neighbours are a run: a pointer or random-access iterator of device memory
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in, and keys
///   n       how many items, on the host
///   op      an associative operator that the GPU can call with two items
///   init    the value before the first item of each run
///   equal   whether two neighbouring keys are in one run; equal_to{} by default
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, in or keys overlap out
/// without being the same, or the workspace is too small; otherwise the first error of a launch. Cost: a fill and a
/// launch, two where out is keys or one of them is not a pointer; each item and key is read once, whatever the runs;
/// O(n) work. Source: decoupled look-back (Merrill & Garland 2016), for many items by warps in roles
/// (device/segmented_pipelined.cuh).
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op, class Init,
          class Equal = equal_to, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_by_key(workspace_or_resource w, Keys keys, In in, Out out, std::int64_t n,
                                                     Op op, Init init, Equal equal = {}, Stream stream = {}) {
  return detail::scan_by_key<Policy, detail::scan_kind::exclusive>(w, keys, in, out, n, op, init, equal, stream);
}

/// Bytes of workspace of exclusive_scan_by_key with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items never need less. 0 for n <= 0.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op, class Init,
          class Equal = equal_to>
std::size_t exclusive_scan_by_key_workspace_bytes(Keys, In, Out, std::int64_t n, Op, Init, Equal = {}) {
  return detail::scan_by_key_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, Keys>(n);
}

/// out[i] = in[j] op ... op in[i], for i < n. Here j begins the run that i is in: the largest j <= i that is 0 or has
/// !equal(keys[j - 1], keys[j]).
///   w       a workspace of inclusive_scan_by_key_workspace_bytes bytes, or a memory resource to take it from; the
///           caller keeps it until the work has finished
///   keys    n keys, of which equal neighbours are a run: a pointer or random-access iterator of device memory
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in, and keys
///   n       how many items, on the host
///   op      an associative operator that the GPU can call with two items
///   equal   whether two neighbouring keys are in one run; equal_to{} by default
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, in or keys overlap out
/// without being the same, or the workspace is too small; otherwise the first error of a launch. Cost: a fill and a
/// launch, two where out is keys or one of them is not a pointer; each item and key is read once, whatever the runs;
/// O(n) work. Source: decoupled look-back (Merrill & Garland 2016), for many items by warps in roles
/// (device/segmented_pipelined.cuh).
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_by_key(workspace_or_resource w, Keys keys, In in, Out out, std::int64_t n,
                                                     Op op, Equal equal = {}, Stream stream = {}) {
  return detail::scan_by_key<Policy, detail::scan_kind::inclusive>(w, keys, in, out, n, op, detail::no_init{}, equal,
                                                                   stream);
}

/// Bytes of workspace of inclusive_scan_by_key with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items never need less. 0 for n <= 0.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Op, class Equal = equal_to>
std::size_t inclusive_scan_by_key_workspace_bytes(Keys, In, Out, std::int64_t n, Op, Equal = {}) {
  return detail::scan_by_key_workspace_bytes<Policy, scan_accumulator_t<In, Op>, Keys>(n);
}

/// out[i] = in[j] + ... + in[i - 1], for i < n. Here j begins the run that i is in: the largest j <= i that is 0 or has
/// !equal(keys[j - 1], keys[j]). Sums are formed in the wider of the types of item and output.
///   w       a workspace of exclusive_sum_by_key_workspace_bytes bytes, or a memory resource to take it from; the
///           caller keeps it until the work has finished
///   keys    n keys, of which equal neighbours are a run: a pointer or random-access iterator of device memory
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in, and keys
///   n       how many items, on the host
///   equal   whether two neighbouring keys are in one run; equal_to{} by default
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, in or keys overlap out
/// without being the same, or the workspace is too small; otherwise the first error of a launch. Cost: a fill and a
/// launch, two where out is keys or one of them is not a pointer; each item and key is read once, whatever the runs;
/// O(n) work. Source: decoupled look-back (Merrill & Garland 2016), for many items by warps in roles
/// (device/segmented_pipelined.cuh).
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum_by_key(workspace_or_resource w, Keys keys, In in, Out out, std::int64_t n,
                                                    Equal equal = {}, Stream stream = {}) {
  return detail::scan_by_key<Policy, detail::scan_kind::exclusive>(
      w, keys, in, out, n, plus{}, detail::sum_init<detail::scan_kind::exclusive, Out>{}, equal, stream);
}

/// Bytes of workspace of exclusive_sum_by_key with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items never need less. 0 for n <= 0.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Equal = equal_to>
std::size_t exclusive_sum_by_key_workspace_bytes(Keys, In, Out, std::int64_t n, Equal = {}) {
  return detail::scan_by_key_workspace_bytes<Policy, sum_accumulator_t<In, Out>, Keys>(n);
}

/// out[i] = in[j] + ... + in[i], for i < n. Here j begins the run that i is in: the largest j <= i that is 0 or has
/// !equal(keys[j - 1], keys[j]). Sums are formed in the wider of the types of item and output.
///   w       a workspace of inclusive_sum_by_key_workspace_bytes bytes, or a memory resource to take it from; the
///           caller keeps it until the work has finished
///   keys    n keys, of which equal neighbours are a run: a pointer or random-access iterator of device memory
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in, and keys
///   n       how many items, on the host
///   equal   whether two neighbouring keys are in one run; equal_to{} by default
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, in or keys overlap out
/// without being the same, or the workspace is too small; otherwise the first error of a launch. Cost: a fill and a
/// launch, two where out is keys or one of them is not a pointer; each item and key is read once, whatever the runs;
/// O(n) work. Source: decoupled look-back (Merrill & Garland 2016), for many items by warps in roles
/// (device/segmented_pipelined.cuh).
///     cudaError_t e = inclusive_sum_by_key(stream_pool{}, cell, mass, mass_so_far, n, equal_to{}, stream);
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum_by_key(workspace_or_resource w, Keys keys, In in, Out out, std::int64_t n,
                                                    Equal equal = {}, Stream stream = {}) {
  return detail::scan_by_key<Policy, detail::scan_kind::inclusive>(
      w, keys, in, out, n, plus{}, detail::sum_init<detail::scan_kind::inclusive, Out>{}, equal, stream);
}

/// Bytes of workspace of inclusive_sum_by_key with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items never need less. 0 for n <= 0.
template <class Policy = default_segments_policy, class Keys, class In, class Out, class Equal = equal_to>
std::size_t inclusive_sum_by_key_workspace_bytes(Keys, In, Out, std::int64_t n, Equal = {}) {
  return detail::scan_by_key_workspace_bytes<Policy, sum_accumulator_t<In, Out>, Keys>(n);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
