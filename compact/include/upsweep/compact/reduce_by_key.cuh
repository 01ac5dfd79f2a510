// The reduction of each run of equal neighbouring keys: the public call.
//
//   cudaError_t e = upsweep::reduce_by_key(upsweep::stream_pool{}, cells, cells_out, mass, mass_out, count, n,
//                                          upsweep::plus{}, upsweep::equal_to{}, stream);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/device/pipelined_runs.cuh"
#include "upsweep/compact/device/select_from.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Sums are formed in the type of a wider output, as by the *_sum calls; all else in the type that op returns.
template <class In, class Out, class Op>
struct run_accumulator {
  using type = scan_accumulator_t<In, Op>;
};
template <class In, class Out>
struct run_accumulator<In, Out, plus> {
  using type = sum_accumulator_t<In, Out>;
};

template <class Policy, class T, class Stream, class KeysIn, class KeysOut, class ValuesIn, class Out, class Count,
          class Op, class Equal>
error_of<Stream> reduce_runs(const workspace_or_resource& w, KeysIn keys_in, KeysOut unique_out, ValuesIn values_in,
                             Out out, const select_results& results, Count n, Op op, Equal equal, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto count = count_argument(n);
  return w.lend(Policy::template workspace_bytes<T, item_t<KeysIn>>(bound_of(n)), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(
        Policy::template run<T>(executor, lent, keys_in, unique_out, values_in, out, results, count, op, equal));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// For each run of equal neighbouring keys, its last key and the reduction of its values in their order.
///   w               a workspace of reduce_by_key_workspace_bytes bytes, or a memory resource to take it from; the
///                   caller keeps it until the work has finished
///   keys_in         n keys: a pointer or random-access iterator of device memory
///   unique_out      where the last key of each run goes; no overlap with an input
///   values_in       n values: a pointer or random-access iterator of device memory
///   aggregates_out  where the reduction of each run goes; no overlap with an input
///   results         a pointer to the number of runs in device memory, of 4 or 8 bytes, or a select_results
///                   (arguments.hpp), which also takes a capacity and returns indirect arguments; its indices are those
///                   of the first items of runs
///   n               how many items: a signed integer, or a device_count in device memory with a bound; the number of
///                   runs may be written over it
///   op              an associative operator that the GPU can call with two values; it need not commute, and needs no
///                   identity. With plus, sums are formed in the wider of the types of value and output
///   equal           whether two neighbouring keys are in one run; equal_to{} by default
///   stream          the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array that is read or written, or the workspace is too small; otherwise the first error of a launch. n = 0
/// writes a number of 0. Cost: a fill and a launch; each key and value is read once, the last key of each run twice,
/// and each result is written once; O(n) work. Source: decoupled look-back (Merrill & Garland 2016).
template <class Policy = default_runs_policy, class KeysIn, class UniqueOut, class ValuesIn, class AggregatesOut,
          class Results = select_results, class Count = std::int64_t, class Op = plus, class Equal = equal_to,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> reduce_by_key(workspace_or_resource w, KeysIn keys_in, UniqueOut unique_out,
                                             ValuesIn values_in, AggregatesOut aggregates_out, Results results, Count n,
                                             Op op = {}, Equal equal = {}, Stream stream = {}) {
  if constexpr (detail::check_selection<Stream, KeysIn, UniqueOut, Results, Count>() &&
                detail::check_scan<Stream, ValuesIn, AggregatesOut, std::int64_t, Op, detail::no_init>()) {
    if constexpr (detail::check_equality<Equal, detail::item_t<KeysIn>>()) {
      using T = typename detail::run_accumulator<ValuesIn, AggregatesOut, Op>::type;
      return detail::reduce_runs<Policy, T>(w, keys_in, unique_out, values_in, aggregates_out, results, n, op, equal,
                                            stream);
    }
  }
  return {};
}

/// Bytes of workspace of reduce_by_key with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items never need less. 0 for n <= 0.
template <class Policy = default_runs_policy, class KeysIn, class UniqueOut, class ValuesIn, class AggregatesOut,
          class Results = select_results, class Count = std::int64_t, class Op = plus, class Equal = equal_to>
std::size_t reduce_by_key_workspace_bytes(KeysIn, UniqueOut, ValuesIn, AggregatesOut, Results, Count n, Op = {},
                                          Equal = {}) {
  using T = typename detail::run_accumulator<ValuesIn, AggregatesOut, Op>::type;
  return Policy::template workspace_bytes<T, detail::item_t<KeysIn>>(detail::bound_of(n));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
