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
// What earlier work of the stream computes need not come to the host: n may be a device_count{pointer, bound}, init a
// device_value{pointer}, and the calls *_with_total leave the sum of all items in device memory. Policies for these are
// default_scan, chained_scan, decoupled_lookback, decoupled_lookback_pipelined, direct_lookback, reproducible_scan,
// single_block and cluster; with others they do not compile. `total` is a pointer or output iterator; out + n makes
// n + 1 outputs. Where pointers show it, these are refused too: a count or total among the items of out, an init there
// but at out itself, and a total among the items of in or where count or init lies.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/policy.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The type in which items of In are combined by Op behind an Init.
template <class In, class Op, class Init = typename std::iterator_traits<In>::value_type>
using scan_accumulator_t =
    std::decay_t<std::invoke_result_t<Op&, detail::init_value_t<Init>, typename std::iterator_traits<In>::value_type>>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A sum of Items, written as Written, is added up as Written where that is the wider type; integers of 4 or 8 bytes,
/// written as floating-point numbers that are as wide, are added up as these: rounded, where a sum of Items would
/// overflow.
template <class Item, class Written>
inline constexpr bool sums_as_written = [] {
  if constexpr (!std::is_arithmetic_v<Item> || !std::is_arithmetic_v<Written> || std::is_same_v<Written, bool>) {
    return false;
  } else if constexpr (std::is_floating_point_v<Item> && !std::is_floating_point_v<Written>) {
    return false;
  } else if constexpr (std::is_integral_v<Item> && std::is_floating_point_v<Written>) {
    return sizeof(Written) >= sizeof(Item);
  } else {
    return std::is_same_v<Item, bool> || sizeof(Written) > sizeof(Item);
  }
}();

template <class In, class Out, class Written = typename place_type<Out>::type>
struct sum_accumulator : std::conditional<sums_as_written<item_t<In>, Written>, Written, scan_accumulator_t<In, plus>> {
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The type in which the *_sum calls add items of In for outputs of Out. That of the items, unless Out holds numbers of
/// a wider type (so 8-bit items are summed as int for an int*, and bool is counted), or integers are written as
/// floating-point numbers of no fewer bits. An output that is narrower than the items does not narrow the sum, only
/// what is written of it. inclusive_scan with plus adds in the type of the items, whatever Out holds.
template <class In, class Out>
using sum_accumulator_t = typename detail::sum_accumulator<In, Out>::type;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// True when both are pointers whose n items overlap other than item by item.
template <class In, class Out>
bool overlaps_askew(In in, Out out, std::int64_t n) {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) {
    const auto items = static_cast<std::size_t>(n);
    const void *const from = address_of(in), *const to = address_of(out);
    const bool in_place = from == to && sizeof(*in) == sizeof(*out);
    return !in_place && ranges_meet(from, items * sizeof(*in), to, items * sizeof(*out));
  }
  return false;
}

/// True when both are pointers, and init lies among the items of out, but at out itself. Of iterators nothing is asked:
/// the host may not have their operators.
template <class Out, class First>
bool behind_first_item(Out out, std::int64_t n, First first) {
  if constexpr (std::is_pointer_v<Out>) return arrays_meet(out + 1, n - 1, first, 1);
  return false;
}

/// The init of an inclusive scan without one.
struct no_init {};
template <class T>
carry<T> init_argument(no_init) {
  return {T{}, false};
}

/// The init of a scan that is a sum, written to Out: 0, which an inclusive one has not to begin with.
template <scan_kind Kind, class Out>
struct sum_init : no_init {};
template <class T, scan_kind Kind, class Out>
carry<T> init_argument(sum_init<Kind, Out>) {
  return {T{}, Kind == scan_kind::exclusive};
}

/// The accumulator of a scan: an item's type where there is no init, and of sums what they are written as.
template <class In, class Op, class Init>
struct accumulator_of {
  using type = scan_accumulator_t<In, Op, Init>;
};
template <class In, class Op>
struct accumulator_of<In, Op, no_init> {
  using type = scan_accumulator_t<In, Op>;
};
template <class In, class Op, scan_kind Kind, class Out>
struct accumulator_of<In, Op, sum_init<Kind, Out>> {
  using type = sum_accumulator_t<In, Out>;
};

/// Whether arguments of these types make a scan; Init is a no_init where there is none.
template <class Stream, class In, class Out, class Count, class Op, class Init>
constexpr bool check_scan() {
  if constexpr (check_stream<Stream>() && check_input<In, Stream>() && check_output<Out, Stream>() &&
                check_count<Count>()) {
    using item = item_t<In>;
    using first = std::conditional_t<std::is_base_of_v<no_init, Init>, item, init_value_t<Init>>;
    if constexpr (check_operator<Op, first, item>()) return check_accumulator<scan_accumulator_t<In, Op, first>>();
  }
  return false;
}

/// The checks that all scans share at run time, then the strategy. Count, Init and Total: as arguments.hpp says.
template <class Policy, scan_kind Kind, class T, class Stream, class In, class Out, class Count, class Op, class Init,
          class Total>
