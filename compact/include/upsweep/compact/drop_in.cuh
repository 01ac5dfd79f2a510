// CUB's names for the selection and partition of device memory, and for runs of equal keys: signatures and results are
// those of cub::DeviceSelect and cub::DevicePartition 3.0.1, and of cub::DeviceReduce::ReduceByKey and
// cub::DeviceRunLengthEncode 3.5; upsweep/scan/drop_in.cuh says how a program changes over, how storage comes
// in two phases, and what is an error here that CUB leaves undefined.
//
// Arrays of one type are moved as bytes, by pointers; anything else by its iterators. The count goes to any iterator:
// where that is not a pointer to an integer of 4 or 8 bytes, a separate kernel writes it.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/device/cuda_drop_in_calls.cuh"
#include "upsweep/compact/reduce_by_key.cuh"
#include "upsweep/compact/run_length.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/compact/split.cuh"
#include "upsweep/compact/unique.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/scan/operators.hpp"

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {
/// As cub::DeviceSelect.
struct DeviceSelect {
  /// The items whose flag is not 0, in their order.
  template <class InputIteratorT, class FlagIterator, class OutputIteratorT, class NumSelectedIteratorT>
  static cudaError_t Flagged(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                             FlagIterator d_flags, OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out,
                             std::int64_t num_items, cudaStream_t stream = 0) {
    return detail::select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items,
                          detail::vote_by_flags(d_flags), stream);
  }
  /// The items whose flag is not 0, in their order, in place.
  template <class IteratorT, class FlagIterator, class NumSelectedIteratorT>
  static cudaError_t Flagged(void* d_temp_storage, std::size_t& temp_storage_bytes, IteratorT d_data,
                             FlagIterator d_flags, NumSelectedIteratorT d_num_selected_out, std::int64_t num_items,
                             cudaStream_t stream = 0) {
    return detail::select_in_place(d_temp_storage, temp_storage_bytes, d_data, d_num_selected_out, num_items,
                                   detail::vote_by_flags(d_flags), stream);
  }

  /// The items that select_op accepts, in their order.
  template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT, class SelectOp>
  static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                        OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out, std::int64_t num_items,
                        SelectOp select_op, cudaStream_t stream = 0) {
    return detail::select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items,
                          detail::vote_by_items(d_in, select_op), stream);
  }
  /// The items that select_op accepts, in their order, in place.
  template <class IteratorT, class NumSelectedIteratorT, class SelectOp>
  static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes, IteratorT d_data,
                        NumSelectedIteratorT d_num_selected_out, std::int64_t num_items, SelectOp select_op,
                        cudaStream_t stream = 0) {
    return detail::select_in_place(d_temp_storage, temp_storage_bytes, d_data, d_num_selected_out, num_items,
                                   detail::vote_by_items(d_data, select_op), stream);
  }

  /// The items whose flag select_op accepts, in their order.
  template <class InputIteratorT, class FlagIterator, class OutputIteratorT, class NumSelectedIteratorT, class SelectOp>
  static cudaError_t FlaggedIf(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                               FlagIterator d_flags, OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out,
                               std::int64_t num_items, SelectOp select_op, cudaStream_t stream = 0) {
    return detail::select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items,
                          detail::vote_by_items(d_flags, select_op), stream);
  }
  /// The items whose flag select_op accepts, in their order, in place.
  template <class IteratorT, class FlagIterator, class NumSelectedIteratorT, class SelectOp>
  static cudaError_t FlaggedIf(void* d_temp_storage, std::size_t& temp_storage_bytes, IteratorT d_data,
                               FlagIterator d_flags, NumSelectedIteratorT d_num_selected_out, std::int64_t num_items,
                               SelectOp select_op, cudaStream_t stream = 0) {
    return detail::select_in_place(d_temp_storage, temp_storage_bytes, d_data, d_num_selected_out, num_items,
                                   detail::vote_by_items(d_flags, select_op), stream);
  }

  /// The first item of each run of equal neighbours.
  template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT>
  static cudaError_t Unique(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                            OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out, std::int64_t num_items,
                            cudaStream_t stream = 0) {
    return detail::select(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out, num_items,
                          vote_run_head<InputIteratorT>{d_in, {}}, stream);
  }

  /// The first key of each run of equal neighbours, and its value.
  template <class KeyInputIteratorT, class ValueInputIteratorT, class KeyOutputIteratorT, class ValueOutputIteratorT,
            class NumSelectedIteratorT, class NumItemsT, class EqualityOpT>
  static std::enable_if_t<!std::is_convertible_v<EqualityOpT, cudaStream_t>, cudaError_t> UniqueByKey(
      void* d_temp_storage, std::size_t& temp_storage_bytes, KeyInputIteratorT d_keys_in,
      ValueInputIteratorT d_values_in, KeyOutputIteratorT d_keys_out, ValueOutputIteratorT d_values_out,
      NumSelectedIteratorT d_num_selected_out, NumItemsT num_items, EqualityOpT equality_op, cudaStream_t stream = 0) {
    const std::int64_t n = detail::count_of(num_items);
    const vote_run_head<KeyInputIteratorT, EqualityOpT> vote{d_keys_in, equality_op};
    const std::size_t needed = unique_by_key_workspace_bytes(d_keys_in, d_keys_out, d_values_in, d_values_out,
                                                             d_num_selected_out, n, equality_op);
    return detail::select_in(d_temp_storage, temp_storage_bytes, needed, d_num_selected_out, n, vote,
                             detail::uses_of_items(n, d_values_in, d_keys_out, d_values_out), stream,
                             [&](workspace w, const select_results& results) {
                               return unique_by_key(w, d_keys_in, d_keys_out, d_values_in, d_values_out, results, n,
                                                    equality_op, stream);
                             });
  }
  /// The first key of each run of equal neighbours, and its value.
  template <class KeyInputIteratorT, class ValueInputIteratorT, class KeyOutputIteratorT, class ValueOutputIteratorT,
            class NumSelectedIteratorT, class NumItemsT>
  static cudaError_t UniqueByKey(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyInputIteratorT d_keys_in,
                                 ValueInputIteratorT d_values_in, KeyOutputIteratorT d_keys_out,
                                 ValueOutputIteratorT d_values_out, NumSelectedIteratorT d_num_selected_out,
                                 NumItemsT num_items, cudaStream_t stream = 0) {
    return UniqueByKey(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in, d_keys_out, d_values_out,
                       d_num_selected_out, num_items, equal_to{}, stream);
  }
};

