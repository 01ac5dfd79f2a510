// Segmented scan: a scan of each of many segments, given by offsets. n, the number of segments and init are values on
// the host, and no call returns a total; otherwise as in scan.cuh. Items after the last offset are left as they are.
//
//   cudaError_t e = upsweep::inclusive_sum_segmented(upsweep::stream_pool{}, in, offsets, out, n, segments, stream);
//
// `offsets` is a pointer or a random-access iterator of device memory: segments + 1 integers of any type, none smaller
// than the one before, all in [0, n]. Segment s has the items offsets[s] to offsets[s + 1] - 1, and may be empty. Items
// before offsets[0] and from offsets[segments] on are neither given to op nor written. The GPU's threads share the
// items, not the segments: no segment is too long, and millions of short ones cost little more than reading their
// offsets. With offsets that decrease or are outside of [0, n], nothing outside of the arrays is touched, but which
// items are scanned is unspecified; by begins and ends (segmented_scan_by_bounds.cuh) such segments are empty.
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
using detail::segmented_reduce_then_scan;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Policy, scan_kind Kind, class T, class Stream, class In, class Offsets, class Out, class Op>
error_of<Stream> scan_segmented_in(workspace w, In in, Offsets offsets, Out out, std::int64_t n, std::int64_t segments,
                                   Op op, T init, Stream stream) {
  using error = error_of<Stream>;
  if (n < 0 || segments < 0) return static_cast<error>(status::invalid_value);
  if (n == 0 || segments == 0) return static_cast<error>(status::success);
  if (is_null(in) || is_null(out) || is_null(offsets) || overlaps_askew(in, out, n) ||
      arrays_meet(offsets, segments + 1, out, n)) {
    return static_cast<error>(status::invalid_value);
  }
  auto executor = executor_of(stream);
  return static_cast<error>(Policy::template segmented<Kind, T>(executor, w, in, out, n, offsets, segments, op, init));
}

template <class Policy, class T>
std::size_t scan_segmented_workspace_bytes(std::int64_t n) {
  return n <= 0 ? 0 : Policy::template segmented_workspace_bytes<T>(n);
}

template <class Stream, class In, class Offsets, class Out, class Op, class Init>
constexpr bool check_segments() {
  if constexpr (check_scan<Stream, In, Out, std::int64_t, Op, Init>() && check_input<Offsets, Stream>()) {
    constexpr bool fits = std::is_integral_v<item_t<Offsets>>;
    static_assert(fits, "upsweep: offsets are integers; they come after the items and before the output");
    return fits;
  }
  return false;
}

