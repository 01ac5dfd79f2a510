// CUB's names for the scans of segments of device memory, with the signatures of cub::DeviceSegmentedScan 3.5; part of
// drop_in.cuh. Segments are told by begins and ends: pointers or random-access iterators of device memory, of integers.
// One that ends in front of its begin, or begins below 0, is empty; how many items the arrays have CUB does not ask, so
// bounds behind the end of an array are the caller's. Calls without temporary storage are there where the headers in
// use have environments.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#if __has_include(<cuda/__functional/call_or.h>) && __has_include(<cuda/__memory_resource/get_memory_resource.h>)
#define UPSWEEP_HAS_ENVIRONMENTS

#include <cuda/__functional/call_or.h>
#include <cuda/__memory_resource/get_memory_resource.h>
#include <cuda/__stream/get_stream.h>

#include <cuda/std/__execution/env.h>
#endif

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/segments_by_spans.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

using upsweep::detail::no_init;
using upsweep::detail::scan_kind;

/// A scan of segments; Init is no_init where there is none.
template <scan_kind Kind, class In, class Out, class Begins, class Ends, class OutBegins, class Op, class Init>
struct segments_scan {
  using policy = upsweep::detail::default_bounded_segments_policy;
  using sum = typename upsweep::detail::accumulator_of<In, Op, Init>::type;

  In in;
  Out out;
  Begins begins;
  Ends ends;
  OutBegins out_begins;
  std::int64_t segments;
  Op op;
  Init init;

  std::size_t bytes() const { return segments <= 0 ? 0 : policy::template workspace_bytes<sum>(segments); }

  cudaError_t run(workspace w, cudaStream_t stream) const {
    using upsweep::detail::is_null;
    if (segments < 0) return cudaErrorInvalidValue;
    if (segments == 0) return cudaSuccess;
    if (is_null(in) || is_null(out) || is_null(begins) || is_null(ends) || is_null(out_begins)) {
      return cudaErrorInvalidValue;
    }
    auto executor = executor_of(stream);
    return static_cast<cudaError_t>(policy::template run<Kind, sum>(
        executor, w, in, out, begins, ends, out_begins, (std::numeric_limits<std::int64_t>::max)(), segments, op,
        upsweep::detail::init_argument<sum>(init)));
  }

  cudaError_t run_in(void* storage, std::size_t& storage_bytes, cudaStream_t stream) const {
    return scan_in(storage, storage_bytes, bytes(), [&](workspace w) { return run(w, stream); });
  }

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  /// On the environment's stream, with memory from its resource, else from the stream's pool.
  template <class Env>
  cudaError_t run_from(const Env& env) const {
    auto resource = ::cuda::__call_or(::cuda::mr::__get_memory_resource, stream_pool{}, env);
    const cudaStream_t stream = ::cuda::__call_or(::cuda::get_stream, ::cuda::stream_ref{cudaStream_t{}}, env).get();
    return workspace_or_resource(resource).lend(bytes(), stream, [&](workspace w) { return run(w, stream); });
  }
#endif
};

