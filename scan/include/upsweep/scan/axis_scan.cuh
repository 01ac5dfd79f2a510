// Scan along an axis of a dense array: of each of its rows, columns or whatever lies along that axis, by itself.
//
//   cudaError_t e = upsweep::inclusive_sum_axis(upsweep::stream_pool{}, in, out, upsweep::along({rows, columns}, 0),
//                                               stream);
//
// along(shape, axis) names an axis of an array of that shape (array_axis.hpp); with .backward() the scan runs from the
// last item to the first. The shape and init are values on the host, and no call returns a total; all else is as in
// scan.cuh. Sums of floats may differ in their last bits from run to run if a line is longer than a tile, unless the
// policy is reproducible_axis.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/array_axis.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/axis_by_shape.cuh"
#include "upsweep/scan/device/axis_lookback.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::axis_by_shape;
using detail::axis_lookback;
using detail::axis_strips;
using detail::default_axis_policy;

/// The scan along an axis whose result has the same bits on every run, on every GPU and on the sim, for arrays of one
/// shape and direction. Its operators must meet the conditions of reproducible_scan. Source: reproducible summation by
/// a fixed order (device/axis_lookback.cuh).
using reproducible_axis = axis_lookback<192, 256, 128, 4, 2, 512, 768, 16>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Policy, scan_kind Kind, class T, class Stream, class In, class Out, class Op>
error_of<Stream> scan_axis_in(workspace w, In in, Out out, const array_axis& axis, Op op, carry<T> init,
                              Stream stream) {
  using error = error_of<Stream>;
  const std::int64_t n = axis.items();
  if (n < 0) return static_cast<error>(status::invalid_value);
  if (n == 0) return static_cast<error>(status::success);
  const std::size_t need = Policy::template workspace_bytes<T, In, Out>(axis);
  if (is_null(in) || is_null(out) || overlaps_askew(in, out, n) ||
      (need > 0 && (w.data == nullptr || w.bytes < need))) {
    return static_cast<error>(status::invalid_value);
  }
  auto executor = executor_of(stream);
  return static_cast<error>(Policy::template run<Kind, T>(executor, w, in, out, axis, op, init));
}

template <class Policy, class T, class In, class Out>
std::size_t scan_axis_workspace_bytes(const array_axis& axis) {
  return axis.items() <= 0 ? 0 : Policy::template workspace_bytes<T, In, Out>(axis);
}

