// Scan (prefix sum) of device memory: the public calls.
//
//   std::size_t bytes = upsweep::exclusive_scan_workspace_bytes(in, out, n, upsweep::plus{}, 0u);
//   upsweep::exclusive_scan({workspace, bytes}, in, out, n, upsweep::plus{}, 0u, stream);
//
// `in` and `out` are pointers or random-access iterators of device memory; out may be in;
// any other overlap is refused where both are pointers. `op` is associative; it need
// not commute. T, the accumulator, is what op returns for init and an item; it is trivially copyable. A call enqueues
// its kernels on `stream` and returns: it neither allocates nor waits, and it can be captured in a graph. With a
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

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/policy.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// The type in which items of In are combined by Op behind an Init.
template <class In, class Op, class Init = typename std::iterator_traits<In>::value_type>
using scan_accumulator_t =
    std::decay_t<std::invoke_result_t<Op&, init_value_t<Init>, typename std::iterator_traits<In>::value_type>>;

namespace detail {

/// What an output iterator says that it holds; void where it does not say.
template <class Out>
struct written_value {
  using type = void;
};
template <class Out>
requires requires {
  typename std::iterator_traits<Out>::value_type;
}
struct written_value<Out> {
  using type = std::remove_cv_t<typename std::iterator_traits<Out>::value_type>;
};

/// A sum of Items, written as Written, is added up as Written: where that loses nothing that a sum of Items has, and
/// keeps what it has not.
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

template <class In, class Out, class Item = std::remove_cv_t<typename std::iterator_traits<In>::value_type>,
          class Written = typename written_value<Out>::type>
struct sum_accumulator : std::conditional<sums_as_written<Item, Written>, Written, scan_accumulator_t<In, plus>> {};

}  // namespace detail

/// The type in which the calls *_sum of items of In add them up for Out. That of the items, unless Out holds numbers
/// of a wider type (so 8-bit items are summed as int for an int*, and bool is counted), or integers are written as
/// floating-point numbers of no fewer bits. An output that is narrower than the items does not narrow the sum, only
/// what is written of it. inclusive_scan with plus adds in the type of the items, whatever Out holds.
template <class In, class Out>
using sum_accumulator_t = typename detail::sum_accumulator<In, Out>::type;

namespace detail {

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

/// The checks that all scans share, then the strategy. Count, Init and Total: as arguments.hpp says.
template <class Policy, scan_kind Kind, class T, class Stream, class In, class Out, class Count, class Op, class Init,
          class Total = no_total>
error_of<Stream> scan(workspace w, In in, Out out, Count n, Op op, Init init, Stream stream, Total total = {}) {
  static_assert(std::is_trivially_copyable_v<T>, "the accumulator travels through shared memory as bytes");
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
  // Whatever way the policy goes on this GPU, and for arrays that begin where these do.
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
    static_assert(
        requires { Policy::template run<Kind, T>(executor, w, in, out, n, op, init, total); },
        "this policy takes n and init by value only, and gives no total: take default_scan, chained_scan, "
        "decoupled_lookback, decoupled_lookback_pipelined, direct_lookback, reproducible_scan, single_block or "
        "cluster");
    return as_error(Policy::template run<Kind, T>(executor, w, in, out, n, op, init, total));
  }
}

}  // namespace detail

/// out[i] = init op in[0] op ... op in[i - 1], for i < n.
/// n < 0, a null pointer (in and out: with n > 0), pointers that overlap as they must not, or a workspace smaller than
/// exclusive_scan_workspace_bytes: cudaErrorInvalidValue, nothing touched. Cost: as the policy's strategy, see
/// scan/README.md.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan(workspace w, In in, Out out, Count n, Op op, Init init,
                                              Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan<Policy, scan_kind::exclusive, T>(w, in, out, count_argument(n), op, init_argument<T>(init),
                                                       stream);
}

/// out[i] = in[0] op ... op in[i], for i < n. Errors and cost as exclusive_scan.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan(workspace w, In in, Out out, Count n, Op op, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op>;
  return detail::scan<Policy, scan_kind::inclusive, T>(w, in, out, count_argument(n), op, carry<T>{T{}, false}, stream);
}

/// out[i] = init op in[0] op ... op in[i], for i < n. Errors and cost as exclusive_scan.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_init(workspace w, In in, Out out, Count n, Op op, Init init,
                                                   Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan<Policy, scan_kind::inclusive, T>(w, in, out, count_argument(n), op, init_argument<T>(init),
                                                       stream);
}

/// exclusive_scan, and *total = init op in[0] op ... op in[n - 1]; init where n is 0. The workspace is that of
/// exclusive_scan.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init, class Total,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_with_total(workspace w, In in, Out out, Count n, Op op, Init init,
                                                         Total total, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan<Policy, scan_kind::exclusive, T>(w, in, out, count_argument(n), op, init_argument<T>(init),
                                                       stream, total);
}

/// inclusive_scan, and *total = in[0] op ... op in[n - 1]; nothing is written where n is 0. The workspace is that of
/// inclusive_scan.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Total,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_with_total(workspace w, In in, Out out, Count n, Op op, Total total,
                                                         Stream stream = {}) {
  using T = scan_accumulator_t<In, Op>;
  return detail::scan<Policy, scan_kind::inclusive, T>(w, in, out, count_argument(n), op, carry<T>{T{}, false}, stream,
                                                       total);
}

/// inclusive_scan_init, with the total of exclusive_scan_with_total, and its workspace.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init, class Total,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_init_with_total(workspace w, In in, Out out, Count n, Op op, Init init,
                                                              Total total, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan<Policy, scan_kind::inclusive, T>(w, in, out, count_argument(n), op, init_argument<T>(init),
                                                       stream, total);
}

/// exclusive_scan with plus from zero, in sum_accumulator_t.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum(workspace w, In in, Out out, Count n, Stream stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return detail::scan<Policy, scan_kind::exclusive, T>(w, in, out, count_argument(n), plus{}, carry<T>{T{}, true},
                                                       stream);
}

/// inclusive_scan with plus, in sum_accumulator_t.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum(workspace w, In in, Out out, Count n, Stream stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return detail::scan<Policy, scan_kind::inclusive, T>(w, in, out, count_argument(n), plus{}, carry<T>{T{}, false},
                                                       stream);
}

/// Bytes of workspace for exclusive_scan with these arguments (and for inclusive_scan_init). A host formula: the
/// pointers are not looked at, and more items never need less. A device_count needs what its bound does. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op, class Init>
std::size_t exclusive_scan_workspace_bytes(In, Out, Count n, Op, Init) {
  using T = scan_accumulator_t<In, Op, Init>;
  return bound_of(n) <= 0 ? 0 : Policy::template workspace_bytes<T, In, Out>(bound_of(n));
}

/// Bytes of workspace for inclusive_scan with these arguments.
template <class Policy = default_scan_policy, class In, class Out, class Count, class Op>
std::size_t inclusive_scan_workspace_bytes(In, Out, Count n, Op) {
  using T = scan_accumulator_t<In, Op>;
  return bound_of(n) <= 0 ? 0 : Policy::template workspace_bytes<T, In, Out>(bound_of(n));
}

/// Bytes of workspace for exclusive_sum and inclusive_sum with these arguments.
template <class Policy = default_scan_policy, class In, class Out, class Count>
std::size_t sum_workspace_bytes(In, Out, Count n) {
  using T = sum_accumulator_t<In, Out>;
  return bound_of(n) <= 0 ? 0 : Policy::template workspace_bytes<T, In, Out>(bound_of(n));
}

}  // namespace upsweep
