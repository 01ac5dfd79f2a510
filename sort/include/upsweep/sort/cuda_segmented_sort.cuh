// CUB's names for sorts of the segments of an array of device memory; part of drop_in.cuh. Their bounds are pointers or
// random-access iterators of device memory.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/drop_in.cuh"
#include "upsweep/sort/cuda_double_buffer.cuh"
#include "upsweep/sort/segmented_sort.cuh"

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

template <class Key, class Value, class Begins, class Ends>
cudaError_t sort_segments_in(void* storage, std::size_t& bytes, const Key* keys_in, Key* keys_out,
                             const Value* values_in, Value* values_out, std::int64_t n, std::int64_t segments,
                             Begins begins, Ends ends, const sort_how<sort_order>& how) {
  if constexpr (std::is_same_v<Value, NullType>) {
    const std::size_t needed =
        segmented_sort_keys_workspace_bytes(keys_in, keys_out, begins, ends, n, segments, how.order, how.bits);
    return scan_in(storage, bytes, needed, [&](workspace w) {
      return segmented_sort_keys(w, keys_in, keys_out, begins, ends, n, segments, how.order, how.bits, how.stream);
    });
  } else {
    const std::size_t needed = segmented_sort_pairs_workspace_bytes(keys_in, keys_out, values_in, values_out, begins,
                                                                    ends, n, segments, how.order, how.bits);
    return scan_in(storage, bytes, needed, [&](workspace w) {
      return segmented_sort_pairs(w, keys_in, keys_out, values_in, values_out, begins, ends, n, segments, how.order,
                                  how.bits, how.stream);
    });
  }
}

/// From the current arrays to the others, which then are the current ones.
template <class Key, class Value, class Begins, class Ends>
cudaError_t sort_segments_in(void* storage, std::size_t& bytes, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,
                             std::int64_t n, std::int64_t segments, Begins begins, Ends ends,
                             const sort_how<sort_order>& how) {
  const Key* const keys_in = keys.Current();
  const Value* const values_in = values.Current();
  const cudaError_t e = sort_segments_in(storage, bytes, keys_in, keys.Alternate(), values_in, values.Alternate(), n,
                                         segments, begins, ends, how);
  if (storage != nullptr && e == cudaSuccess) {
    keys.selector ^= 1;
    values.selector ^= 1;
  }
  return e;
}

/// Behind the bounds stands How.
template <class... How>
struct segment_sorts {
  template <class KeyT, class Begins, class Ends>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                              KeyT* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                              Begins d_begin_offsets, Ends d_end_offsets, How... how) {
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out,
                            num_items, num_segments, d_begin_offsets, d_end_offsets,
                            how_to_sort<KeyT>(sort_order::ascending, how...));
  }
  template <class KeyT, class Begins, class Ends>
  static cudaError_t SortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                              std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                              Ends d_end_offsets, How... how) {
    DoubleBuffer<NullType> d_values;
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, num_segments,
                            d_begin_offsets, d_end_offsets, how_to_sort<KeyT>(sort_order::ascending, how...));
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                               KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out,
                               std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                               Ends d_end_offsets, How... how) {
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                            num_items, num_segments, d_begin_offsets, d_end_offsets,
                            how_to_sort<KeyT>(sort_order::ascending, how...));
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t SortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                               DoubleBuffer<ValueT>& d_values, std::int64_t num_items, std::int64_t num_segments,
                               Begins d_begin_offsets, Ends d_end_offsets, How... how) {
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, num_segments,
                            d_begin_offsets, d_end_offsets, how_to_sort<KeyT>(sort_order::ascending, how...));
  }

  template <class KeyT, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                        KeyT* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                                        Begins d_begin_offsets, Ends d_end_offsets, How... how) {
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, no_values_in, no_values_out,
                            num_items, num_segments, d_begin_offsets, d_end_offsets,
                            how_to_sort<KeyT>(sort_order::descending, how...));
  }
  template <class KeyT, class Begins, class Ends>
  static cudaError_t SortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        DoubleBuffer<KeyT>& d_keys, std::int64_t num_items, std::int64_t num_segments,
                                        Begins d_begin_offsets, Ends d_end_offsets, How... how) {
    DoubleBuffer<NullType> d_values;
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, num_segments,
                            d_begin_offsets, d_end_offsets, how_to_sort<KeyT>(sort_order::descending, how...));
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                         KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out,
                                         std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                         Ends d_end_offsets, How... how) {
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                            num_items, num_segments, d_begin_offsets, d_end_offsets,
                            how_to_sort<KeyT>(sort_order::descending, how...));
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t SortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                         DoubleBuffer<KeyT>& d_keys, DoubleBuffer<ValueT>& d_values,
                                         std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                         Ends d_end_offsets, How... how) {
    return sort_segments_in(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, num_segments,
                            d_begin_offsets, d_end_offsets, how_to_sort<KeyT>(sort_order::descending, how...));
  }
};

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceSegmentedSort.
struct DeviceSegmentedSort : detail::overloads_of<detail::segment_sorts<>, detail::segment_sorts<cudaStream_t>> {
  // All are stable.
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                    KeyT* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                                    Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortKeys(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, num_items, num_segments, d_begin_offsets,
                    d_end_offsets, stream);
  }
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                                    std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                    Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortKeys(d_temp_storage, temp_storage_bytes, d_keys, num_items, num_segments, d_begin_offsets, d_end_offsets,
                    stream);
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t StableSortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                     KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out,
                                     std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                     Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortPairs(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items,
                     num_segments, d_begin_offsets, d_end_offsets, stream);
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t StableSortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                                     DoubleBuffer<ValueT>& d_values, std::int64_t num_items, std::int64_t num_segments,
                                     Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortPairs(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, num_segments, d_begin_offsets,
                     d_end_offsets, stream);
  }
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              const KeyT* d_keys_in, KeyT* d_keys_out, std::int64_t num_items,
                                              std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                              cudaStream_t stream = nullptr) {
    return SortKeysDescending(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, num_items, num_segments,
                              d_begin_offsets, d_end_offsets, stream);
  }
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              DoubleBuffer<KeyT>& d_keys, std::int64_t num_items,
                                              std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                              cudaStream_t stream = nullptr) {
    return SortKeysDescending(d_temp_storage, temp_storage_bytes, d_keys, num_items, num_segments, d_begin_offsets,
                              d_end_offsets, stream);
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t StableSortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                               const KeyT* d_keys_in, KeyT* d_keys_out, const ValueT* d_values_in,
                                               ValueT* d_values_out, std::int64_t num_items, std::int64_t num_segments,
                                               Begins d_begin_offsets, Ends d_end_offsets,
                                               cudaStream_t stream = nullptr) {
    return SortPairsDescending(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                               num_items, num_segments, d_begin_offsets, d_end_offsets, stream);
  }
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t StableSortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                               DoubleBuffer<KeyT>& d_keys, DoubleBuffer<ValueT>& d_values,
                                               std::int64_t num_items, std::int64_t num_segments,
                                               Begins d_begin_offsets, Ends d_end_offsets,
                                               cudaStream_t stream = nullptr) {
    return SortPairsDescending(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, num_segments,
                               d_begin_offsets, d_end_offsets, stream);
  }
};

/// As cub::DeviceSegmentedRadixSort, but for the zeros of floats in a descending sort by bits without the highest: they
/// stand where cub::DeviceRadixSort has them.
struct DeviceSegmentedRadixSort
    : detail::overloads_of<detail::segment_sorts<>, detail::segment_sorts<int>, detail::segment_sorts<int, int>,
                           detail::segment_sorts<int, int, cudaStream_t>> {};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
