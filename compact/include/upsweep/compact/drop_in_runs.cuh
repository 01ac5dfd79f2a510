// CUB's names for what is done with runs: signatures and results are those of cub::DeviceReduce::ReduceByKey and
// cub::DeviceRunLengthEncode::Encode 3.0.1; upsweep/scan/drop_in.cuh says how a program changes over, how storage comes
// in two phases, and what is an error here that CUB leaves undefined. NonTrivialRuns is not among them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/compact/device/cuda_drop_in_calls.cuh"
#include "upsweep/compact/reduce_by_key.cuh"
#include "upsweep/compact/run_length.cuh"
#include "upsweep/compact/unique.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/scan/operators.hpp"

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceReduce, of which it has the reduction by key.
struct DeviceReduce {
  template <class KeysInputIteratorT, class UniqueOutputIteratorT, class ValuesInputIteratorT,
            class AggregatesOutputIteratorT, class NumRunsOutputIteratorT, class ReductionOpT, class NumItemsT>
  static cudaError_t ReduceByKey(void* d_temp_storage, std::size_t& temp_storage_bytes, KeysInputIteratorT d_keys_in,
                                 UniqueOutputIteratorT d_unique_out, ValuesInputIteratorT d_values_in,
                                 AggregatesOutputIteratorT d_aggregates_out, NumRunsOutputIteratorT d_num_runs_out,
                                 ReductionOpT reduction_op, NumItemsT num_items, cudaStream_t stream = 0) {
    const std::int64_t n = detail::count_of(num_items);
    const std::size_t needed = reduce_by_key_workspace_bytes(d_keys_in, d_unique_out, d_values_in, d_aggregates_out,
                                                             select_results{}, n, reduction_op, equal_to{});
    return detail::select_in(d_temp_storage, temp_storage_bytes, needed, d_num_runs_out, n,
                             vote_run_head<KeysInputIteratorT>{d_keys_in, {}},
                             detail::uses_of_items(n, d_values_in, d_unique_out, d_aggregates_out), stream,
                             [&](workspace w, const select_results& results) {
                               return reduce_by_key(w, d_keys_in, d_unique_out, d_values_in, d_aggregates_out, results,
                                                    n, reduction_op, equal_to{}, stream);
                             });
  }
};

/// As cub::DeviceRunLengthEncode, but for NonTrivialRuns.
struct DeviceRunLengthEncode {
  template <class InputIteratorT, class UniqueOutputIteratorT, class LengthsOutputIteratorT,
            class NumRunsOutputIteratorT, class NumItemsT>
  static cudaError_t Encode(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                            UniqueOutputIteratorT d_unique_out, LengthsOutputIteratorT d_counts_out,
                            NumRunsOutputIteratorT d_num_runs_out, NumItemsT num_items, cudaStream_t stream = 0) {
    const std::int64_t n = detail::count_of(num_items);
    const std::size_t needed =
        run_length_encode_workspace_bytes(d_in, d_unique_out, d_counts_out, select_results{}, n, equal_to{});
    return detail::select_in(
        d_temp_storage, temp_storage_bytes, needed, d_num_runs_out, n, vote_run_head<InputIteratorT>{d_in, {}},
        detail::uses_of_items(n, d_in, d_unique_out, d_counts_out), stream,
        [&](workspace w, const select_results& results) {
          return run_length_encode(w, d_in, d_unique_out, d_counts_out, results, n, equal_to{}, stream);
        });
  }
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
