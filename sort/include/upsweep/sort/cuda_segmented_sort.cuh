// CUB's names for sorts of the segments of an array of device memory; part of drop_in.cuh. Their bounds are pointers or
// random-access iterators of device memory.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "upsweep/scan/cuda_storage.cuh"
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

/// After the bounds comes How.
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

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
template <class T>
inline constexpr bool is_double_buffer = false;
template <class T>
inline constexpr bool is_double_buffer<DoubleBuffer<T>> = true;

/// The first arguments of a call that brings no storage.
template <class First, class Second>
concept arrays_come_first = is_double_buffer<std::remove_cvref_t<First>> ||
    (std::is_pointer_v<std::remove_cvref_t<First>>&& std::is_pointer_v<std::remove_cvref_t<Second>>);

/// Whether T, the last argument of a call, says by which stream and memory: an environment, or a stream.
template <class T>
inline constexpr bool is_environment = std::is_class_v<T> || std::is_same_v<T, cudaStream_t>;

/// Both phases of call(storage, bytes, more...) in the memory of an environment. After the `Given` first of `rest`
/// there may be an environment or a stream, the last of all; the stream takes its place.
template <std::size_t Given, class Call, class... Rest>
cudaError_t with_environment(Call call, const Rest&... rest) {
  constexpr std::size_t all = sizeof...(Rest);
  if constexpr (all > Given && is_environment<std::tuple_element_t<all - 1, std::tuple<Rest...>>>) {
    const auto given = std::tie(rest...);
    return in_memory_of(std::get<all - 1>(given), [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
      return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return call(storage, bytes, std::get<I>(given)..., stream);
      }
      (std::make_index_sequence<all - 1>{});
    });
  } else {
    return in_memory_of(no_environment{},
                        [&](void* storage, std::size_t& bytes, cudaStream_t) { return call(storage, bytes, rest...); });
  }
}

