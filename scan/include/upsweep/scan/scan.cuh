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
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/policy.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

/// The type in which items of In are combined by Op behind an Init.
template <class In, class Op, class Init = typename std::iterator_traits<In>::value_type>
using scan_accumulator_t = std::decay_t<std::invoke_result_t<Op&, Init, typename std::iterator_traits<In>::value_type>>;

namespace detail {

template <class It>
bool is_null(It it) {
  if constexpr (std::is_pointer_v<It>) return it == nullptr;
  return false;
}

/// True when both are pointers whose n items overlap other than item by item.
template <class In, class Out>
bool overlaps_askew(In in, Out out, std::int64_t n) {
  if constexpr (std::is_pointer_v<In> && std::is_pointer_v<Out>) {
    const auto items = static_cast<std::size_t>(n);
    const bool in_place = static_cast<const void*>(in) == static_cast<const void*>(out) && sizeof(*in) == sizeof(*out);
    return !in_place && ranges_meet(in, items * sizeof(*in), out, items * sizeof(*out));
  }
  return false;
}

/// The checks that all scans share, then the strategy.
template <class Policy, scan_kind Kind, class T, class Stream, class In, class Out, class Op>
error_of<Stream> scan(workspace w, In in, Out out, std::int64_t n, Op op, carry<T> init, Stream stream) {
  using error = error_of<Stream>;
  static_assert(std::is_trivially_copyable_v<T>, "the accumulator travels through shared memory as bytes");
  if (n < 0 || (n > 0 && (is_null(in) || is_null(out)))) return static_cast<error>(status::invalid_value);
  if (n == 0) return static_cast<error>(status::success);
  if (overlaps_askew(in, out, n)) return static_cast<error>(status::invalid_value);
  auto executor = executor_of(stream);
  return static_cast<error>(Policy::template run<Kind, T>(executor, w, in, out, n, op, init));
}

}  // namespace detail

/// out[i] = init op in[0] op ... op in[i - 1], for i < n.
/// n < 0, a null pointer with n > 0, pointers that overlap but are not the same, or a workspace smaller than
/// exclusive_scan_workspace_bytes: cudaErrorInvalidValue, nothing touched. Cost: as the policy's strategy, see
/// scan/README.md.
template <class Policy = default_scan_policy, class In, class Out, class Op, class Init, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan(workspace w, In in, Out out, std::int64_t n, Op op, Init init,
                                              Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan<Policy, scan_kind::exclusive, T>(w, in, out, n, op, carry<T>{static_cast<T>(init), true}, stream);
}

/// out[i] = in[0] op ... op in[i], for i < n. Errors and cost as exclusive_scan.
template <class Policy = default_scan_policy, class In, class Out, class Op, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan(workspace w, In in, Out out, std::int64_t n, Op op, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op>;
  return detail::scan<Policy, scan_kind::inclusive, T>(w, in, out, n, op, carry<T>{T{}, false}, stream);
}

/// out[i] = init op in[0] op ... op in[i], for i < n. Errors and cost as exclusive_scan.
template <class Policy = default_scan_policy, class In, class Out, class Op, class Init, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_init(workspace w, In in, Out out, std::int64_t n, Op op, Init init,
                                                   Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan<Policy, scan_kind::inclusive, T>(w, in, out, n, op, carry<T>{static_cast<T>(init), true}, stream);
}

/// exclusive_scan with plus from zero.
template <class Policy = default_scan_policy, class In, class Out, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum(workspace w, In in, Out out, std::int64_t n, Stream stream = {}) {
  using T = typename std::iterator_traits<In>::value_type;
  return exclusive_scan<Policy>(w, in, out, n, plus{}, T{}, stream);
}

/// inclusive_scan with plus.
template <class Policy = default_scan_policy, class In, class Out, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum(workspace w, In in, Out out, std::int64_t n, Stream stream = {}) {
  return inclusive_scan<Policy>(w, in, out, n, plus{}, stream);
}

/// Bytes of workspace for exclusive_scan with these arguments (and for inclusive_scan_init). A host formula: the
/// pointers are not looked at, and more items never need less. 0 for n <= 0.
template <class Policy = default_scan_policy, class In, class Out, class Op, class Init>
std::size_t exclusive_scan_workspace_bytes(In, Out, std::int64_t n, Op, Init) {
  return n <= 0 ? 0 : Policy::template workspace_bytes<scan_accumulator_t<In, Op, Init>, In, Out>(n);
}

/// Bytes of workspace for inclusive_scan with these arguments.
template <class Policy = default_scan_policy, class In, class Out, class Op>
std::size_t inclusive_scan_workspace_bytes(In, Out, std::int64_t n, Op) {
  return n <= 0 ? 0 : Policy::template workspace_bytes<scan_accumulator_t<In, Op>, In, Out>(n);
}

/// Bytes of workspace for exclusive_sum and inclusive_sum with these arguments.
template <class Policy = default_scan_policy, class In, class Out>
std::size_t sum_workspace_bytes(In in, Out out, std::int64_t n) {
  return inclusive_scan_workspace_bytes<Policy>(in, out, n, plus{});
}

}  // namespace upsweep
