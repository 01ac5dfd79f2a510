// CUB's names for sorts, merges and the top k of device memory: signatures and results are those of
// cub::DeviceRadixSort 3.0.1, cub::DeviceSegmentedSort, cub::DeviceSegmentedRadixSort and cub::DeviceMerge 3.5 and,
// with headers as new as that, cub::DeviceTopK 3.5, so that
//
//   namespace cub = upsweep::drop_in;
//
// is all that a program changes (another name for the namespace where a header of CUB or Thrust is included too).
//
// Storage comes in two phases: with d_temp_storage == nullptr a call writes the bytes that it needs, at least 1, to
// temp_storage_bytes and returns; no GPU is needed. It differs from CUB where that leaves a call undefined: less than 0
// items, null pointers, arrays that overlap, and bits that keys do not have are cudaErrorInvalidValue. Which buffer of
// a DoubleBuffer holds the result is said by its selector, as with CUB; it need not be the same one.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/cuda_storage.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/sort/cuda_double_buffer.cuh"
#include "upsweep/sort/cuda_segmented_sort.cuh"
#include "upsweep/sort/cuda_top_k.cuh"
#include "upsweep/sort/merge.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

template <class Key, class Value, class NumItems, class Order>
cudaError_t sort_in(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out, const Value* values_in,
                    Value* values_out, NumItems num_items, const sort_how<Order>& how) {
  const std::int64_t n = count_of(num_items);
  const std::size_t needed = sort_pairs_workspace_bytes(keys_in, keys_out, values_in, values_out, n, how.order);
  return scan_in(storage, bytes, needed, [&](workspace w) {
    return sort_pairs(w, keys_in, keys_out, values_in, values_out, n, how.order, how.bits, how.stream);
  });
}

template <class Key, class Value, class NumItems, class Order>
cudaError_t sort_in(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                    NumItems num_items, const sort_how<Order>& how) {
  const std::int64_t n = count_of(num_items);
  double_buffer<Key> k{keys.Current(), keys.Alternate()};
  double_buffer<Value> v{values.Current(), values.Alternate()};
  return scan_in(storage, bytes, sort_pairs_workspace_bytes(k, v, n, how.order), [&](workspace w) {
    const cudaError_t e = sort_pairs(w, k, v, n, how.order, how.bits, how.stream);
    if (k.current != keys.Current()) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return e;
  });
}

/// After the number of items comes How.
template <class... How>
struct radix_sorts {
  template <class KeyT, class ValueT, class NumItemsT>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                               KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out, NumItemsT num_items,
                               How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, how...));
  }
  template <class KeyT, class ValueT, class NumItemsT>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                               DoubleBuffer<ValueT>& d_values, NumItemsT num_items, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, how...));
  }
  template <class KeyT, class NumItemsT>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                              KeyT* d_keys_out, NumItemsT num_items, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, how...));
  }
  template <class KeyT, class NumItemsT>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                              NumItemsT num_items, How... how) {
    DoubleBuffer<NullType> d_values;
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, how...));
  }

  template <class KeyT, class ValueT, class NumItemsT>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                         KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out,
                                         NumItemsT num_items, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::descending, how...));
  }
  template <class KeyT, class ValueT, class NumItemsT>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                         DoubleBuffer<KeyT>& d_keys, DoubleBuffer<ValueT>& d_values,
                                         NumItemsT num_items, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::descending, how...));
  }
  template <class KeyT, class NumItemsT>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                        KeyT* d_keys_out, NumItemsT num_items, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::descending, how...));
  }
  template <class KeyT, class NumItemsT>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        DoubleBuffer<KeyT>& d_keys, NumItemsT num_items, How... how) {
    DoubleBuffer<NullType> d_values;
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::descending, how...));
  }
};
/// A decomposer comes first.
template <class... How>
struct decomposed_radix_sorts {
  template <class KeyT, class ValueT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                               KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out, NumItemsT num_items,
                               Decomposer decomposer, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, decomposer, how...));
  }
  template <class KeyT, class ValueT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                               DoubleBuffer<ValueT>& d_values, NumItemsT num_items, Decomposer decomposer, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, decomposer, how...));
  }
  template <class KeyT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                              KeyT* d_keys_out, NumItemsT num_items, Decomposer decomposer, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, decomposer, how...));
  }
  template <class KeyT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                              NumItemsT num_items, Decomposer decomposer, How... how) {
    DoubleBuffer<NullType> d_values;
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::ascending, decomposer, how...));
  }

  template <class KeyT, class ValueT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                         KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out,
                                         NumItemsT num_items, Decomposer decomposer, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::descending, decomposer, how...));
  }
  template <class KeyT, class ValueT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                         DoubleBuffer<KeyT>& d_keys, DoubleBuffer<ValueT>& d_values,
                                         NumItemsT num_items, Decomposer decomposer, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::descending, decomposer, how...));
  }
  template <class KeyT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                        KeyT* d_keys_out, NumItemsT num_items, Decomposer decomposer, How... how) {
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out, num_items,
                   how_to_sort<KeyT>(sort_order::descending, decomposer, how...));
  }
  template <class KeyT, class NumItemsT, decomposes<KeyT> Decomposer>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        DoubleBuffer<KeyT>& d_keys, NumItemsT num_items, Decomposer decomposer,
                                        How... how) {
    DoubleBuffer<NullType> d_values;
    return sort_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items,
                   how_to_sort<KeyT>(sort_order::descending, decomposer, how...));
  }
};

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceRadixSort. After the number of items come begin_bit, end_bit and the stream, each with a default; or a
/// decomposer, then both bits or none, then the stream or not.
struct DeviceRadixSort
    : detail::overloads_of<detail::radix_sorts<>, detail::radix_sorts<int>, detail::radix_sorts<int, int>,
                           detail::radix_sorts<int, int, cudaStream_t>, detail::decomposed_radix_sorts<>,
                           detail::decomposed_radix_sorts<cudaStream_t>, detail::decomposed_radix_sorts<int, int>,
                           detail::decomposed_radix_sorts<int, int, cudaStream_t>> {};

/// As cub::DeviceMerge, but stable: of equal keys those of the first sequence come first, each in their order.
struct DeviceMerge {
  /// Two sorted sequences as one.
  template <class KeyIteratorIn1, class KeyIteratorIn2, class KeyIteratorOut, class CompareOp = less>
  static cudaError_t MergeKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIteratorIn1 keys_in1,
                               std::int64_t num_keys1, KeyIteratorIn2 keys_in2, std::int64_t num_keys2,
                               KeyIteratorOut keys_out, CompareOp compare_op = {}, cudaStream_t stream = nullptr) {
    const std::size_t needed =
        merge_keys_workspace_bytes(keys_in1, keys_in2, keys_out, num_keys1, num_keys2, compare_op);
    return detail::scan_in(d_temp_storage, temp_storage_bytes, needed, [&](workspace w) {
      return merge_keys(w, keys_in1, keys_in2, keys_out, num_keys1, num_keys2, compare_op, stream);
    });
  }

  /// Two sorted sequences as one, with their values.
  template <class KeyIteratorIn1, class ValueIteratorIn1, class KeyIteratorIn2, class ValueIteratorIn2,
            class KeyIteratorOut, class ValueIteratorOut, class CompareOp = less>
  static cudaError_t MergePairs(void* d_temp_storage, std::size_t& temp_storage_bytes, KeyIteratorIn1 keys_in1,
                                ValueIteratorIn1 values_in1, std::int64_t num_pairs1, KeyIteratorIn2 keys_in2,
                                ValueIteratorIn2 values_in2, std::int64_t num_pairs2, KeyIteratorOut keys_out,
                                ValueIteratorOut values_out, CompareOp compare_op = {}, cudaStream_t stream = nullptr) {
    const std::size_t needed = merge_pairs_workspace_bytes(keys_in1, keys_in2, keys_out, values_in1, values_in2,
                                                           values_out, num_pairs1, num_pairs2, compare_op);
    return detail::scan_in(d_temp_storage, temp_storage_bytes, needed, [&](workspace w) {
      return merge_pairs(w, keys_in1, keys_in2, keys_out, values_in1, values_in2, values_out, num_pairs1, num_pairs2,
                         compare_op, stream);
    });
  }

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  template <class KeyIteratorIn1, class KeyIteratorIn2, class KeyIteratorOut, class CompareOp = less,
            class EnvT = detail::no_environment>
  requires(std::is_class_v<EnvT> && !std::is_integral_v<CompareOp>) [[nodiscard]] static cudaError_t
      MergeKeys(KeyIteratorIn1 keys_in1, std::int64_t num_keys1, KeyIteratorIn2 keys_in2, std::int64_t num_keys2,
                KeyIteratorOut keys_out, CompareOp compare_op = {}, const EnvT& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return MergeKeys(storage, bytes, keys_in1, num_keys1, keys_in2, num_keys2, keys_out, compare_op, stream);
    });
  }
  template <class KeyIteratorIn1, class ValueIteratorIn1, class KeyIteratorIn2, class ValueIteratorIn2,
            class KeyIteratorOut, class ValueIteratorOut, class CompareOp = less, class EnvT = detail::no_environment>
  requires(std::is_class_v<EnvT>) [[nodiscard]] static cudaError_t
      MergePairs(KeyIteratorIn1 keys_in1, ValueIteratorIn1 values_in1, std::int64_t num_pairs1, KeyIteratorIn2 keys_in2,
                 ValueIteratorIn2 values_in2, std::int64_t num_pairs2, KeyIteratorOut keys_out,
                 ValueIteratorOut values_out, CompareOp compare_op = {}, const EnvT& env = {}) {
    return detail::in_memory_of(env, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return MergePairs(storage, bytes, keys_in1, values_in1, num_pairs1, keys_in2, values_in2, num_pairs2, keys_out,
                        values_out, compare_op, stream);
    });
  }
#endif
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