/// As cub::DevicePartition: the rejected items are at the end of d_out, in reverse order.
struct DevicePartition {
  /// The items whose flag is not 0, in their order, and the others after them.
  template <class InputIteratorT, class FlagIterator, class OutputIteratorT, class NumSelectedIteratorT,
            class NumItemsT>
  static cudaError_t Flagged(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                             FlagIterator d_flags, OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out,
                             NumItemsT num_items, cudaStream_t stream = 0) {
    return detail::partition(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out,
                             detail::count_of(num_items), detail::vote_by_flags(d_flags), stream);
  }
  /// The items that select_op accepts, in their order, and the others after them.
  template <class InputIteratorT, class OutputIteratorT, class NumSelectedIteratorT, class SelectOp, class NumItemsT>
  static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                        OutputIteratorT d_out, NumSelectedIteratorT d_num_selected_out, NumItemsT num_items,
                        SelectOp select_op, cudaStream_t stream = 0) {
    return detail::partition(d_temp_storage, temp_storage_bytes, d_in, d_out, d_num_selected_out,
                             detail::count_of(num_items), detail::vote_by_items(d_in, select_op), stream);
  }

  /// Three parts, each in order: the items that the first predicate accepts, of the others those that the second
  /// accepts, and the rest. d_num_selected_out gets the numbers of the first two.
  template <class InputIteratorT, class FirstOutputIteratorT, class SecondOutputIteratorT,
            class UnselectedOutputIteratorT, class NumSelectedIteratorT, class SelectFirstPartOp,
            class SelectSecondPartOp, class NumItemsT>
  static cudaError_t If(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                        FirstOutputIteratorT d_first_part_out, SecondOutputIteratorT d_second_part_out,
                        UnselectedOutputIteratorT d_unselected_out, NumSelectedIteratorT d_num_selected_out,
                        NumItemsT num_items, SelectFirstPartOp select_first_part_op,
                        SelectSecondPartOp select_second_part_op, cudaStream_t stream = 0) {
    constexpr int parts = 3;
    const std::int64_t n = detail::count_of(num_items);
    const default_split_policy policy;
    const detail::own_storage<> own(parts + 1);
    return detail::scan_in(
        d_temp_storage, temp_storage_bytes, own.layout.bytes() + policy.workspace_bytes(n, parts), [&](workspace w) {
          using part_of = detail::one_of_three<InputIteratorT, SelectFirstPartOp, SelectSecondPartOp>;
          const detail::move_to_one_of_three<InputIteratorT, FirstOutputIteratorT, SecondOutputIteratorT,
                                             UnselectedOutputIteratorT>
              move{d_in, d_first_part_out, d_second_part_out, d_unselected_out};
          if (!detail::can_put_counts(d_num_selected_out, parts - 1, move.uses(n))) return cudaErrorInvalidValue;
          if (n > 0 && !move.is_possible(n)) return cudaErrorInvalidValue;
          auto executor = executor_of(stream);
          std::int64_t* const offsets = own.layout.at(w, own.offsets);
          status s = policy.run_each(executor, own.layout.rest(w), n, parts,
                                     part_of{d_in, select_first_part_op, select_second_part_op}, offsets, move);
          if (s == status::success) {
            s = executor.launch(1, detail::store_lengths_kernel{}, static_cast<const std::int64_t*>(offsets), 2,
                                d_num_selected_out);
          }
          return static_cast<cudaError_t>(s);
        });
  }
};