/// Every scan of axis_scan.cuh.
template <class Policy, scan_kind Kind, class Stream, class In, class Out, class Op, class Init>
error_of<Stream> scan_axis(const workspace_or_resource& w, In in, Out out, const array_axis& axis, Op op, Init init,
                           Stream stream) {
  if constexpr (check_scan<Stream, In, Out, std::int64_t, Op, Init>()) {
    using T = typename accumulator_of<In, Op, Init>::type;
    const stream_of<Stream> on = stream;
    return w.lend(scan_axis_workspace_bytes<Policy, T, In, Out>(axis), on, [&](workspace lent) {
      return scan_axis_in<Policy, Kind, T>(lent, in, out, axis, op, init_argument<T>(init), on);
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Each item becomes init op the items before it on its line along the axis, in the order of the scan.
///   w       a workspace of exclusive_scan_axis_workspace_bytes bytes, or a memory resource to take it from; the caller
///           keeps it until the work has finished
///   in      axis.items() items: a pointer or random-access iterator of device memory
///   out     as many items of device memory, in the same order; may be in
///   axis    along(shape, axis) or along(shape, strides, axis), and .backward() of it; or an array_axis
///   op      an associative operator that the GPU can call with two items
///   init    the value before the first item of each line
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if there is no such axis or, with items, a pointer is null, in
/// and out overlap without being the same, or the workspace is too small; cudaErrorNotSupported for 2^31 tiles or more;
/// otherwise the first error of a launch. Cost: O(n) work; each item is read once and written once; of wide arrays,
/// some twice, from the cache. Columns longer than a tile (390 to 704 f32) also read and write two sums for each tile.
/// One launch, and a fill for such columns; a single row, forward, costs what scan.cuh does, and so do two columns of 4
/// bytes, four of 2 or eight of 1. Source: decoupled look-back (Merrill & Garland 2016), for all columns of a tile at
/// once (device/axis_lookback.cuh, device/axis_strips.cuh).
///     cudaError_t e = exclusive_scan_axis(stream_pool{}, in, out, along({d, h, w}, 1), maximum{}, 0, stream);
template <class Policy = default_axis_policy, class In, class Out, class Op, class Init, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_axis(workspace_or_resource w, In in, Out out, array_axis axis, Op op,
                                                   Init init, Stream stream = {}) {
  return detail::scan_axis<Policy, detail::scan_kind::exclusive>(w, in, out, axis, op, init, stream);
}

/// Bytes of workspace of exclusive_scan_axis with these arguments. A host formula in O(1): no GPU is needed, and
/// pointers are ignored. 0 without items, and for short columns of other than 8 bytes a row.
template <class Policy = default_axis_policy, class In, class Out, class Op, class Init>
std::size_t exclusive_scan_axis_workspace_bytes(In, Out, array_axis axis, Op, Init) {
  return detail::scan_axis_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(axis);
}

/// Each item becomes the items up to and with it on its line along the axis, combined by op, in the order of the scan.
///   w       a workspace of inclusive_scan_axis_workspace_bytes bytes, or a memory resource to take it from; the caller
///           keeps it until the work has finished
///   in      axis.items() items: a pointer or random-access iterator of device memory
///   out     as many items of device memory, in the same order; may be in
///   axis    along(shape, axis) or along(shape, strides, axis), and .backward() of it; or an array_axis
///   op      an associative operator that the GPU can call with two items; it need not commute
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if there is no such axis or, with items, a pointer is null, in
/// and out overlap without being the same, or the workspace is too small; cudaErrorNotSupported for 2^31 tiles or more;
/// otherwise the first error of a launch. Cost: O(n) work; each item is read once and written once; of wide arrays,
/// some twice, from the cache. Columns longer than a tile (390 to 704 f32) also read and write two sums for each tile.
/// One launch, and a fill for such columns; a single row, forward, costs what scan.cuh does, and so do two columns of 4
/// bytes, four of 2 or eight of 1. Source: decoupled look-back (Merrill & Garland 2016), for all columns of a tile at
/// once (device/axis_lookback.cuh, device/axis_strips.cuh).
///     cudaError_t e = inclusive_scan_axis(stream_pool{}, in, out, along({d, h, w}, -1), maximum{}, stream);
template <class Policy = default_axis_policy, class In, class Out, class Op, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_axis(workspace_or_resource w, In in, Out out, array_axis axis, Op op,
                                                   Stream stream = {}) {
  return detail::scan_axis<Policy, detail::scan_kind::inclusive>(w, in, out, axis, op, detail::no_init{}, stream);
}

/// Bytes of workspace of inclusive_scan_axis with these arguments. A host formula in O(1): no GPU is needed, and
/// pointers are ignored. 0 without items, and for short columns of other than 8 bytes a row.
template <class Policy = default_axis_policy, class In, class Out, class Op>
std::size_t inclusive_scan_axis_workspace_bytes(In, Out, array_axis axis, Op) {
  return detail::scan_axis_workspace_bytes<Policy, scan_accumulator_t<In, Op>, In, Out>(axis);
}

/// Each item becomes the sum of the items before it on its line along the axis, in the order of the scan. Sums are
/// formed in the wider of the types of item and output (sum_accumulator_t).
///   w       a workspace of exclusive_sum_axis_workspace_bytes bytes, or a memory resource to take it from; the caller
///           keeps it until the work has finished
///   in      axis.items() items: a pointer or random-access iterator of device memory
///   out     as many items of device memory, in the same order; may be in
///   axis    along(shape, axis) or along(shape, strides, axis), and .backward() of it; or an array_axis
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if there is no such axis or, with items, a pointer is null, in
/// and out overlap without being the same, or the workspace is too small; cudaErrorNotSupported for 2^31 tiles or more;
/// otherwise the first error of a launch. Cost: O(n) work; each item is read once and written once; of wide arrays,
/// some twice, from the cache. Columns longer than a tile (390 to 704 f32) also read and write two sums for each tile.
/// One launch, and a fill for such columns; a single row, forward, costs what scan.cuh does, and so do two columns of 4
/// bytes, four of 2 or eight of 1. Source: decoupled look-back (Merrill & Garland 2016), for all columns of a tile at
/// once (device/axis_lookback.cuh, device/axis_strips.cuh).
///     cudaError_t e = exclusive_sum_axis(stream_pool{}, in, out, along({rows, columns}, 1), stream);
template <class Policy = default_axis_policy, class In, class Out, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum_axis(workspace_or_resource w, In in, Out out, array_axis axis,
                                                  Stream stream = {}) {
  return detail::scan_axis<Policy, detail::scan_kind::exclusive>(
      w, in, out, axis, plus{}, detail::sum_init<detail::scan_kind::exclusive, Out>{}, stream);
}

/// Bytes of workspace of exclusive_sum_axis with these arguments. A host formula in O(1): no GPU is needed, and
/// pointers are ignored. 0 without items, and for short columns of other than 8 bytes a row.
template <class Policy = default_axis_policy, class In, class Out>
std::size_t exclusive_sum_axis_workspace_bytes(In, Out, array_axis axis) {
  return detail::scan_axis_workspace_bytes<Policy, sum_accumulator_t<In, Out>, In, Out>(axis);
}

/// Each item becomes the sum of the items up to and with it on its line along the axis, in the order of the scan. Sums
/// are formed in the wider of the types of item and output (sum_accumulator_t).
///   w       a workspace of inclusive_sum_axis_workspace_bytes bytes, or a memory resource to take it from; the caller
///           keeps it until the work has finished
///   in      axis.items() items: a pointer or random-access iterator of device memory
///   out     as many items of device memory, in the same order; may be in
///   axis    along(shape, axis) or along(shape, strides, axis), and .backward() of it; or an array_axis
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if there is no such axis or, with items, a pointer is null, in
/// and out overlap without being the same, or the workspace is too small; cudaErrorNotSupported for 2^31 tiles or more;
/// otherwise the first error of a launch. Cost: O(n) work; each item is read once and written once; of wide arrays,
/// some twice, from the cache. Columns longer than a tile (390 to 704 f32) also read and write two sums for each tile.
/// One launch, and a fill for such columns; a single row, forward, costs what scan.cuh does, and so do two columns of 4
/// bytes, four of 2 or eight of 1. Source: decoupled look-back (Merrill & Garland 2016), for all columns of a tile at
/// once (device/axis_lookback.cuh, device/axis_strips.cuh).
///     cudaError_t e = inclusive_sum_axis(stream_pool{}, in, out, along({n}, 0).backward(), stream);
template <class Policy = default_axis_policy, class In, class Out, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum_axis(workspace_or_resource w, In in, Out out, array_axis axis,
                                                  Stream stream = {}) {
  return detail::scan_axis<Policy, detail::scan_kind::inclusive>(
      w, in, out, axis, plus{}, detail::sum_init<detail::scan_kind::inclusive, Out>{}, stream);
}

/// Bytes of workspace of inclusive_sum_axis with these arguments. A host formula in O(1): no GPU is needed, and
/// pointers are ignored. 0 without items, and for short columns of other than 8 bytes a row.
template <class Policy = default_axis_policy, class In, class Out>
std::size_t inclusive_sum_axis_workspace_bytes(In, Out, array_axis axis) {
  return detail::scan_axis_workspace_bytes<Policy, sum_accumulator_t<In, Out>, In, Out>(axis);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
