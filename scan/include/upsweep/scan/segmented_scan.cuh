// Segmented scan: a scan of each of many segments, told by offsets. The public calls; conventions as in scan.cuh, but
// that n, the number of segments and init are values on the host, and no call gives a total. Offsets that end before n
// leave the items behind them alone: so fewer items may be told by device memory.
//
//   std::size_t bytes = upsweep::sum_segmented_workspace_bytes(in, out, n, offsets, segments);
//   upsweep::inclusive_sum_segmented({workspace, bytes}, in, out, n, offsets, segments, stream);
//
// `offsets` is a pointer or a random-access iterator of device memory: segments + 1 integers of any type, none smaller
// than the one before, all in [0, n]. Segment s has the items offsets[s] to offsets[s + 1] - 1, and may be empty. Items
// in front of offsets[0] and from offsets[segments] on are neither given to op nor written. Items are dealt out to the
// GPU, not segments: no segment is too long, and millions of short ones cost little more than reading their offsets.
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
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

namespace detail {

template <class Policy, scan_kind Kind, class T, class Stream, class In, class Out, class Offsets, class Op>
error_of<Stream> scan_segmented(workspace w, In in, Out out, std::int64_t n, Offsets offsets, std::int64_t segments,
                                Op op, T init, Stream stream) {
  using error = error_of<Stream>;
  static_assert(std::is_trivially_copyable_v<T>, "the accumulator travels through shared memory as bytes");
  if (n < 0 || segments < 0) return static_cast<error>(status::invalid_value);
  if (n == 0 || segments == 0) return static_cast<error>(status::success);
  if (is_null(in) || is_null(out) || is_null(offsets) || overlaps_askew(in, out, n) ||
      arrays_meet(offsets, segments + 1, out, n)) {
    return static_cast<error>(status::invalid_value);
  }
  auto executor = executor_of(stream);
  return static_cast<error>(Policy::template segmented<Kind, T>(executor, w, in, out, n, offsets, segments, op, init));
}

}  // namespace detail

/// out[i] = init op in[offsets[s]] op ... op in[i - 1], for each i of each segment s. out may be in.
/// n < 0, segments < 0, or, unless one of them is 0: a null pointer, `in` and `out` that overlap but are not the same,
/// offsets that overlap `out`, or a workspace smaller than exclusive_scan_segmented_workspace_bytes:
/// cudaErrorInvalidValue, nothing touched. Cost: a fill and two launches; each item is read once, each offset too, one
/// in eight twice, and n / 8 bytes of workspace are cleared, written and read; O(n + segments) work. Source: as
/// scan_by_key.cuh.
template <class Policy = default_segments_policy, class In, class Out, class Offsets, class Op, class Init,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_scan_segmented(workspace w, In in, Out out, std::int64_t n, Offsets offsets,
                                                        std::int64_t segments, Op op, Init init, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op, Init>;
  return detail::scan_segmented<Policy, scan_kind::exclusive, T>(w, in, out, n, offsets, segments, op,
                                                                 static_cast<T>(init), stream);
}

/// out[i] = in[offsets[s]] op ... op in[i], for each i of each segment s. The rest as exclusive_scan_segmented.
template <class Policy = default_segments_policy, class In, class Out, class Offsets, class Op,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_scan_segmented(workspace w, In in, Out out, std::int64_t n, Offsets offsets,
                                                        std::int64_t segments, Op op, Stream stream = {}) {
  using T = scan_accumulator_t<In, Op>;
  return detail::scan_segmented<Policy, scan_kind::inclusive, T>(w, in, out, n, offsets, segments, op, T{}, stream);
}

/// exclusive_scan_segmented with plus from zero, in sum_accumulator_t.
template <class Policy = default_segments_policy, class In, class Out, class Offsets, class Stream = default_stream>
[[nodiscard]] error_of<Stream> exclusive_sum_segmented(workspace w, In in, Out out, std::int64_t n, Offsets offsets,
                                                       std::int64_t segments, Stream stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return detail::scan_segmented<Policy, scan_kind::exclusive, T>(w, in, out, n, offsets, segments, plus{}, T{}, stream);
}

/// inclusive_scan_segmented with plus, in sum_accumulator_t.
template <class Policy = default_segments_policy, class In, class Out, class Offsets, class Stream = default_stream>
[[nodiscard]] error_of<Stream> inclusive_sum_segmented(workspace w, In in, Out out, std::int64_t n, Offsets offsets,
                                                       std::int64_t segments, Stream stream = {}) {
  using T = sum_accumulator_t<In, Out>;
  return detail::scan_segmented<Policy, scan_kind::inclusive, T>(w, in, out, n, offsets, segments, plus{}, T{}, stream);
}

/// Bytes of workspace for exclusive_scan_segmented with these arguments. A host formula: the pointers are not looked
/// at, and more items never need less; the number of segments does not matter. 0 for n <= 0.
template <class Policy = default_segments_policy, class In, class Out, class Offsets, class Op, class Init>
std::size_t exclusive_scan_segmented_workspace_bytes(In, Out, std::int64_t n, Offsets, std::int64_t, Op, Init) {
  return n <= 0 ? 0 : Policy::template segmented_workspace_bytes<scan_accumulator_t<In, Op, Init>>(n);
}

/// Bytes of workspace for inclusive_scan_segmented with these arguments.
template <class Policy = default_segments_policy, class In, class Out, class Offsets, class Op>
std::size_t inclusive_scan_segmented_workspace_bytes(In in, Out out, std::int64_t n, Offsets offsets,
                                                     std::int64_t segments, Op op) {
  return exclusive_scan_segmented_workspace_bytes<Policy>(in, out, n, offsets, segments, op,
                                                          typename std::iterator_traits<In>::value_type{});
}

/// Bytes of workspace for exclusive_sum_segmented and inclusive_sum_segmented with these arguments.
template <class Policy = default_segments_policy, class In, class Out, class Offsets>
std::size_t sum_segmented_workspace_bytes(In, Out, std::int64_t n, Offsets, std::int64_t) {
  return n <= 0 ? 0 : Policy::template segmented_workspace_bytes<sum_accumulator_t<In, Out>>(n);
}

}  // namespace upsweep
