// Segmented scan of segments with separate begins and ends: with gaps between them, or in any order. As
// segmented_scan.cuh, which is faster for offsets: there a segment ends where the next one begins.
//
//   cudaError_t e = upsweep::inclusive_sum_segmented(w, in, out, begins, ends, n, segments, stream);
//
// Segment s has the items begins[s] to ends[s] - 1. One that ends before it begins, or is not wholly in [0, n], counts
// as empty. Items outside of all segments are neither given to op nor written. Segments that overlap are scanned as if
// each were alone, but an item of several gets the result of any of them, and in place an unspecified value. The
// results are the same in every run, of floats too.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/segments_by_spans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::default_bounded_segments_policy;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Not the number of items, which is in this place in the calls of segmented_scan.cuh.
template <class Ends>
concept segment_ends = !std::is_integral_v<Ends>;

template <class Stream, class In, class Out, class Begins, class Ends, class Count, class Segments, class Op,
          class Init>
constexpr bool check_bounded_segments() {
  if constexpr (check_scan<Stream, In, Out, Count, Op, Init>() && check_count<Segments>() &&
                check_input<Begins, Stream>() && check_input<Ends, Stream>()) {
    constexpr bool fits = std::is_integral_v<item_t<Begins>> && std::is_integral_v<item_t<Ends>>;
    static_assert(fits, "upsweep: begins and ends are integers; they come after the output and before n");
    return fits;
  }
  return false;
}

template <class Policy, scan_kind Kind, class T, class Stream, class In, class Out, class Begins, class Ends,
          class Count, class Segments, class Op>
error_of<Stream> scan_bounded_in(workspace w, In in, Out out, Begins begins, Ends ends, Count n, Segments segments,
                                 Op op, carry<T> init, Stream stream) {
  using error = error_of<Stream>;
  const std::int64_t items = bound_of(n), most = bound_of(segments);
  const auto count = place_of(n);
  const auto number = place_of(segments);
  if (items < 0 || most < 0) return static_cast<error>(status::invalid_value);
  if (items == 0 || most == 0) return static_cast<error>(status::success);
  if (is_null(in) || is_null(out) || is_null(begins) || is_null(ends) || is_null(count) || is_null(number) ||
      overlaps_askew(in, out, items) || arrays_meet(begins, most, out, items) || arrays_meet(ends, most, out, items) ||
      arrays_meet(out, items, count, 1) || arrays_meet(out, items, number, 1)) {
    return static_cast<error>(status::invalid_value);
  }
  auto executor = executor_of(stream);
  return static_cast<error>(
      Policy::template run<Kind, T>(executor, w, in, out, begins, ends, begins, n, segments, op, init));
}

template <class Policy, class T, class Count, class Segments>
std::size_t scan_bounded_workspace_bytes(const Count& n, const Segments& segments) {
  const std::int64_t most = bound_of(segments);
  return bound_of(n) <= 0 || most <= 0 ? 0 : Policy::template workspace_bytes<T>(most);
}

/// Every scan of segmented_scan_by_bounds.cuh.
template <class Policy, scan_kind Kind, class Stream, class In, class Out, class Begins, class Ends, class Count,
          class Segments, class Op, class Init>
