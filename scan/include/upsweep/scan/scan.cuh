// Scan (prefix sum) of device memory: the public calls.
//
//   cudaError_t e = upsweep::exclusive_sum(upsweep::stream_pool{}, in, out, n, stream);
//
//   std::size_t bytes = upsweep::exclusive_scan_workspace_bytes(in, out, n, upsweep::plus{}, 0u);
//   e = upsweep::exclusive_scan({memory, bytes}, in, out, n, upsweep::plus{}, 0u, stream);
//
// `in` and `out` are pointers or random-access iterators of device memory; out may be in; any other overlap is refused
// where both are pointers. `op` is associative; it need not commute. T, the accumulator, is what op returns for init
// and an item; it is trivially copyable. A call enqueues its kernels on `stream` and returns: it allocates nothing,
// unless it is given a resource (simt/memory_resource.cuh), does not wait, and can be captured in a graph. With a
// sim_stream it runs on the CPU and has finished when it returns.
//
// Results of earlier work on the stream need not come to the host: n may be a device_count{pointer, bound}, init a
// device_value{pointer}, and the calls *_with_total leave the sum of all items in device memory. Policies for these are
// default_scan, chained_scan, decoupled_lookback, decoupled_lookback_pipelined, direct_lookback, reproducible_scan,
// single_block and cluster; with others they do not compile. `total` is a pointer or output iterator; out + n makes n +
// 1 outputs. If pointers show it, these are refused too: a count or total inside out, an init inside out but not at its
// begin, and a total inside in or at count or init.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/policy.hpp"
#include "upsweep/scan/scan_call.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// out[i] = init op in[0] op ... op in[i - 1], for i < n.
///   w       a workspace of exclusive_scan_workspace_bytes bytes, or a memory resource to take it from; the caller
///           keeps it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    the value before the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
///     auto bytes = exclusive_scan_workspace_bytes(in, out, n, maximum{}, 0);
///     cudaError_t e = exclusive_scan({memory, bytes}, in, out, n, maximum{}, 0, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan(workspace_or_resource w, In in, Out out, Count n, Op op, Init init,
                                              Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::exclusive>(w, in, out, detail::no_total{}, n, op, init, stream);
}

/// Bytes of workspace of exclusive_scan with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init>
std::size_t exclusive_scan_workspace_bytes(In, Out, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = in[0] op ... op in[i], for i < n.
///   w       a workspace of inclusive_scan_workspace_bytes bytes, or a memory resource to take it from; the caller
///           keeps it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
///     cudaError_t e = inclusive_scan(stream_pool{}, in, out, n, maximum{}, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan(workspace_or_resource w, In in, Out out, Count n, Op op,
                                              Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, detail::no_total{}, n, op, detail::no_init{},
                                                            stream);
}

/// Bytes of workspace of inclusive_scan with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op>
std::size_t inclusive_scan_workspace_bytes(In, Out, Count n, Op) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op>, In, Out>(n);
}

/// out[i] = init op in[0] op ... op in[i], for i < n.
///   w       a workspace of inclusive_scan_init_workspace_bytes bytes, or a memory resource to take it from; the caller
///           keeps it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    the value before the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_init(workspace_or_resource w, In in, Out out, Count n, Op op, Init init,
                                                   Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, detail::no_total{}, n, op, init, stream);
}

/// Bytes of workspace of inclusive_scan_init with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init>
std::size_t inclusive_scan_init_workspace_bytes(In, Out, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = init op in[0] op ... op in[i - 1], for i < n, and *total = init op in[0] op ... op in[n - 1]; init where n
/// is 0.
///   w       a workspace of exclusive_scan_with_total_workspace_bytes bytes, or a memory resource to take it from; the
///           caller keeps it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   total   one item of device memory: a pointer or output iterator
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    the value before the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
///     // Offsets with their end: n + 1 of them.
///     cudaError_t e = exclusive_scan_with_total(stream_pool{}, sizes, offsets, offsets + n, n, plus{}, 0, stream);
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_with_total(workspace_or_resource w, In in, Out out, Total total, Count n,
                                                         Op op, Init init, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::exclusive>(w, in, out, total, n, op, init, stream);
}

/// Bytes of workspace of exclusive_scan_with_total with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init>
std::size_t exclusive_scan_with_total_workspace_bytes(In, Out, Total, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = in[0] op ... op in[i], for i < n, and *total = in[0] op ... op in[n - 1]; nothing is written where n is 0.
///   w       a workspace of inclusive_scan_with_total_workspace_bytes bytes, or a memory resource to take it from; the
///           caller keeps it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   total   one item of device memory: a pointer or output iterator
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_with_total(workspace_or_resource w, In in, Out out, Total total, Count n,
                                                         Op op, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, total, n, op, detail::no_init{}, stream);
}

/// Bytes of workspace of inclusive_scan_with_total with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op>
std::size_t inclusive_scan_with_total_workspace_bytes(In, Out, Total, Count n, Op) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op>, In, Out>(n);
}

/// out[i] = init op in[0] op ... op in[i], for i < n, and *total = init op in[0] op ... op in[n - 1]; init where n is
/// 0.
///   w       a workspace of inclusive_scan_init_with_total_workspace_bytes bytes, or a memory resource to take it from;
///           the caller keeps it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   total   one item of device memory: a pointer or output iterator
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    the value before the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_init_with_total(workspace_or_resource w, In in, Out out, Total total,
                                                              Count n, Op op, Init init, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, total, n, op, init, stream);
}

/// Bytes of workspace of inclusive_scan_init_with_total with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init>
std::size_t inclusive_scan_init_with_total_workspace_bytes(In, Out, Total, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = in[0] + ... + in[i - 1], for i < n; out[0] is 0. Sums are formed in the wider of the types of item and
/// output: flags are counted, and bytes do not wrap if out is wider.
///   w       a workspace of exclusive_sum_workspace_bytes bytes, or a memory resource to take it from; the caller keeps
///           it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
///     cudaError_t e = exclusive_sum(stream_pool{}, counts, offsets, n, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum(workspace_or_resource w, In in, Out out, Count n, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::exclusive>(
      w, in, out, detail::no_total{}, n, plus{}, detail::sum_init<detail::scan_kind::exclusive, Out>{}, stream);
}

/// Bytes of workspace of exclusive_sum with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count>
std::size_t exclusive_sum_workspace_bytes(In, Out, Count n) {
  return detail::scan_workspace_bytes<Policy, sum_accumulator_t<In, Out>, In, Out>(n);
}

/// out[i] = in[0] + ... + in[i], for i < n. Sums are formed in the wider of the types of item and output: flags are
/// counted, and bytes do not wrap if out is wider.
///   w       a workspace of inclusive_sum_workspace_bytes bytes, or a memory resource to take it from; the caller keeps
///           it until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; otherwise the first error of a launch. Cost: O(n) work; by the
/// default policy every item is written once and read once, twice from 256 KiB of sums to 8 MiB, in one or two
/// launches. Source: Merrill & Garland 2016 (decoupled look-back); how warps share it: docs/how_it_works.md.
///     cudaError_t e = inclusive_sum(stream_pool{}, counts, ends, n, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum(workspace_or_resource w, In in, Out out, Count n, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(
      w, in, out, detail::no_total{}, n, plus{}, detail::sum_init<detail::scan_kind::inclusive, Out>{}, stream);
}

/// Bytes of workspace of inclusive_sum with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items never need less. A device_count counts as its bound. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count>
std::size_t inclusive_sum_workspace_bytes(In, Out, Count n) {
  return detail::scan_workspace_bytes<Policy, sum_accumulator_t<In, Out>, In, Out>(n);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
