// The first element of each run of equal ones: the public calls. Stable; otherwise as in select.cuh.
//
//   cudaError_t e = upsweep::unique(upsweep::stream_pool{}, in, out, count, n, upsweep::equal_to{}, stream);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/paired_items.cuh"
#include "upsweep/compact/device/pipelined_runs.cuh"
#include "upsweep/compact/request.hpp"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The vote of element i: whether it is the first, or differs from the one before, !equal(in[i - 1], in[i]). It can
/// also be a vote of select_arrays, if `in` is not compacted in place.
template <class In, class Equal = equal_to>
struct vote_run_head {
  /// Marks a functor of indices for the calls.
  using votes_by_index = void;
  In in;                ///< n items
  mutable Equal equal;  ///< of two neighbours
  /// Whether element i is the first of its run.
  UPSWEEP_HOST_DEVICE bool operator()(std::int64_t i) const {
    return i == 0 || !static_cast<bool>(equal(in[i - 1], in[i]));
  }
  /// In two parts, so that no array may be compacted in place: vote i also reads the element before it.
  auto reads(std::int64_t n) const {
    if constexpr (std::is_pointer_v<In>) {
      const std::int64_t half = n / 2;
      return std::array{detail::use_of(in, half, false), detail::use_of(in + half, n - half, false)};
    } else {
      return std::array<detail::memory_use, 0>{};
    }
  }
};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// True when both are pointers to the same place.
template <class In, class Out>
bool is_same_array(In in, Out out) {
  if constexpr (moves_bytes<In, Out>) return in == out;
  return false;
}

/// Keys and values as two arrays, or as one iterator of pairs.
template <class KeysIn, class KeysOut, class ValuesIn, class ValuesOut>
inline constexpr bool pairs_are_arrays = moves_bytes<KeysIn, KeysOut>&& moves_bytes<ValuesIn, ValuesOut>;
template <class KeysIn, class KeysOut, class ValuesIn, class ValuesOut>
std::array<soa_array, 2> arrays_of_pairs(KeysIn keys_in, KeysOut keys_out, ValuesIn values_in, ValuesOut values_out) {
  return {soa_array{keys_in, keys_out, sizeof *keys_in}, soa_array{values_in, values_out, sizeof *values_in}};
}

/// The default policy of unique with a unique_results.
template <class Policy>
using unique_runs_policy =
    std::conditional_t<std::is_same_v<Policy, default_compact_policy>, default_runs_policy, Policy>;