error_of<Stream> scan_in(workspace w, In in, Out out, Total total, Count n, Op op, Init init, Stream stream) {
  const auto as_error = [](status s) { return static_cast<error_of<Stream>>(s); };
  const std::int64_t bound = bound_of(n);
  const auto count = place_of(n);
  const auto first = place_of(init);
  if (is_null(count) || is_null(first) || is_null(total)) return as_error(status::invalid_value);
  if (bound < 0 || (bound > 0 && (is_null(in) || is_null(out)))) return as_error(status::invalid_value);
  auto executor = executor_of(stream);
  constexpr bool with_total = !std::is_same_v<Total, no_total>;
  if (bound == 0) {
    if constexpr (with_total) return as_error(executor.launch(1, total_of_none_kernel<T>{}, init, total));
    return as_error(status::success);
  }
  // Whatever kernels the policy takes on this GPU, and for arrays that begin where these do.
  const std::size_t need = Policy::template workspace_bytes<T, In, Out>(bound);
  if (need > 0 && (w.data == nullptr || w.bytes < need)) return as_error(status::invalid_value);
  if (overlaps_askew(in, out, bound) || arrays_meet(out, bound, count, 1) || behind_first_item(out, bound, first) ||
      arrays_meet(in, bound, total, 1) || arrays_meet(out, bound, total, 1) || arrays_meet(total, 1, count, 1) ||
      arrays_meet(total, 1, first, 1)) {
    return as_error(status::invalid_value);
  }
  if constexpr (std::is_same_v<Count, std::int64_t> && std::is_same_v<Init, carry<T>> && !with_total) {
    return as_error(Policy::template run<Kind, T>(executor, w, in, out, n, op, init));
  } else {
    constexpr bool fits = requires {
      Policy::template run<Kind, T>(executor, w, in, out, n, op, init, total);
    };
    static_assert(
        fits,
        "upsweep: this policy takes n and init by value only, and gives no total: take default_scan, chained_scan, "
        "decoupled_lookback, decoupled_lookback_pipelined, direct_lookback, reproducible_scan, single_block or "
        "cluster");
    if constexpr (fits) {
      return as_error(Policy::template run<Kind, T>(executor, w, in, out, n, op, init, total));
    } else {
      return {};
    }
  }
}

template <class Policy, class T, class In, class Out, class Count>
std::size_t scan_workspace_bytes(const Count& n) {
  return bound_of(n) <= 0 ? 0 : Policy::template workspace_bytes<T, In, Out>(bound_of(n));
}

/// Every scan of scan.cuh.
template <class Policy, scan_kind Kind, class Stream, class In, class Out, class Total, class Count, class Op,
          class Init>
error_of<Stream> scan(const workspace_or_resource& w, In in, Out out, Total total, Count n, Op op, Init init,
                      Stream stream) {
  if constexpr (check_scan<Stream, In, Out, Count, Op, Init>()) {
    using T = typename accumulator_of<In, Op, Init>::type;
    const stream_of<Stream> on = stream;
    return w.lend(scan_workspace_bytes<Policy, T, In, Out>(n), on, [&](workspace lent) {
      return scan_in<Policy, Kind, T>(lent, in, out, total, count_argument(n), op, init_argument<T>(init), on);
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// out[i] = init op in[0] op ... op in[i - 1], for i < n.
///   w       a workspace of exclusive_scan_workspace_bytes bytes, or a memory resource to take it from; the caller's
///           until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    what comes in front of the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
///     auto bytes = exclusive_scan_workspace_bytes(in, out, n, maximum{}, 0);
///     cudaError_t e = exclusive_scan({memory, bytes}, in, out, n, maximum{}, 0, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan(workspace_or_resource w, In in, Out out, Count n, Op op, Init init,
                                              Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::exclusive>(w, in, out, detail::no_total{}, n, op, init, stream);
}

/// Bytes of workspace of exclusive_scan with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init>
std::size_t exclusive_scan_workspace_bytes(In, Out, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = in[0] op ... op in[i], for i < n.
///   w       a workspace of inclusive_scan_workspace_bytes bytes, or a memory resource to take it from; the caller's
///           until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
///     cudaError_t e = inclusive_scan(stream_pool{}, in, out, n, maximum{}, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan(workspace_or_resource w, In in, Out out, Count n, Op op,
                                              Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, detail::no_total{}, n, op, detail::no_init{},
                                                            stream);
}

/// Bytes of workspace of inclusive_scan with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op>
std::size_t inclusive_scan_workspace_bytes(In, Out, Count n, Op) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op>, In, Out>(n);
}

/// out[i] = init op in[0] op ... op in[i], for i < n.
///   w       a workspace of inclusive_scan_init_workspace_bytes bytes, or a memory resource to take it from; the
///           caller's until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    what comes in front of the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_init(workspace_or_resource w, In in, Out out, Count n, Op op, Init init,
                                                   Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, detail::no_total{}, n, op, init, stream);
}

