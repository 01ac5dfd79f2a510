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
};

/// Both phases of a call, on a stream.
struct by_storage {
  void* storage;
  std::size_t& bytes;

  template <class Scan>
  cudaError_t operator()(const Scan& scan, stream_argument on = {}) const {
    return scan_in(storage, bytes, scan.bytes(), [&](workspace w) { return scan.run(w, on.stream); });
  }
};

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
/// On an environment's stream, with memory from its resource, else from the stream's pool.
struct by_environment {
  template <class Scan, class Env = ::cuda::std::execution::env<>>
  cudaError_t operator()(const Scan& scan, const Env& env = {}) const {
    auto resource = ::cuda::__call_or(::cuda::mr::__get_memory_resource, stream_pool{}, env);
    const cudaStream_t stream = ::cuda::__call_or(::cuda::get_stream, ::cuda::stream_ref{cudaStream_t{}}, env).get();
    return workspace_or_resource(resource).lend(scan.bytes(), stream, [&](workspace w) { return scan.run(w, stream); });
  }
};
#endif

/// What every call begins with. `rest` is what CUB's overloads take behind that: where segments of results begin,
/// unless it is where those of items do; the number of segments; operator and init, where the name says so; and at the
/// end what Where takes, the stream or an environment.
template <class Where, class In, class Out, class Begins, class Ends>
struct segmented_call {
  Where where;
  In in;
  Out out;
  Begins begins;
  Ends ends;

  template <scan_kind Kind, class Init, class... Rest>
  cudaError_t sum(Init init, const Rest&... rest) const {
    return with_out_begins(
        [&](auto out_begins, std::int64_t segments, const auto&... on) {
          return run<Kind>(out_begins, segments, sum_of<In, Out>{}, init, on...);
        },
        rest...);
  }
  template <scan_kind Kind, class... Rest>
  cudaError_t scan(const Rest&... rest) const {
    return with_out_begins([&](auto out_begins, std::int64_t segments, auto op, auto init,
                               const auto&... on) { return run<Kind>(out_begins, segments, op, init, on...); },
                           rest...);
  }
  template <class... Rest>
  cudaError_t scan_without_init(const Rest&... rest) const {
    return with_out_begins(
        [&](auto out_begins, std::int64_t segments, auto op, const auto&... on) {
          return run<scan_kind::inclusive>(out_begins, segments, op, no_init{}, on...);
        },
        rest...);
  }

 private:
  template <class Use, class First, class... Rest>
  cudaError_t with_out_begins(Use use, const First& first, const Rest&... rest) const {
    if constexpr (std::is_convertible_v<First, std::int64_t>) {
      return use(begins, first, rest...);
    } else {
      return use(first, rest...);
    }
  }

  template <scan_kind Kind, class OutBegins, class Op, class Init, class... On>
  cudaError_t run(OutBegins out_begins, std::int64_t segments, Op op, Init init, const On&... on) const {
    using upsweep::detail::item_t;
    static_assert(
        std::is_integral_v<item_t<Begins>> && std::is_integral_v<item_t<Ends>> && std::is_integral_v<item_t<OutBegins>>,
        "upsweep: begins and ends are integers");
    return where(segments_scan<Kind, In, Out, Begins, Ends, OutBegins, Op, Init>{in, out, begins, ends, out_begins,
                                                                                 segments, op, init},
                 on...);
  }
};
template <class Where, class In, class Out, class Begins, class Ends>
segmented_call(Where, In, Out, Begins, Ends) -> segmented_call<Where, In, Out, Begins, Ends>;

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceSegmentedScan. d_out may be d_in, where segments begin at the same places in both and do not overlap.
struct DeviceSegmentedScan {
 private:
  static constexpr auto exclusive = detail::scan_kind::exclusive, inclusive = detail::scan_kind::inclusive;

 public:
  template <class In, class Out, class Begins, class Ends, class... Rest>
  static cudaError_t ExclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_storage{d_temp_storage, temp_storage_bytes}, d_in, d_out,
                                  d_in_begin_offsets, d_in_end_offsets}
        .template sum<exclusive>(upsweep::detail::item_t<In>{}, rest...);
  }
  template <class In, class Out, class Begins, class Ends, class... Rest>
  static cudaError_t ExclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_storage{d_temp_storage, temp_storage_bytes}, d_in, d_out,
                                  d_in_begin_offsets, d_in_end_offsets}
        .template scan<exclusive>(rest...);
  }
  template <class In, class Out, class Begins, class Ends, class... Rest>
  static cudaError_t InclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_storage{d_temp_storage, temp_storage_bytes}, d_in, d_out,
                                  d_in_begin_offsets, d_in_end_offsets}
        .template sum<inclusive>(detail::no_init{}, rest...);
  }
  template <class In, class Out, class Begins, class Ends, class... Rest>
  static cudaError_t InclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_storage{d_temp_storage, temp_storage_bytes}, d_in, d_out,
                                  d_in_begin_offsets, d_in_end_offsets}
        .scan_without_init(rest...);
  }
  template <class In, class Out, class Begins, class Ends, class... Rest>
  static cudaError_t InclusiveSegmentedScanInit(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in,
                                                Out d_out, Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                                const Rest&... rest) {
    return detail::segmented_call{detail::by_storage{d_temp_storage, temp_storage_bytes}, d_in, d_out,
                                  d_in_begin_offsets, d_in_end_offsets}
        .template scan<inclusive>(rest...);
  }

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  // The same without temporary storage.
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class... Rest>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_environment{}, d_in, d_out, d_in_begin_offsets, d_in_end_offsets}
        .template sum<exclusive>(upsweep::detail::item_t<In>{}, rest...);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class... Rest>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_environment{}, d_in, d_out, d_in_begin_offsets, d_in_end_offsets}
        .template scan<exclusive>(rest...);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class... Rest>
  [[nodiscard]] static cudaError_t InclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_environment{}, d_in, d_out, d_in_begin_offsets, d_in_end_offsets}
        .template sum<inclusive>(detail::no_init{}, rest...);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class... Rest>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_environment{}, d_in, d_out, d_in_begin_offsets, d_in_end_offsets}
        .scan_without_init(rest...);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class... Rest>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScanInit(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                              Ends d_in_end_offsets, const Rest&... rest) {
    return detail::segmented_call{detail::by_environment{}, d_in, d_out, d_in_begin_offsets, d_in_end_offsets}
        .template scan<inclusive>(rest...);
  }
#endif
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