error_of<Stream> scan_bounded(const workspace_or_resource& w, In in, Out out, Begins begins, Ends ends, const Count& n,
                              const Segments& segments, Op op, Init init, Stream stream) {
  if constexpr (check_bounded_segments<Stream, In, Out, Begins, Ends, Count, Segments, Op, Init>()) {
    using T = typename accumulator_of<In, Op, Init>::type;
    const stream_of<Stream> on = stream;
    return w.lend(scan_bounded_workspace_bytes<Policy, T>(n, segments), on, [&](workspace lent) {
      return scan_bounded_in<Policy, Kind, T>(lent, in, out, begins, ends, count_argument(n), count_argument(segments),
                                              op, init_argument<T>(init), on);
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// out[i] = init op in[begins[s]] op ... op in[i - 1], for each i of each segment s.
///   w         a workspace of exclusive_scan_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       n items of device memory; may be in
///   begins    where each segment begins: a pointer or random-access iterator of device memory
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items there are: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   op        an associative operator that the GPU can call with two items; it need not commute
///   init      the value before the first item of each segment
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, out overlaps anything else, or the workspace is too
/// small; cudaErrorNotSupported for 2^32 segments or more; otherwise the first error of a launch. Cost: a fill and four
/// launches; each segment's bounds are read once, each item is read and written once; items of segments that reach over
/// several spans are read twice; O(n + segments) work, and O(log(segments)) for each item at the border of a segment.
/// Source: Merrill & Grimshaw 2009, over segments (device/segments_by_spans.cuh).
///     cudaError_t e = exclusive_scan_segmented(w, in, out, begins, ends, n, segments, maximum{}, 0, stream);
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments, class Op, class Init, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_segmented(workspace_or_resource w, In in, Out out, Begins begins,
                                                        Ends ends, Count n, Segments segments, Op op, Init init,
                                                        Stream stream = {}) {
  return detail::scan_bounded<Policy, detail::scan_kind::exclusive>(w, in, out, begins, ends, n, segments, op, init,
                                                                    stream);
}

/// Bytes of workspace of exclusive_scan_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more segments never need less, and the number of items does not matter. 0 for n <= 0 or no
/// segments.
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments, class Op, class Init>
std::size_t exclusive_scan_segmented_workspace_bytes(In, Out, Begins, Ends, Count n, Segments segments, Op, Init) {
  return detail::scan_bounded_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>>(n, segments);
}

/// out[i] = in[begins[s]] op ... op in[i], for each i of each segment s.
///   w         a workspace of inclusive_scan_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       n items of device memory; may be in
///   begins    where each segment begins: a pointer or random-access iterator of device memory
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items there are: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   op        an associative operator that the GPU can call with two items; it need not commute
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, out overlaps anything else, or the workspace is too
/// small; cudaErrorNotSupported for 2^32 segments or more; otherwise the first error of a launch. Cost: a fill and four
/// launches; each segment's bounds are read once, each item is read and written once; items of segments that reach over
/// several spans are read twice; O(n + segments) work, and O(log(segments)) for each item at the border of a segment.
/// Source: Merrill & Grimshaw 2009, over segments (device/segments_by_spans.cuh).
///     cudaError_t e = inclusive_scan_segmented(stream_pool{}, in, out, begins, ends, n, segments, maximum{}, stream);
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments, class Op, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_segmented(workspace_or_resource w, In in, Out out, Begins begins,
                                                        Ends ends, Count n, Segments segments, Op op,
                                                        Stream stream = {}) {
  return detail::scan_bounded<Policy, detail::scan_kind::inclusive>(w, in, out, begins, ends, n, segments, op,
                                                                    detail::no_init{}, stream);
}

/// Bytes of workspace of inclusive_scan_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more segments never need less, and the number of items does not matter. 0 for n <= 0 or no
/// segments.
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments, class Op>
std::size_t inclusive_scan_segmented_workspace_bytes(In, Out, Begins, Ends, Count n, Segments segments, Op) {
  return detail::scan_bounded_workspace_bytes<Policy, scan_accumulator_t<In, Op>>(n, segments);
}

/// out[i] = in[begins[s]] + ... + in[i - 1], for each i of each segment s. Sums are formed in the wider of the types of
/// item and output.
///   w         a workspace of exclusive_sum_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       n items of device memory; may be in
///   begins    where each segment begins: a pointer or random-access iterator of device memory
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items there are: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, out overlaps anything else, or the workspace is too
/// small; cudaErrorNotSupported for 2^32 segments or more; otherwise the first error of a launch. Cost: a fill and four
/// launches; each segment's bounds are read once, each item is read and written once; items of segments that reach over
/// several spans are read twice; O(n + segments) work, and O(log(segments)) for each item at the border of a segment.
/// Source: Merrill & Grimshaw 2009, over segments (device/segments_by_spans.cuh).
///     cudaError_t e = exclusive_sum_segmented(stream_pool{}, in, out, begins, ends, n, segments, stream);
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum_segmented(workspace_or_resource w, In in, Out out, Begins begins,
                                                       Ends ends, Count n, Segments segments, Stream stream = {}) {
  return detail::scan_bounded<Policy, detail::scan_kind::exclusive>(
      w, in, out, begins, ends, n, segments, plus{}, detail::sum_init<detail::scan_kind::exclusive, Out>{}, stream);
}

/// Bytes of workspace of exclusive_sum_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more segments never need less, and the number of items does not matter. 0 for n <= 0 or no
/// segments.
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments>
std::size_t exclusive_sum_segmented_workspace_bytes(In, Out, Begins, Ends, Count n, Segments segments) {
  return detail::scan_bounded_workspace_bytes<Policy, sum_accumulator_t<In, Out>>(n, segments);
}

/// out[i] = in[begins[s]] + ... + in[i], for each i of each segment s. Sums are formed in the wider of the types of
/// item and output.
///   w         a workspace of inclusive_sum_segmented_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n items: a pointer or random-access iterator of device memory
///   out       n items of device memory; may be in
///   begins    where each segment begins: a pointer or random-access iterator of device memory
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items there are: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, in and out overlap without being the same, out overlaps anything else, or the workspace is too
/// small; cudaErrorNotSupported for 2^32 segments or more; otherwise the first error of a launch. Cost: a fill and four
/// launches; each segment's bounds are read once, each item is read and written once; items of segments that reach over
/// several spans are read twice; O(n + segments) work, and O(log(segments)) for each item at the border of a segment.
/// Source: Merrill & Grimshaw 2009, over segments (device/segments_by_spans.cuh).
///     cudaError_t e = inclusive_sum_segmented(stream_pool{}, in, out, begins, ends, n, segments, stream);
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum_segmented(workspace_or_resource w, In in, Out out, Begins begins,
                                                       Ends ends, Count n, Segments segments, Stream stream = {}) {
  return detail::scan_bounded<Policy, detail::scan_kind::inclusive>(
      w, in, out, begins, ends, n, segments, plus{}, detail::sum_init<detail::scan_kind::inclusive, Out>{}, stream);
}

/// Bytes of workspace of inclusive_sum_segmented with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, more segments never need less, and the number of items does not matter. 0 for n <= 0 or no
/// segments.
template <class Policy = default_bounded_segments_policy, class In, class Out, class Begins, detail::segment_ends Ends,
          class Count, class Segments>
std::size_t inclusive_sum_segmented_workspace_bytes(In, Out, Begins, Ends, Count n, Segments segments) {
  return detail::scan_bounded_workspace_bytes<Policy, sum_accumulator_t<In, Out>>(n, segments);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
