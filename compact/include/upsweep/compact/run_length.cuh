// Run lengths: each run of equal neighbouring items as one item and how many they are.
//
//   cudaError_t e = upsweep::run_length_encode(upsweep::stream_pool{}, in, values, lengths, count, n,
//                                              upsweep::equal_to{}, stream);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "upsweep/compact/reduce_by_key.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Lengths are counted in 4 bytes where they are written so.
template <class Lengths>
using length_t = std::conditional_t<std::is_void_v<typename place_type<Lengths>::type>, std::int64_t,
                                    typename run_accumulator<const std::uint32_t*, Lengths, plus>::type>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// For each run of equal neighbouring items, its last item and its length.
///   w            a workspace of run_length_encode_workspace_bytes bytes, or a memory resource to take it from; the
///                caller's until the work has finished
///   in           n items: a pointer or random-access iterator of device memory
///   unique_out   where the last item of each run goes; not in
///   lengths_out  where the length of each run goes; in 4 bytes, lengths wrap around at 2^32
///   results      a pointer to the number of runs in device memory, of 4 or 8 bytes, or a select_results
///                (arguments.hpp), which also takes a capacity and gives indirect arguments; its indices are where runs
///                start
///   n            how many items: a signed integer, or a device_count in device memory with a bound; the number of runs
///                may be written where that lies
///   equal        tells whether two neighbours are of one run; equal_to{} where it is left away
///   stream       the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// what else is read or written, or the workspace is too small; else the first error of a launch. n = 0 writes a number
/// of 0.
/// Cost: a fill and a launch; each item is read once, last ones once more, and each result is written once; O(n) work.
/// Source: decoupled look-back (Merrill & Garland 2016).
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

/// Bytes of workspace of run_length_encode with these arguments. A host formula in O(1): no GPU is asked, pointers are
/// not looked at, and more items never need less. 0 for n <= 0.
template <class Policy = default_runs_policy, class In, class UniqueOut, class LengthsOut,
          class Results = select_results, class Count = std::int64_t, class Equal = equal_to>
std::size_t run_length_encode_workspace_bytes(In, UniqueOut, LengthsOut, Results, Count n, Equal = {}) {
  return Policy::template workspace_bytes<detail::length_t<LengthsOut>, detail::item_t<In>>(detail::bound_of(n));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