/// As cub::DeviceReduce, of which it has the reduction by key.
struct DeviceReduce {
  /// The key of each run of equal neighbouring keys, and its values combined by reduction_op.
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

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  template <class KeysInputIteratorT, class UniqueOutputIteratorT, class ValuesInputIteratorT,
            class AggregatesOutputIteratorT, class NumRunsOutputIteratorT, class ReductionOpT, class NumItemsT,
            class EnvT = detail::no_environment>
  [[nodiscard]] static cudaError_t ReduceByKey(KeysInputIteratorT d_keys_in, UniqueOutputIteratorT d_unique_out,
                                               ValuesInputIteratorT d_values_in,
                                               AggregatesOutputIteratorT d_aggregates_out,
                                               NumRunsOutputIteratorT d_num_runs_out, ReductionOpT reduction_op,
                                               NumItemsT num_items, const EnvT& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return ReduceByKey(storage, bytes, d_keys_in, d_unique_out, d_values_in, d_aggregates_out, d_num_runs_out,
                         reduction_op, num_items, stream);
    });
  }
#endif
};

/// As cub::DeviceRunLengthEncode.
struct DeviceRunLengthEncode {
  /// The item of each run of equal neighbours, and the length of the run.
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

  /// Where the runs of two and more equal neighbours begin, and how long they are.
  template <class InputIteratorT, class OffsetsOutputIteratorT, class LengthsOutputIteratorT,
            class NumRunsOutputIteratorT, class NumItemsT>
  static cudaError_t NonTrivialRuns(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                                    OffsetsOutputIteratorT d_offsets_out, LengthsOutputIteratorT d_lengths_out,
                                    NumRunsOutputIteratorT d_num_runs_out, NumItemsT num_items,
                                    cudaStream_t stream = 0) {
    const std::int64_t n = detail::count_of(num_items);
    const std::size_t needed = run_length_encode_non_trivial_workspace_bytes(d_in, d_offsets_out, d_lengths_out,
                                                                             select_results{}, n, equal_to{});
    return detail::select_in(
        d_temp_storage, temp_storage_bytes, needed, d_num_runs_out, n, vote_run_head<InputIteratorT>{d_in, {}},
        detail::uses_of_items(n, d_in, d_offsets_out, d_lengths_out), stream,
        [&](workspace w, const select_results& results) {
          return run_length_encode_non_trivial(w, d_in, d_offsets_out, d_lengths_out, results, n, equal_to{}, stream);
        });
  }

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  template <class InputIteratorT, class UniqueOutputIteratorT, class LengthsOutputIteratorT,
            class NumRunsOutputIteratorT, class NumItemsT, class EnvT = detail::no_environment>
  [[nodiscard]] static cudaError_t Encode(InputIteratorT d_in, UniqueOutputIteratorT d_unique_out,
                                          LengthsOutputIteratorT d_counts_out, NumRunsOutputIteratorT d_num_runs_out,
                                          NumItemsT num_items, const EnvT& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return Encode(storage, bytes, d_in, d_unique_out, d_counts_out, d_num_runs_out, num_items, stream);
    });
  }
  template <class InputIteratorT, class OffsetsOutputIteratorT, class LengthsOutputIteratorT,
            class NumRunsOutputIteratorT, class NumItemsT, class EnvT = detail::no_environment>
  [[nodiscard]] static cudaError_t NonTrivialRuns(InputIteratorT d_in, OffsetsOutputIteratorT d_offsets_out,
                                                  LengthsOutputIteratorT d_lengths_out,
                                                  NumRunsOutputIteratorT d_num_runs_out, NumItemsT num_items,
                                                  const EnvT& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return NonTrivialRuns(storage, bytes, d_in, d_offsets_out, d_lengths_out, d_num_runs_out, num_items, stream);
    });
  }
#endif
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
