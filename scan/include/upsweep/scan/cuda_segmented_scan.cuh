// CUB's names for the scans of segments of device memory, with the signatures of cub::DeviceSegmentedScan 3.5; part of
// drop_in.cuh. Segments are given by begins and ends: pointers or random-access iterators of device memory, of
// integers. One that ends before it begins, or begins below 0, is empty. CUB's signatures do not say how many items the
// arrays have, so bounds beyond the end of an array cannot be refused. Calls without temporary storage need CUDA
// headers with environments.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/cuda_storage.cuh"
#include "upsweep/scan/device/segments_by_spans.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/executor.hpp"
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

/// Where segments of results begin, unless it is where those of items do.
template <class T>
concept out_begins = !std::is_convertible_v<T, std::int64_t>;

/// What every call with storage is about.
template <class In, class Out, class Begins, class Ends, class OutBegins>
struct segments_of {
  In in;
  Out out;
  Begins begins;
  Ends ends;
  OutBegins out_begins;
  std::int64_t segments;

  /// Both phases.
  template <scan_kind Kind, class Op, class Init>
  cudaError_t scan(void* storage, std::size_t& bytes, Op op, Init init, cudaStream_t stream) const {
    using upsweep::detail::item_t;
    static_assert(
        std::is_integral_v<item_t<Begins>> && std::is_integral_v<item_t<Ends>> && std::is_integral_v<item_t<OutBegins>>,
        "upsweep: begins and ends are integers");
    const segments_scan<Kind, In, Out, Begins, Ends, OutBegins, Op, Init> scan{in,         out,      begins, ends,
                                                                               out_begins, segments, op,     init};
    return scan_in(storage, bytes, scan.bytes(), [&](workspace w) { return scan.run(w, stream); });
  }
};
template <class In, class Out, class Begins, class Ends, class OutBegins>
segments_of(In, Out, Begins, Ends, OutBegins, std::int64_t) -> segments_of<In, Out, Begins, Ends, OutBegins>;

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceSegmentedScan. d_out may be d_in if segments begin at the same offsets in both and do not overlap.
struct DeviceSegmentedScan {
 private:
  static constexpr auto exclusive = detail::scan_kind::exclusive, inclusive = detail::scan_kind::inclusive;