/// Every scan of segmented_scan.cuh.
template <class Policy, scan_kind Kind, class Stream, class In, class Offsets, class Out, class Op, class Init>
error_of<Stream> scan_segmented(const workspace_or_resource& w, In in, Offsets offsets, Out out, std::int64_t n,
                                std::int64_t segments, Op op, Init init, Stream stream) {
  if constexpr (check_segments<Stream, In, Offsets, Out, Op, Init>()) {
    using T = typename accumulator_of<In, Op, Init>::type;
    const stream_of<Stream> on = stream;
    return w.lend(scan_segmented_workspace_bytes<Policy, T>(n), on, [&](workspace lent) {
      return scan_segmented_in<Policy, Kind, T>(lent, in, offsets, out, n, segments, op, init_argument<T>(init).value,
                                                on);
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// out[i] = init op in[offsets[s]] op ... op in[i - 1], for each i of each segment s.
///   w         a workspace of exclusive_scan_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   offsets   segments + 1 integers, none smaller than the one before, all in [0, n]: a pointer or random-access
///             iterator of device memory
///   out       n items of device memory; may be in
///   n         how many items, on the host
///   segments  how many segments, on the host
///   op        an associative operator that the GPU can call with two items
///   init      the value before the first item of each segment
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, offsets overlap out, or the workspace is too small;
/// otherwise the first error of a launch. Cost: a fill and two launches; each item and each offset is read once, one
/// offset in eight twice, and n / 8 bytes of workspace are cleared, written and read; O(n + segments) work. Up to 4096
/// segments of less than 32 MiB: a fill and one launch, which searches the offsets; up to 768 of up to 4 MiB: two
/// launches, by which items and offsets are read twice and more. Source: decoupled look-back
/// (Merrill & Garland 2016).
///     cudaError_t e = exclusive_scan_segmented(stream_pool{}, in, offsets, out, n, segments, maximum{}, 0, stream);
template <class Policy = default_segments_policy, class In, class Offsets, class Out, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_segmented(workspace_or_resource w, In in, Offsets offsets, Out out,
                                                        std::int64_t n, std::int64_t segments, Op op, Init init,
                                                        Stream stream = {}) {
  return detail::scan_segmented<Policy, detail::scan_kind::exclusive>(w, in, offsets, out, n, segments, op, init,
                                                                      stream);
}

/// Bytes of workspace of exclusive_scan_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more items never need less, and the number of segments does not matter. 0 for n <= 0.
template <class Policy = default_segments_policy, class In, class Offsets, class Out, class Op, class Init>
std::size_t exclusive_scan_segmented_workspace_bytes(In, Offsets, Out, std::int64_t n, std::int64_t, Op, Init) {
  return detail::scan_segmented_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>>(n);
}

/// out[i] = in[offsets[s]] op ... op in[i], for each i of each segment s.
///   w         a workspace of inclusive_scan_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   offsets   segments + 1 integers, none smaller than the one before, all in [0, n]: a pointer or random-access
///             iterator of device memory
///   out       n items of device memory; may be in
///   n         how many items, on the host
///   segments  how many segments, on the host
///   op        an associative operator that the GPU can call with two items
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, offsets overlap out, or the workspace is too small;
/// otherwise the first error of a launch. Cost: a fill and two launches; each item and each offset is read once, one
/// offset in eight twice, and n / 8 bytes of workspace are cleared, written and read; O(n + segments) work. Up to 4096
/// segments of less than 32 MiB: a fill and one launch, which searches the offsets; up to 768 of up to 4 MiB: two
/// launches, by which items and offsets are read twice and more. Source: decoupled look-back
/// (Merrill & Garland 2016).
///     cudaError_t e = inclusive_scan_segmented(stream_pool{}, in, offsets, out, n, segments, maximum{}, stream);
template <class Policy = default_segments_policy, class In, class Offsets, class Out, class Op,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_segmented(workspace_or_resource w, In in, Offsets offsets, Out out,
                                                        std::int64_t n, std::int64_t segments, Op op,
                                                        Stream stream = {}) {
  return detail::scan_segmented<Policy, detail::scan_kind::inclusive>(w, in, offsets, out, n, segments, op,
                                                                      detail::no_init{}, stream);
}

/// Bytes of workspace of inclusive_scan_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more items never need less, and the number of segments does not matter. 0 for n <= 0.
template <class Policy = default_segments_policy, class In, class Offsets, class Out, class Op>
std::size_t inclusive_scan_segmented_workspace_bytes(In, Offsets, Out, std::int64_t n, std::int64_t, Op) {
  return detail::scan_segmented_workspace_bytes<Policy, scan_accumulator_t<In, Op>>(n);
}

/// out[i] = in[offsets[s]] + ... + in[i - 1], for each i of each segment s. Sums are formed in the wider of the types
/// of item and output.
///   w         a workspace of exclusive_sum_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   offsets   segments + 1 integers, none smaller than the one before, all in [0, n]: a pointer or random-access
///             iterator of device memory
///   out       n items of device memory; may be in
///   n         how many items, on the host
///   segments  how many segments, on the host
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, offsets overlap out, or the workspace is too small;
/// otherwise the first error of a launch. Cost: a fill and two launches; each item and each offset is read once, one
/// offset in eight twice, and n / 8 bytes of workspace are cleared, written and read; O(n + segments) work. Up to 4096
/// segments of less than 32 MiB: a fill and one launch, which searches the offsets; up to 768 of up to 4 MiB: two
/// launches, by which items and offsets are read twice and more. Source: decoupled look-back
/// (Merrill & Garland 2016).
///     cudaError_t e = exclusive_sum_segmented(stream_pool{}, in, offsets, out, n, segments, stream);
template <class Policy = default_segments_policy, class In, class Offsets, class Out, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum_segmented(workspace_or_resource w, In in, Offsets offsets, Out out,
                                                       std::int64_t n, std::int64_t segments, Stream stream = {}) {
  return detail::scan_segmented<Policy, detail::scan_kind::exclusive>(
      w, in, offsets, out, n, segments, plus{}, detail::sum_init<detail::scan_kind::exclusive, Out>{}, stream);
}

/// Bytes of workspace of exclusive_sum_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more items never need less, and the number of segments does not matter. 0 for n <= 0.
template <class Policy = default_segments_policy, class In, class Offsets, class Out>
std::size_t exclusive_sum_segmented_workspace_bytes(In, Offsets, Out, std::int64_t n, std::int64_t) {
  return detail::scan_segmented_workspace_bytes<Policy, sum_accumulator_t<In, Out>>(n);
}

/// out[i] = in[offsets[s]] + ... + in[i], for each i of each segment s. Sums are formed in the wider of the types of
/// item and output.
///   w         a workspace of inclusive_sum_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   offsets   segments + 1 integers, none smaller than the one before, all in [0, n]: a pointer or random-access
///             iterator of device memory
///   out       n items of device memory; may be in
///   n         how many items, on the host
///   segments  how many segments, on the host
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, offsets overlap out, or the workspace is too small;
/// otherwise the first error of a launch. Cost: a fill and two launches; each item and each offset is read once, one
/// offset in eight twice, and n / 8 bytes of workspace are cleared, written and read; O(n + segments) work. Up to 4096
/// segments of less than 32 MiB: a fill and one launch, which searches the offsets; up to 768 of up to 4 MiB: two
/// launches, by which items and offsets are read twice and more. Source: decoupled look-back
/// (Merrill & Garland 2016).
///     cudaError_t e = inclusive_sum_segmented(stream_pool{}, in, offsets, out, n, segments, stream);
template <class Policy = default_segments_policy, class In, class Offsets, class Out, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum_segmented(workspace_or_resource w, In in, Offsets offsets, Out out,
                                                       std::int64_t n, std::int64_t segments, Stream stream = {}) {
  return detail::scan_segmented<Policy, detail::scan_kind::inclusive>(
      w, in, offsets, out, n, segments, plus{}, detail::sum_init<detail::scan_kind::inclusive, Out>{}, stream);
}

/// Bytes of workspace of inclusive_sum_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more items never need less, and the number of segments does not matter. 0 for n <= 0.
template <class Policy = default_segments_policy, class In, class Offsets, class Out>
std::size_t inclusive_sum_segmented_workspace_bytes(In, Offsets, Out, std::int64_t n, std::int64_t) {
  return detail::scan_segmented_workspace_bytes<Policy, sum_accumulator_t<In, Out>>(n);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