template <scan_kind Kind, class In, class Out, class Begins, class Ends, class OutBegins, class Op, class Init>
segments_scan<Kind, In, Out, Begins, Ends, OutBegins, Op, Init> segments_scan_of(In in, Out out, Begins begins,
                                                                                 Ends ends, OutBegins out_begins,
                                                                                 std::int64_t segments, Op op,
                                                                                 Init init) {
  static_assert(std::is_integral_v<upsweep::detail::item_t<Begins>> &&
                    std::is_integral_v<upsweep::detail::item_t<Ends>> &&
                    std::is_integral_v<upsweep::detail::item_t<OutBegins>>,
                "upsweep: begins and ends are integers");
  return {in, out, begins, ends, out_begins, segments, op, init};
}

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceSegmentedScan. d_out may be d_in, where segments begin at the same places in both and do not overlap.
struct DeviceSegmentedScan {
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t ExclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(
               d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_in_begin_offsets, num_segments,
               detail::sum_of<In, Out>{}, upsweep::detail::item_t<In>{})
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins>
  static cudaError_t ExclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                           OutBegins d_out_begin_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(
               d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_out_begin_offsets, num_segments,
               detail::sum_of<In, Out>{}, upsweep::detail::item_t<In>{})
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }

  template <class In, class Out, class Begins, class Ends, class ScanOpT, class InitValueT>
  static cudaError_t ExclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                            ScanOpT scan_op, InitValueT init_value, cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments, scan_op, init_value)
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class ScanOpT, class InitValueT>
  static cudaError_t ExclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                            OutBegins d_out_begin_offsets, std::int64_t num_segments, ScanOpT scan_op,
                                            InitValueT init_value, cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments, scan_op,
                                                                  init_value)
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }

  template <class In, class Out, class Begins, class Ends>
  static cudaError_t InclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments,
                                                                  detail::sum_of<In, Out>{}, detail::no_init{})
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins>
  static cudaError_t InclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                           OutBegins d_out_begin_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments,
                                                                  detail::sum_of<In, Out>{}, detail::no_init{})
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }

  template <class In, class Out, class Begins, class Ends, class ScanOpT>
  static cudaError_t InclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                            ScanOpT scan_op, cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments, scan_op,
                                                                  detail::no_init{})
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class ScanOpT>
  static cudaError_t InclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                            OutBegins d_out_begin_offsets, std::int64_t num_segments, ScanOpT scan_op,
                                            cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments, scan_op,
                                                                  detail::no_init{})
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }

  template <class In, class Out, class Begins, class Ends, class ScanOpT, class InitValueT>
  static cudaError_t InclusiveSegmentedScanInit(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in,
                                                Out d_out, Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                                std::int64_t num_segments, ScanOpT scan_op, InitValueT init_value,
                                                cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments, scan_op, init_value)
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class ScanOpT, class InitValueT>
  static cudaError_t InclusiveSegmentedScanInit(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in,
                                                Out d_out, Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                                OutBegins d_out_begin_offsets, std::int64_t num_segments,
                                                ScanOpT scan_op, InitValueT init_value, cudaStream_t stream = 0) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments, scan_op,
                                                                  init_value)
        .run_in(d_temp_storage, temp_storage_bytes, stream);
  }

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  // The same without temporary storage.
  template <class In, class Out, class Begins, class Ends, class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, std::int64_t num_segments,
                                                         const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(
               d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_in_begin_offsets, num_segments,
               detail::sum_of<In, Out>{}, upsweep::detail::item_t<In>{})
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                         std::int64_t num_segments, const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(
               d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_out_begin_offsets, num_segments,
               detail::sum_of<In, Out>{}, upsweep::detail::item_t<In>{})
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class ScanOpT, class InitValueT,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, std::int64_t num_segments,
                                                          ScanOpT scan_op, InitValueT init_value, const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments, scan_op, init_value)
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class ScanOpT, class InitValueT,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                          std::int64_t num_segments, ScanOpT scan_op,
                                                          InitValueT init_value, const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::exclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments, scan_op,
                                                                  init_value)
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, std::int64_t num_segments,
                                                         const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments,
                                                                  detail::sum_of<In, Out>{}, detail::no_init{})
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                         std::int64_t num_segments, const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments,
                                                                  detail::sum_of<In, Out>{}, detail::no_init{})
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class ScanOpT, class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, std::int64_t num_segments,
                                                          ScanOpT scan_op, const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments, scan_op,
                                                                  detail::no_init{})
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class ScanOpT,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                          std::int64_t num_segments, ScanOpT scan_op,
                                                          const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments, scan_op,
                                                                  detail::no_init{})
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class ScanOpT, class InitValueT,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScanInit(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                              Ends d_in_end_offsets, std::int64_t num_segments,
                                                              ScanOpT scan_op, InitValueT init_value,
                                                              const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_in_begin_offsets, num_segments, scan_op, init_value)
        .run_from(env);
  }
  template <class In, class Out, class Begins, class Ends, class OutBegins, class ScanOpT, class InitValueT,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScanInit(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                              Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                              std::int64_t num_segments, ScanOpT scan_op,
                                                              InitValueT init_value, const Env& env = {}) {
    return detail::segments_scan_of<detail::scan_kind::inclusive>(d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                                                  d_out_begin_offsets, num_segments, scan_op,
                                                                  init_value)
        .run_from(env);
  }
#endif
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