 public:
  /// In each segment, the sums of the items before each one.
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t ExclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = nullptr) {
    return ExclusiveSegmentedSum(d_temp_storage, temp_storage_bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                 d_in_begin_offsets, num_segments, stream);
  }
  /// In each segment, the sums of the items before each one; results begin at offsets of their own.
  template <class In, class Out, class Begins, class Ends, detail::out_begins OutBegins>
  static cudaError_t ExclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                           OutBegins d_out_begin_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = nullptr) {
    const detail::segments_of of{d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_out_begin_offsets, num_segments};
    return of.template scan<exclusive>(d_temp_storage, temp_storage_bytes, detail::sum_of<In, Out>{},
                                       upsweep::detail::item_t<In>{}, stream);
  }
  /// In each segment, the items before each one, combined by the operator.
  template <class In, class Out, class Begins, class Ends, class Op, class Init>
  static cudaError_t ExclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                            Op scan_op, Init init_value, cudaStream_t stream = nullptr) {
    return ExclusiveSegmentedScan(d_temp_storage, temp_storage_bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                  d_in_begin_offsets, num_segments, scan_op, init_value, stream);
  }
  /// In each segment, the items before each one, combined by the operator; results begin at offsets of their own.
  template <class In, class Out, class Begins, class Ends, detail::out_begins OutBegins, class Op, class Init>
  static cudaError_t ExclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                            OutBegins d_out_begin_offsets, std::int64_t num_segments, Op scan_op,
                                            Init init_value, cudaStream_t stream = nullptr) {
    const detail::segments_of of{d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_out_begin_offsets, num_segments};
    return of.template scan<exclusive>(d_temp_storage, temp_storage_bytes, scan_op, init_value, stream);
  }
  /// In each segment, the sums of the items up to and with each one.
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t InclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = nullptr) {
    return InclusiveSegmentedSum(d_temp_storage, temp_storage_bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                 d_in_begin_offsets, num_segments, stream);
  }
  /// In each segment, the sums of the items up to and with each one; results begin at offsets of their own.
  template <class In, class Out, class Begins, class Ends, detail::out_begins OutBegins>
  static cudaError_t InclusiveSegmentedSum(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                           Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                           OutBegins d_out_begin_offsets, std::int64_t num_segments,
                                           cudaStream_t stream = nullptr) {
    const detail::segments_of of{d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_out_begin_offsets, num_segments};
    return of.template scan<inclusive>(d_temp_storage, temp_storage_bytes, detail::sum_of<In, Out>{}, detail::no_init{},
                                       stream);
  }
  /// In each segment, the items up to and with each one, combined by the operator.
  template <class In, class Out, class Begins, class Ends, class Op>
  static cudaError_t InclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets, std::int64_t num_segments,
                                            Op scan_op, cudaStream_t stream = nullptr) {
    return InclusiveSegmentedScan(d_temp_storage, temp_storage_bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                  d_in_begin_offsets, num_segments, scan_op, stream);
  }
  /// In each segment, the items up to and with each one, combined by the operator; results begin at offsets of their
  /// own.
  template <class In, class Out, class Begins, class Ends, detail::out_begins OutBegins, class Op>
  static cudaError_t InclusiveSegmentedScan(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in, Out d_out,
                                            Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                            OutBegins d_out_begin_offsets, std::int64_t num_segments, Op scan_op,
                                            cudaStream_t stream = nullptr) {
    const detail::segments_of of{d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_out_begin_offsets, num_segments};
    return of.template scan<inclusive>(d_temp_storage, temp_storage_bytes, scan_op, detail::no_init{}, stream);
  }
  /// In each segment, an init value and the items up to and with each one, combined by the operator.
  template <class In, class Out, class Begins, class Ends, class Op, class Init>
  static cudaError_t InclusiveSegmentedScanInit(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in,
                                                Out d_out, Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                                std::int64_t num_segments, Op scan_op, Init init_value,
                                                cudaStream_t stream = nullptr) {
    return InclusiveSegmentedScanInit(d_temp_storage, temp_storage_bytes, d_in, d_out, d_in_begin_offsets,
                                      d_in_end_offsets, d_in_begin_offsets, num_segments, scan_op, init_value, stream);
  }
  /// In each segment, an init value and the items up to and with each one, combined by the operator; results begin at
  /// offsets of their own.
  template <class In, class Out, class Begins, class Ends, detail::out_begins OutBegins, class Op, class Init>
  static cudaError_t InclusiveSegmentedScanInit(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in,
                                                Out d_out, Begins d_in_begin_offsets, Ends d_in_end_offsets,
                                                OutBegins d_out_begin_offsets, std::int64_t num_segments, Op scan_op,
                                                Init init_value, cudaStream_t stream = nullptr) {
    const detail::segments_of of{d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_out_begin_offsets, num_segments};
    return of.template scan<inclusive>(d_temp_storage, temp_storage_bytes, scan_op, init_value, stream);
  }

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  // The same without temporary storage.
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, std::int64_t num_segments,
                                                         const Env& env = {}) {
    return ExclusiveSegmentedSum(d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_in_begin_offsets, num_segments,
                                 env);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, detail::out_begins OutBegins,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                         std::int64_t num_segments, const Env& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return ExclusiveSegmentedSum(storage, bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                   d_out_begin_offsets, num_segments, stream);
    });
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class Op, class Init,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, std::int64_t num_segments, Op scan_op,
                                                          Init init_value, const Env& env = {}) {
    return ExclusiveSegmentedScan(d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_in_begin_offsets, num_segments,
                                  scan_op, init_value, env);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, detail::out_begins OutBegins, class Op,
            class Init, class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t ExclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                          std::int64_t num_segments, Op scan_op, Init init_value,
                                                          const Env& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return ExclusiveSegmentedScan(storage, bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                    d_out_begin_offsets, num_segments, scan_op, init_value, stream);
    });
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, std::int64_t num_segments,
                                                         const Env& env = {}) {
    return InclusiveSegmentedSum(d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_in_begin_offsets, num_segments,
                                 env);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, detail::out_begins OutBegins,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedSum(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                         Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                         std::int64_t num_segments, const Env& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return InclusiveSegmentedSum(storage, bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                   d_out_begin_offsets, num_segments, stream);
    });
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class Op,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, std::int64_t num_segments, Op scan_op,
                                                          const Env& env = {}) {
    return InclusiveSegmentedScan(d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_in_begin_offsets, num_segments,
                                  scan_op, env);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, detail::out_begins OutBegins, class Op,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScan(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                          Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                          std::int64_t num_segments, Op scan_op, const Env& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return InclusiveSegmentedScan(storage, bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                    d_out_begin_offsets, num_segments, scan_op, stream);
    });
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, class Op, class Init,
            class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScanInit(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                              Ends d_in_end_offsets, std::int64_t num_segments,
                                                              Op scan_op, Init init_value, const Env& env = {}) {
    return InclusiveSegmentedScanInit(d_in, d_out, d_in_begin_offsets, d_in_end_offsets, d_in_begin_offsets,
                                      num_segments, scan_op, init_value, env);
  }
  template <upsweep::detail::has_items In, class Out, class Begins, class Ends, detail::out_begins OutBegins, class Op,
            class Init, class Env = ::cuda::std::execution::env<>>
  [[nodiscard]] static cudaError_t InclusiveSegmentedScanInit(In d_in, Out d_out, Begins d_in_begin_offsets,
                                                              Ends d_in_end_offsets, OutBegins d_out_begin_offsets,
                                                              std::int64_t num_segments, Op scan_op, Init init_value,
                                                              const Env& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return InclusiveSegmentedScanInit(storage, bytes, d_in, d_out, d_in_begin_offsets, d_in_end_offsets,
                                        d_out_begin_offsets, num_segments, scan_op, init_value, stream);
    });
  }
#endif
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