/// Bytes of workspace of inclusive_scan_init with these arguments. A host formula in O(1): no GPU is asked, pointers
/// are not looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init>
std::size_t inclusive_scan_init_workspace_bytes(In, Out, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = init op in[0] op ... op in[i - 1], for i < n, and *total = init op in[0] op ... op in[n - 1]; init where n
/// is 0.
///   w       a workspace of exclusive_scan_with_total_workspace_bytes bytes, or a memory resource to take it from; the
///           caller's until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   total   one item of device memory: a pointer or output iterator
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    what comes in front of the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
///     // Offsets with their end: n + 1 of them.
///     cudaError_t e = exclusive_scan_with_total(stream_pool{}, sizes, offsets, offsets + n, n, plus{}, 0, stream);
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_with_total(workspace_or_resource w, In in, Out out, Total total, Count n,
                                                         Op op, Init init, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::exclusive>(w, in, out, total, n, op, init, stream);
}

/// Bytes of workspace of exclusive_scan_with_total with these arguments. A host formula in O(1): no GPU is asked,
/// pointers are not looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init>
std::size_t exclusive_scan_with_total_workspace_bytes(In, Out, Total, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = in[0] op ... op in[i], for i < n, and *total = in[0] op ... op in[n - 1]; nothing is written where n is 0.
///   w       a workspace of inclusive_scan_with_total_workspace_bytes bytes, or a memory resource to take it from; the
///           caller's until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   total   one item of device memory: a pointer or output iterator
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_with_total(workspace_or_resource w, In in, Out out, Total total, Count n,
                                                         Op op, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, total, n, op, detail::no_init{}, stream);
}

/// Bytes of workspace of inclusive_scan_with_total with these arguments. A host formula in O(1): no GPU is asked,
/// pointers are not looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op>
std::size_t inclusive_scan_with_total_workspace_bytes(In, Out, Total, Count n, Op) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op>, In, Out>(n);
}

/// out[i] = init op in[0] op ... op in[i], for i < n, and *total = init op in[0] op ... op in[n - 1]; init where n is
/// 0.
///   w       a workspace of inclusive_scan_init_with_total_workspace_bytes bytes, or a memory resource to take it from;
///           the caller's until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   total   one item of device memory: a pointer or output iterator
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   op      an associative operator that the GPU can call with two items
///   init    what comes in front of the first item: a value, or a device_value in device memory
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_init_with_total(workspace_or_resource w, In in, Out out, Total total,
                                                              Count n, Op op, Init init, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(w, in, out, total, n, op, init, stream);
}

/// Bytes of workspace of inclusive_scan_init_with_total with these arguments. A host formula in O(1): no GPU is asked,
/// pointers are not looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Total, class Count, class Op, class Init>
std::size_t inclusive_scan_init_with_total_workspace_bytes(In, Out, Total, Count n, Op, Init) {
  return detail::scan_workspace_bytes<Policy, scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// out[i] = in[0] + ... + in[i - 1], for i < n; out[0] is 0. Sums are formed in the wider of the types of item and
/// output: flags are counted, bytes do not wrap where out is wider.
///   w       a workspace of exclusive_sum_workspace_bytes bytes, or a memory resource to take it from; the caller's
///           until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
///     cudaError_t e = exclusive_sum(stream_pool{}, counts, offsets, n, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum(workspace_or_resource w, In in, Out out, Count n, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::exclusive>(
      w, in, out, detail::no_total{}, n, plus{}, detail::sum_init<detail::scan_kind::exclusive, Out>{}, stream);
}

/// Bytes of workspace of exclusive_sum with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count>
std::size_t exclusive_sum_workspace_bytes(In, Out, Count n) {
  return detail::scan_workspace_bytes<Policy, sum_accumulator_t<In, Out>, In, Out>(n);
}

/// out[i] = in[0] + ... + in[i], for i < n. Sums are formed in the wider of the types of item and output: flags are
/// counted, bytes do not wrap where out is wider.
///   w       a workspace of inclusive_sum_workspace_bytes bytes, or a memory resource to take it from; the caller's
///           until the work has finished
///   in      n items: a pointer or random-access iterator of device memory
///   out     n items of device memory; may be in
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, arrays overlap other
/// than out == in, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) work; by the default policy every item is read and written once, in one or two launches. Source: Merrill
/// & Garland 2016 (decoupled look-back), its form by warps in roles: docs/how_it_works.md.
///     cudaError_t e = inclusive_sum(stream_pool{}, counts, ends, n, stream);
template <class Policy = default_scan_policy, class In, class Out, class Count, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum(workspace_or_resource w, In in, Out out, Count n, Stream stream = {}) {
  return detail::scan<Policy, detail::scan_kind::inclusive>(
      w, in, out, detail::no_total{}, n, plus{}, detail::sum_init<detail::scan_kind::inclusive, Out>{}, stream);
}

/// Bytes of workspace of inclusive_sum with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count>
std::size_t inclusive_sum_workspace_bytes(In, Out, Count n) {
  return detail::scan_workspace_bytes<Policy, sum_accumulator_t<In, Out>, In, Out>(n);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