/// unique with a unique_results.
template <class Policy, class Stream, class In, class Out, class Count, class Equal>
error_of<Stream> unique_runs(const workspace_or_resource& w, In in, Out out, const unique_results& results, Count n,
                             Equal equal, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto count = count_argument(n);
  const std::int64_t bound = bound_of(count), room = results.room(bound);
  const std::size_t bytes = Policy::template unique_workspace_bytes<item_t<In>>(bound);
  const bool in_place = is_same_array(in, out);
  return w.lend(bytes, on, [&](workspace lent) {
    if (!results.counts.is_right() || !results.inverse.is_right()) {
      return static_cast<error_of<Stream>>(status::invalid_value);
    }
    const std::array more{results.counts.use(room), results.inverse.use(bound)};
    std::optional<status> done;
    if constexpr (moves_bytes<In, Out>) {
      const soa_array array{in, out, sizeof *in};
      done = answer_at_once(executor, lent, bytes, std::span(&array, 1), count, results, rejected_order::apart, more);
    } else {
      const std::array arrays{use_of(in, bound, false), use_of(out, room, true)};
      done = answer_at_once(executor, lent, bytes, std::span<const soa_array>{}, count, results, rejected_order::apart,
                            arrays, more);
    }
    return static_cast<error_of<Stream>>(
        done ? *done : Policy::launch_unique(executor, lent, in, out, results, count, in_place, equal));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Keeps the first of each run of equal elements. Equal elements that are not neighbours are in different runs, as in
/// CUB's Unique: to keep each value once, sort first.
///   w        a workspace of unique_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///            until the work has finished
///   in       n items: a pointer or random-access iterator of device memory
///   out      where the first of each run goes: a pointer or iterator of device memory with room for them; no overlap
///            with in (with a unique_results, it may be in)
///   results  a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///            (arguments.hpp), which also takes a capacity and returns indices and indirect arguments, or a
///            unique_results, which also returns the lengths of runs and the number of each element's run
///   n        how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///            written over it
///   equal    whether two neighbours are equal; equal_to{} by default
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array (out may be in, but only with a unique_results), or the workspace is too small; cudaErrorNotSupported
/// for what the policy's method cannot do; otherwise the first error of a launch. n = 0 writes a count of 0. Cost: O(n)
/// work; by the default policy one or two launches, in which each element is compared once or twice, and each kept one
/// moves once; with a unique_results a fill and a launch, by the policy of reduce_by_key. Source: stream compaction
/// over decoupled look-back (Merrill & Garland 2016), compact/README.md.
///     unique_results runs(count);
///     runs.inverse = which;  // which[i]: the place in `distinct` that ids[i] became
///     cudaError_t e = unique(stream_pool{}, ids, distinct, runs, n, equal_to{}, stream);
template <class Policy = default_compact_policy, class In, class Out, class Results = select_results,
          class Count = std::int64_t, class Equal = equal_to, class Stream = default_stream>
[[nodiscard]] error_of<Stream> unique(workspace_or_resource w, In in, Out out, Results results, Count n,
                                      Equal equal = {}, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, In, Out, Results, Count>()) {
    if constexpr (!detail::check_equality<Equal, detail::item_t<In>>()) {
      return {};
    } else if constexpr (std::is_same_v<Results, unique_results>) {
      using runs = detail::unique_runs_policy<Policy>;
      return detail::unique_runs<runs>(w, in, out, results, n, equal, stream);
    } else {
      if (detail::bound_of(n) > 0 && detail::is_same_array(in, out)) {
        return static_cast<error_of<Stream>>(status::invalid_value);
      }
      return detail::select_from<Policy>(w, in, out, nullptr, results, n, vote_run_head<In, Equal>{in, equal},
                                         detail::no_rejected{}, stream);
    }
  }
  return {};
}

/// Bytes of workspace of unique with these arguments. A host formula in O(1): no GPU is needed, pointers are only
/// compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class In, class Out, class Results = select_results,
          class Count = std::int64_t, class Equal = equal_to>
std::size_t unique_workspace_bytes(In in, Out out, Results, Count n, Equal = {}) {
  if constexpr (std::is_same_v<Results, unique_results>) {
    return detail::unique_runs_policy<Policy>::template unique_workspace_bytes<detail::item_t<In>>(detail::bound_of(n));
  } else {
    return detail::selection_bytes<Policy>(in, out, nullptr, detail::bound_of(n), rejected_order::apart);
  }
}

/// Keeps the first of each run of equal keys, and its value.
///   w           a workspace of unique_by_key_workspace_bytes bytes, or a memory resource to take it from; the caller
///               keeps it until the work has finished
///   keys_in     n keys: a pointer or random-access iterator of device memory
///   keys_out    where the first key of each run goes; no overlap with an input
///   values_in   n values
///   values_out  where the values of those keys go; no overlap with an input
///   results     a pointer to the count of kept items in device memory, of 4 or 8 bytes, or a select_results
///               (arguments.hpp), which also takes a capacity and returns indices and indirect arguments
///   n           how many items: a signed integer, or a device_count in device memory with a bound; the count may be
///               written over it
///   equal       whether two neighbours are equal; equal_to{} by default
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array, or the workspace is too small; cudaErrorNotSupported for what the policy's method cannot do;
/// otherwise the first error of a launch. n = 0 writes a count of 0. Cost: O(n) work; by the default policy a pass for
/// every 16 arrays, in which each vote is called once or twice, and each kept element moves once, in place at most
/// twice. Source: stream compaction over decoupled look-back (Merrill & Garland 2016), compact/README.md.
template <class Policy = default_compact_policy, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut,
          class Results = select_results, class Count = std::int64_t, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> unique_by_key(workspace_or_resource w, KeysIn keys_in, KeysOut keys_out,
                                             ValuesIn values_in, ValuesOut values_out, Results results, Count n,
                                             Equal equal = {}, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, KeysIn, KeysOut, Results, Count>() &&
                detail::check_input<ValuesIn, Stream>() && detail::check_output<ValuesOut, Stream>()) {
    if constexpr (detail::check_equality<Equal, detail::item_t<KeysIn>>()) {
      if (detail::bound_of(n) > 0 &&
          (detail::is_same_array(keys_in, keys_out) || detail::is_same_array(values_in, values_out))) {
        return static_cast<error_of<Stream>>(status::invalid_value);
      }
      const vote_run_head<KeysIn, Equal> vote{keys_in, equal};
      if constexpr (detail::pairs_are_arrays<KeysIn, KeysOut, ValuesIn, ValuesOut>) {
        const auto arrays = detail::arrays_of_pairs(keys_in, keys_out, values_in, values_out);
        return select_arrays<Policy>(w, arrays, results, n, vote, stream);
      } else {
        const detail::pair_in<KeysIn, ValuesIn> in{keys_in, values_in};
        const detail::pair_out<KeysOut, ValuesOut> out{keys_out, values_out};
        return detail::select_from<Policy>(w, in, out, nullptr, results, n, vote, detail::no_rejected{}, stream);
      }
    }
  }
  return {};
}

/// Bytes of workspace of unique_by_key with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// only compared, and more items never need less. 0 for n <= 0.
template <class Policy = default_compact_policy, class KeysIn, class KeysOut, class ValuesIn, class ValuesOut,
          class Results = select_results, class Count = std::int64_t, class Equal = equal_to>
std::size_t unique_by_key_workspace_bytes(KeysIn keys_in, KeysOut keys_out, ValuesIn values_in, ValuesOut values_out,
                                          Results, Count n, Equal = {}) {
  if constexpr (detail::pairs_are_arrays<KeysIn, KeysOut, ValuesIn, ValuesOut>) {
    return Policy{}.workspace_bytes(detail::arrays_of_pairs(keys_in, keys_out, values_in, values_out),
                                    detail::bound_of(n));
  } else {
    return Policy{}.workspace_bytes({}, detail::bound_of(n));
  }
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
