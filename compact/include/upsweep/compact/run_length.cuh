// Run lengths: each run of equal neighbouring items as one item and how many they are, and back.
//
//   cudaError_t e = upsweep::run_length_encode(upsweep::stream_pool{}, in, values, lengths, count, n,
//                                              upsweep::equal_to{}, stream);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/expand.cuh"
#include "upsweep/compact/reduce_by_key.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Output j of run i.
template <class Values>
struct value_of_run {
  Values values;
  UPSWEEP_HOST_DEVICE item_t<Values> operator()(std::int64_t i, std::int64_t) const { return values[i]; }
};

/// Lengths are counted in 4 bytes where they are written so.
template <class Lengths>
using length_t = std::conditional_t<std::is_void_v<typename place_type<Lengths>::type>, std::int64_t,
                                    typename run_accumulator<const std::uint32_t*, Lengths, plus>::type>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// For each run of equal neighbouring items, its last item and its length.
///   w            a workspace of run_length_encode_workspace_bytes bytes, or a memory resource to take it from; the
///                caller keeps it until the work has finished
///   in           n items: a pointer or random-access iterator of device memory
///   unique_out   where the last item of each run goes; no overlap with in
///   lengths_out  where the length of each run goes; in 4 bytes, lengths wrap around at 2^32
///   results      a pointer to the number of runs in device memory, of 4 or 8 bytes, or a select_results
///                (arguments.hpp), which also takes a capacity and returns indirect arguments; its indices are where
///                runs start
///   n            how many items: a signed integer, or a device_count in device memory with a bound; the number of runs
///                may be written over it
///   equal        whether two neighbours are in one run; equal_to{} by default
///   stream       the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array that is read or written, or the workspace is too small; otherwise the first error of a launch. n = 0
/// writes a number of 0. Cost: a fill and a launch; each item is read once, the last one of each run twice, and each
/// result is written once; O(n) work. Source: decoupled look-back (Merrill & Garland 2016).
template <class Policy = default_runs_policy, class In, class UniqueOut, class LengthsOut,
          class Results = select_results, class Count = std::int64_t, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> run_length_encode(workspace_or_resource w, In in, UniqueOut unique_out,
                                                 LengthsOut lengths_out, Results results, Count n, Equal equal = {},
                                                 Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, UniqueOut, Results, Count>() &&
                detail::check_output<LengthsOut, Stream>()) {
    if constexpr (detail::check_equality<Equal, detail::item_t<In>>()) {
      using T = detail::length_t<LengthsOut>;
      return detail::reduce_runs<Policy, T>(w, in, unique_out, detail::ones<T>{}, lengths_out, results, n, plus{},
                                            equal, stream);
    }
  }
  return {};
}

/// Bytes of workspace of run_length_encode with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items never need less. 0 for n <= 0.
template <class Policy = default_runs_policy, class In, class UniqueOut, class LengthsOut,
          class Results = select_results, class Count = std::int64_t, class Equal = equal_to>
std::size_t run_length_encode_workspace_bytes(In, UniqueOut, LengthsOut, Results, Count n, Equal = {}) {
  return Policy::template workspace_bytes<detail::length_t<LengthsOut>, detail::item_t<In>>(detail::bound_of(n));
}

/// For each run of more than one equal neighbouring items, where it starts and its length.
///   w            a workspace of run_length_encode_non_trivial_workspace_bytes bytes, or a memory resource to take it
///                from; the caller keeps it until the work has finished
///   in           n items: a pointer or random-access iterator of device memory
///   starts_out   where the index of the first item of each such run goes
///   lengths_out  where the length of each such run goes; in 4 bytes, starts and lengths wrap around at 2^32
///   results      a pointer to the number of these runs in device memory, of 4 or 8 bytes, or a select_results
///                (arguments.hpp), which also takes a capacity and returns indirect arguments; its indices are the
///                starts
///   n            how many items: a signed integer, or a device_count in device memory with a bound; the number of runs
///                may be written over it
///   equal        whether two neighbours are in one run; equal_to{} by default
///   stream       the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array that is read or written, or the workspace is too small; otherwise the first error of a launch. n = 0
/// writes a number of 0. Cost: a fill and a launch; arrays of 8 MiB and more are read once, other items up to four
/// times, mostly from caches, and each result is written once; O(n) work. Source: decoupled look-back (Merrill &
/// Garland 2016).
///     cudaError_t e = run_length_encode_non_trivial(stream_pool{}, in, starts, lengths, count, n, equal_to{}, stream);
template <class Policy = default_runs_policy, class In, class StartsOut, class LengthsOut,
          class Results = select_results, class Count = std::int64_t, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> run_length_encode_non_trivial(workspace_or_resource w, In in, StartsOut starts_out,
                                                             LengthsOut lengths_out, Results results, Count n,
                                                             Equal equal = {}, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, In, Results, Count>() &&
                detail::check_output<StartsOut, Stream>() && detail::check_output<LengthsOut, Stream>()) {
    if constexpr (detail::check_equality<Equal, detail::item_t<In>>()) {
      using T = detail::length_t<LengthsOut>;
      const stream_of<Stream> on = stream;
      auto executor = executor_of(on);
      const auto count = detail::count_argument(n);
      const std::size_t bytes = Policy::template workspace_bytes<T, detail::item_t<In>>(detail::bound_of(n));
      return w.lend(bytes, on, [&](workspace lent) {
        return static_cast<error_of<Stream>>(Policy::template run_non_trivial<T>(
            executor, lent, in, starts_out, lengths_out, select_results(results), count, equal));
      });
    }
  }
  return {};
}