/// The calls of Sorts without storage. After the bounds comes what Sorts take there, with an environment where they
/// take a stream.
template <class Sorts>
struct sorts_by_environment {
  template <class First, class Second, class... Rest>
  requires(arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      SortKeys(First&& first, Second&& second, const Rest&... rest) {
    const auto call = [&](void* w, std::size_t& b, const auto&... more) {
      return Sorts::SortKeys(w, b, first, second, more...);
    };
    return with_environment<of_keys<First>>(call, rest...);
  }
  template <class First, class Second, class... Rest>
  requires(arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      SortKeysDescending(First&& first, Second&& second, const Rest&... rest) {
    const auto call = [&](void* w, std::size_t& b, const auto&... more) {
      return Sorts::SortKeysDescending(w, b, first, second, more...);
    };
    return with_environment<of_keys<First>>(call, rest...);
  }
  template <class First, class Second, class... Rest>
  requires(arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      SortPairs(First&& first, Second&& second, const Rest&... rest) {
    const auto call = [&](void* w, std::size_t& b, const auto&... more) {
      return Sorts::SortPairs(w, b, first, second, more...);
    };
    return with_environment<of_pairs<First>>(call, rest...);
  }
  template <class First, class Second, class... Rest>
  requires(arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      SortPairsDescending(First&& first, Second&& second, const Rest&... rest) {
    const auto call = [&](void* w, std::size_t& b, const auto&... more) {
      return Sorts::SortPairsDescending(w, b, first, second, more...);
    };
    return with_environment<of_pairs<First>>(call, rest...);
  }

 private:
  // After the first two arguments come other arrays, both counts and both bounds.
  template <class First>
  static constexpr std::size_t of_keys = is_double_buffer<std::remove_cvref_t<First>> ? 3 : 4;
  template <class First>
  static constexpr std::size_t of_pairs = is_double_buffer<std::remove_cvref_t<First>> ? 4 : 6;
};

/// With storage and without.
template <class... Sorts>
struct segmented_overloads_of : overloads_of<Sorts...>, sorts_by_environment<overloads_of<Sorts...>> {
  using with_storage = overloads_of<Sorts...>;
  using without_storage = sorts_by_environment<overloads_of<Sorts...>>;
  using with_storage::SortKeys;
  using with_storage::SortKeysDescending;
  using with_storage::SortPairs;
  using with_storage::SortPairsDescending;
  using without_storage::SortKeys;
  using without_storage::SortKeysDescending;
  using without_storage::SortPairs;
  using without_storage::SortPairsDescending;
};
#else
template <class... Sorts>
using segmented_overloads_of = overloads_of<Sorts...>;
#endif

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceSegmentedSort.
struct DeviceSegmentedSort
    : detail::segmented_overloads_of<detail::segment_sorts<>, detail::segment_sorts<cudaStream_t>> {
  // All are stable.
#if defined(UPSWEEP_HAS_ENVIRONMENTS)
  template <class First, class Second, class... Rest>
  requires(detail::arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      StableSortKeys(First&& first, Second&& second, const Rest&... rest) {
    return SortKeys(first, second, rest...);
  }
  template <class First, class Second, class... Rest>
  requires(detail::arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      StableSortKeysDescending(First&& first, Second&& second, const Rest&... rest) {
    return SortKeysDescending(first, second, rest...);
  }
  template <class First, class Second, class... Rest>
  requires(detail::arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      StableSortPairs(First&& first, Second&& second, const Rest&... rest) {
    return SortPairs(first, second, rest...);
  }
  template <class First, class Second, class... Rest>
  requires(detail::arrays_come_first<First, Second>) [[nodiscard]] static cudaError_t
      StableSortPairsDescending(First&& first, Second&& second, const Rest&... rest) {
    return SortPairsDescending(first, second, rest...);
  }
#endif
  /// The keys of each segment, sorted.
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                    KeyT* d_keys_out, std::int64_t num_items, std::int64_t num_segments,
                                    Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortKeys(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, num_items, num_segments, d_begin_offsets,
                    d_end_offsets, stream);
  }
  /// The keys of each segment, sorted, between two arrays.
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeys(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                                    std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                    Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortKeys(d_temp_storage, temp_storage_bytes, d_keys, num_items, num_segments, d_begin_offsets, d_end_offsets,
                    stream);
  }
  /// The keys of each segment, sorted, with their values.
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t StableSortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, const KeyT* d_keys_in,
                                     KeyT* d_keys_out, const ValueT* d_values_in, ValueT* d_values_out,
                                     std::int64_t num_items, std::int64_t num_segments, Begins d_begin_offsets,
                                     Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortPairs(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items,
                     num_segments, d_begin_offsets, d_end_offsets, stream);
  }
  /// The keys of each segment, sorted, with their values, between two arrays.
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t StableSortPairs(void* d_temp_storage, std::size_t& temp_storage_bytes, DoubleBuffer<KeyT>& d_keys,
                                     DoubleBuffer<ValueT>& d_values, std::int64_t num_items, std::int64_t num_segments,
                                     Begins d_begin_offsets, Ends d_end_offsets, cudaStream_t stream = nullptr) {
    return SortPairs(d_temp_storage, temp_storage_bytes, d_keys, d_values, num_items, num_segments, d_begin_offsets,
                     d_end_offsets, stream);
  }
  /// The keys of each segment, sorted from the largest on.
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              const KeyT* d_keys_in, KeyT* d_keys_out, std::int64_t num_items,
                                              std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                              cudaStream_t stream = nullptr) {
    return SortKeysDescending(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, num_items, num_segments,
                              d_begin_offsets, d_end_offsets, stream);
  }
  /// The keys of each segment, sorted from the largest on, between two arrays.
  template <class KeyT, class Begins, class Ends>
  static cudaError_t StableSortKeysDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                              DoubleBuffer<KeyT>& d_keys, std::int64_t num_items,
                                              std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets,
                                              cudaStream_t stream = nullptr) {
    return SortKeysDescending(d_temp_storage, temp_storage_bytes, d_keys, num_items, num_segments, d_begin_offsets,
                              d_end_offsets, stream);
  }
  /// The keys of each segment, sorted from the largest on, with their values.
  template <class KeyT, class ValueT, class Begins, class Ends>
  static cudaError_t StableSortPairsDescending(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                               const KeyT* d_keys_in, KeyT* d_keys_out, const ValueT* d_values_in,
                                               ValueT* d_values_out, std::int64_t num_items, std::int64_t num_segments,
                                               Begins d_begin_offsets, Ends d_end_offsets,
                                               cudaStream_t stream = nullptr) {
    return SortPairsDescending(d_temp_storage, temp_storage_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out,
                               num_items, num_segments, d_begin_offsets, d_end_offsets, stream);
  }
  /// The keys of each segment, sorted from the largest on, with their values, between two arrays.
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

/// As cub::DeviceSegmentedRadixSort. One difference: in a descending sort of floats by bits without the highest, zeros
/// are where cub::DeviceRadixSort puts them.
struct DeviceSegmentedRadixSort
    : detail::segmented_overloads_of<detail::segment_sorts<>, detail::segment_sorts<int>,
                                     detail::segment_sorts<int, int>, detail::segment_sorts<int, int, cudaStream_t>> {};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI
