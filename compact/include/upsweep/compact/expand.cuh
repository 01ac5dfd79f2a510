// Expansion, the opposite of compaction: each item becomes any number of outputs. What splatting and particle emitters
// do before they sort.
//
//   upsweep::expand_results results(total);
//   results.capacity = room;
//   cudaError_t e = upsweep::expand(upsweep::stream_pool{}, counts, pairs, results, n, splat_tile{splats}, stream);
//
// The number of outputs is known to device memory alone, where the next kernel reads it. A call enqueues its kernels on
// `stream` and returns: it allocates nothing, unless it is given a resource (simt/memory_resource.cuh), does not wait,
// and can be captured in a graph. With a sim_stream it runs on the CPU and has finished when it returns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/balanced_expand.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The policy of expansions: <Scan, Threads, Items>, a scan policy and the tile of the outputs.
using detail::balanced_expand;
/// The default policy of expand.
using default_expand_policy = balanced_expand<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Stream, class Counts, class Out, class Results, class Count, class ItemOf>
constexpr bool check_expansion() {
  if constexpr (check_stream<Stream>() && check_input<Counts, Stream>() && check_output<Out, Stream>() &&
                check_count<Count>()) {
    constexpr bool counts = std::is_integral_v<item_t<Counts>> && sizeof(item_t<Counts>) <= 8;
    static_assert(counts, "upsweep: counts are integers of at most 8 bytes");
    constexpr bool gives = std::is_convertible_v<Results, expand_results>;
    static_assert(gives,
                  "upsweep: after the outputs comes a pointer to the total in device memory, or an expand_results");
    constexpr bool calls = can_call<ItemOf, std::int64_t, std::int64_t>;
    static_assert(calls,
                  "upsweep: the functor is called with the index of an item and the number of the output within it");
    return counts && gives && calls;
  }
  return false;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Writes item_of(i, j) for every item i, in order, and every j from 0 to counts[i] - 1.
///   w        a workspace of expand_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///            until the work has finished
///   counts   n integers; one below 0 counts as 0: a pointer or random-access iterator of device memory
///   out      where outputs go: a pointer or iterator of device memory with room for results.capacity of them, or
///            without a capacity for as many as there are; no overlap
///   results  a pointer to the number of outputs in device memory, of 4 or 8 bytes, or an expand_results
///            (arguments.hpp), which also takes a capacity, and returns the number without it, where the outputs of
///            each item begin, and indirect arguments
///   n        how many items: a signed integer, or a device_count in device memory with a bound
///   item_of  item_of(i, j), two std::int64_t, is output number j of item i: a functor that the GPU can call. It must
///            not read what the call writes
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or the capacity is below 0, a pointer is null with n > 0,
/// an output or result overlaps another array that is read or written, or the workspace is too small; otherwise the
/// first error of a launch. n = 0 writes a total of 0. Cost: a scan of n counts, whose 8-byte offsets are in the
/// workspace or results.offsets, and one launch that writes each output once; O(n + outputs) work, in parallel over the
/// outputs, even if one item has most of them. Source: the load-balancing search of moderngpu (Baxter 2013).
///     cudaError_t e = expand(stream_pool{}, counts, out, total, n, child_of{parents}, stream);
template <class Policy = default_expand_policy, class Counts, class Out, class Results = expand_results,
          class Count = std::int64_t, class ItemOf, class Stream = default_stream>
[[nodiscard]] error_of<Stream> expand(workspace_or_resource w, Counts counts, Out out, Results results, Count n,
                                      ItemOf item_of, Stream stream = {}) {
  if constexpr (detail::check_expansion<Stream, Counts, Out, Results, Count, ItemOf>()) {
    const stream_of<Stream> on = stream;
    auto executor = executor_of(on);
    const expand_results to = results;
    const std::size_t bytes = Policy::template workspace_bytes<Counts>(detail::bound_of(n), to.offsets != nullptr);
    return w.lend(bytes, on, [&](workspace lent) {
      return static_cast<error_of<Stream>>(
          Policy::run(executor, lent, counts, out, to, detail::count_argument(n), item_of));
    });
  } else {
    return {};
  }
}

/// Bytes of workspace of expand with these arguments. A host formula in O(1): no GPU is needed, and more items never
/// need less; only whether results.offsets is null matters. 0 for n <= 0.
template <class Policy = default_expand_policy, class Counts, class Out, class Results = expand_results,
          class Count = std::int64_t, class ItemOf>
std::size_t expand_workspace_bytes(Counts, Out, Results results, Count n, ItemOf) {
  return Policy::template workspace_bytes<Counts>(detail::bound_of(n), expand_results(results).offsets != nullptr);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