/// Bytes of workspace of run_length_encode_non_trivial with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, and more items never need less. 0 for n <= 0.
template <class Policy = default_runs_policy, class In, class StartsOut, class LengthsOut,
          class Results = select_results, class Count = std::int64_t, class Equal = equal_to>
std::size_t run_length_encode_non_trivial_workspace_bytes(In, StartsOut, LengthsOut, Results, Count n, Equal = {}) {
  return Policy::template workspace_bytes<detail::length_t<LengthsOut>, detail::item_t<In>>(detail::bound_of(n));
}

/// Writes values[i] lengths[i] times for every run i, in order: the opposite of run_length_encode.
///   w        a workspace of run_length_decode_workspace_bytes bytes, or a memory resource to take it from; the caller
///            keeps it until the work has finished
///   values   n values: a pointer or random-access iterator of device memory
///   lengths  n integers; one below 0 counts as 0: a pointer or random-access iterator of device memory
///   out      where items go: a pointer or iterator of device memory with room for results.capacity of them, or for as
///            many as there are; no overlap
///   results  a pointer to the number of items in device memory, of 4 or 8 bytes, or an expand_results (arguments.hpp),
///            which also takes a capacity, and returns the number without it, where runs begin, and indirect arguments
///   n        how many runs: a signed integer, or a device_count in device memory with a bound
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or the capacity is below 0, a pointer is null with n > 0,
/// arrays overlap, or the workspace is too small; otherwise the first error of a launch. n = 0 writes a number of 0.
/// Cost: a scan of the lengths, then every item is written once: that of expand (expand.cuh), whose kernels it takes.
///     cudaError_t e = run_length_decode(stream_pool{}, values, lengths, items, total, runs, stream);
template <class Policy = default_expand_policy, class Values, class Lengths, class Out, class Results = expand_results,
          class Count = std::int64_t, class Stream = default_stream>
[[nodiscard]] error_of<Stream> run_length_decode(workspace_or_resource w, Values values, Lengths lengths, Out out,
                                                 Results results, Count n, Stream stream = {}) {
  if constexpr (detail::check_input<Values, Stream>()) {
    using error = error_of<Stream>;
    const std::int64_t bound = detail::bound_of(n);
    const expand_results to = results;
    // What expand does not know of: that values are read.
    const select_results counts = to.counts();
    const std::array written{detail::use_of(out, counts.is_limited() ? counts.capacity : 1, true),
                             detail::use_of(to.offsets, bound + 1, true)};
    const auto meets = [&](const detail::memory_use& u) {
      const detail::memory_use read = detail::use_of(values, bound, false);
      return detail::ranges_meet(read.data, read.bytes, u.data, u.bytes);
    };
    if (bound > 0 && (detail::is_null(values) || std::ranges::any_of(written, meets) ||
                      std::ranges::any_of(counts.uses(1), meets))) {
      return static_cast<error>(status::invalid_value);
    }
    return expand<Policy>(w, lengths, out, results, n, detail::value_of_run<Values>{values}, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of run_length_decode with these arguments. A host formula in O(1): no GPU is needed, and more
/// runs never need less; only whether results.offsets is null matters. 0 for n <= 0.
template <class Policy = default_expand_policy, class Values, class Lengths, class Out, class Results = expand_results,
          class Count = std::int64_t>
std::size_t run_length_decode_workspace_bytes(Values values, Lengths lengths, Out out, Results results, Count n) {
  return expand_workspace_bytes<Policy>(lengths, out, results, n, detail::value_of_run<Values>{values});
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
