// CUB's names for the scan of device memory: signatures and results are those of cub::DeviceScan 3.0.1, and of
// cub::DeviceSegmentedScan 3.5 (cuda_segmented_scan.cuh), so that
//
//   namespace cub = upsweep::drop_in;
//
// is all that a program changes (another name for the namespace where a header of CUB or Thrust is included too).
//
// Storage comes in two phases: with d_temp_storage == nullptr a call writes the bytes that it needs, at least 1, to
// temp_storage_bytes and returns; no GPU is needed. It differs from CUB where that leaves a call undefined: less than 0
// items, null pointers, and arrays that overlap but are not the same are cudaErrorInvalidValue. Of an output for
// selected items, only the first item is checked for overlaps. Two things do not compile here that do with CUB: a
// FutureValue by key, and keys and sums of types that are not trivially copyable.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/cuda_storage.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/scan.cuh"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/simt/iterator_traits.hpp"

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// An init that is read from memory when the scan runs.
template <class T, class IterT = T*>
class FutureValue {
 public:
  /// The type of the init.
  using value_type = T;
  /// The type of the iterator at which it is read.
  using iterator_type = IterT;

  /// The init is *iter, which is read when the scan runs.
  UPSWEEP_HOST_DEVICE explicit FutureValue(IterT iter) : iter_(iter) {}
  /// The init, read now.
  UPSWEEP_HOST_DEVICE operator T() const { return *iter_; }
  friend device_value<T, IterT> init_of(FutureValue f) { return {f.iter_}; }

 private:
  IterT iter_;
};
/// FutureValue{iterator}, of the type of its item.
template <class IterT>
FutureValue(IterT) -> FutureValue<typename std::iterator_traits<IterT>::value_type, IterT>;

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

/// As cuda::std::plus<>: small integers are summed as int.
struct sum {
  template <class A, class B>
  UPSWEEP_HOST_DEVICE auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};

/// Where items and results are numbers of one type, sums need no more bits than these.
template <class In, class Out, class Item = typename std::iterator_traits<In>::value_type>
using sum_of = std::conditional_t<std::is_arithmetic_v<Item> && std::is_same_v<Out, Item*>, plus, sum>;

template <class Init>
Init init_of(Init init) {
  return init;
}

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI {

/// As cub::DeviceScan.
struct DeviceScan {
  /// The sums of the items before each one.
  template <class InputIteratorT, class OutputIteratorT, class NumItemsT>
  static cudaError_t ExclusiveSum(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                                  OutputIteratorT d_out, NumItemsT num_items, cudaStream_t stream = 0) {
    using init = typename std::iterator_traits<InputIteratorT>::value_type;
    return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out,
                         detail::sum_of<InputIteratorT, OutputIteratorT>{}, init{}, num_items, stream);
  }
  /// The sums of the items before each one, in place.
  template <class IteratorT, class NumItemsT>
  static cudaError_t ExclusiveSum(void* d_temp_storage, std::size_t& temp_storage_bytes, IteratorT d_data,
                                  NumItemsT num_items, cudaStream_t stream = 0) {
    return ExclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
  }

  /// init_value: a value, or a FutureValue.
  template <class InputIteratorT, class OutputIteratorT, class ScanOpT, class InitValueT, class NumItemsT>
  static cudaError_t ExclusiveScan(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                                   OutputIteratorT d_out, ScanOpT scan_op, InitValueT init_value, NumItemsT num_items,
                                   cudaStream_t stream = 0) {
    using detail::init_of;
    const auto init = init_of(init_value);
    const std::int64_t n = detail::count_of(num_items);
    return detail::scan_in(
        d_temp_storage, temp_storage_bytes, exclusive_scan_workspace_bytes(d_in, d_out, n, scan_op, init),
        [&](workspace w) { return upsweep::exclusive_scan(w, d_in, d_out, n, scan_op, init, stream); });
  }
  /// The items before each one, combined by scan_op, in place.
  template <class IteratorT, class ScanOpT, class InitValueT, class NumItemsT>
  static cudaError_t ExclusiveScan(void* d_temp_storage, std::size_t& temp_storage_bytes, IteratorT d_data,
                                   ScanOpT scan_op, InitValueT init_value, NumItemsT num_items,
                                   cudaStream_t stream = 0) {
    return ExclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, init_value, num_items, stream);
  }

  /// The sums of the items up to and with each one.
  template <class InputIteratorT, class OutputIteratorT, class NumItemsT>
  static cudaError_t InclusiveSum(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                                  OutputIteratorT d_out, NumItemsT num_items, cudaStream_t stream = 0) {
    return InclusiveScan(d_temp_storage, temp_storage_bytes, d_in, d_out,
                         detail::sum_of<InputIteratorT, OutputIteratorT>{}, num_items, stream);
  }
  /// The sums of the items up to and with each one, in place.
  template <class IteratorT, class NumItemsT>
  static cudaError_t InclusiveSum(void* d_temp_storage, std::size_t& temp_storage_bytes, IteratorT d_data,
                                  NumItemsT num_items, cudaStream_t stream = 0) {
    return InclusiveSum(d_temp_storage, temp_storage_bytes, d_data, d_data, num_items, stream);
  }

  /// The items up to and with each one, combined by scan_op.
  template <class InputIteratorT, class OutputIteratorT, class ScanOpT, class NumItemsT>
  static cudaError_t InclusiveScan(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                                   OutputIteratorT d_out, ScanOpT scan_op, NumItemsT num_items,
                                   cudaStream_t stream = 0) {
    const std::int64_t n = detail::count_of(num_items);
    return detail::scan_in(d_temp_storage, temp_storage_bytes, inclusive_scan_workspace_bytes(d_in, d_out, n, scan_op),
                           [&](workspace w) { return upsweep::inclusive_scan(w, d_in, d_out, n, scan_op, stream); });
  }
  /// The items up to and with each one, combined by scan_op, in place.
  template <class IteratorT, class ScanOpT, class NumItemsT>
  static cudaError_t InclusiveScan(void* d_temp_storage, std::size_t& temp_storage_bytes, IteratorT d_data,
                                   ScanOpT scan_op, NumItemsT num_items, cudaStream_t stream = 0) {
    return InclusiveScan(d_temp_storage, temp_storage_bytes, d_data, d_data, scan_op, num_items, stream);
  }

  /// An init value and the items up to and with each one, combined by scan_op.
  template <class InputIteratorT, class OutputIteratorT, class ScanOpT, class InitValueT, class NumItemsT>
  static cudaError_t InclusiveScanInit(void* d_temp_storage, std::size_t& temp_storage_bytes, InputIteratorT d_in,
                                       OutputIteratorT d_out, ScanOpT scan_op, InitValueT init_value,
                                       NumItemsT num_items, cudaStream_t stream = 0) {
    using detail::init_of;
    const auto init = init_of(init_value);
    const std::int64_t n = detail::count_of(num_items);
    return detail::scan_in(
        d_temp_storage, temp_storage_bytes, exclusive_scan_workspace_bytes(d_in, d_out, n, scan_op, init),
        [&](workspace w) { return upsweep::inclusive_scan_init(w, d_in, d_out, n, scan_op, init, stream); });
  }

  // By key d_values_out may be d_values_in, and d_keys_in.

  /// The sums of the items before each one in its run of equal keys.
  template <class KeysInputIteratorT, class ValuesInputIteratorT, class ValuesOutputIteratorT,
            class EqualityOpT = equal_to, class NumItemsT = std::uint32_t>
  static cudaError_t ExclusiveSumByKey(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                       KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
                                       ValuesOutputIteratorT d_values_out, NumItemsT num_items,
                                       EqualityOpT equality_op = EqualityOpT(), cudaStream_t stream = 0) {
    using init = typename std::iterator_traits<ValuesInputIteratorT>::value_type;
    return ExclusiveScanByKey(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in, d_values_out,
                              detail::sum_of<ValuesInputIteratorT, ValuesOutputIteratorT>{}, init{}, num_items,
                              equality_op, stream);
  }

  /// The items before each one in its run of equal keys, combined by scan_op.
  template <class KeysInputIteratorT, class ValuesInputIteratorT, class ValuesOutputIteratorT, class ScanOpT,
            class InitValueT, class EqualityOpT = equal_to, class NumItemsT = std::uint32_t>
  static cudaError_t ExclusiveScanByKey(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
                                        ValuesOutputIteratorT d_values_out, ScanOpT scan_op, InitValueT init_value,
                                        NumItemsT num_items, EqualityOpT equality_op = EqualityOpT(),
                                        cudaStream_t stream = 0) {
    using detail::init_of;
    static_assert(std::is_same_v<decltype(init_of(init_value)), InitValueT>, "by key, init is a value");
    const std::int64_t n = detail::count_of(num_items);
    return detail::scan_in(
        d_temp_storage, temp_storage_bytes,
        exclusive_scan_by_key_workspace_bytes(d_keys_in, d_values_in, d_values_out, n, scan_op, init_value),
        [&](workspace w) {
          return upsweep::exclusive_scan_by_key(w, d_keys_in, d_values_in, d_values_out, n, scan_op, init_value,
                                                equality_op, stream);
        });
  }

  /// The sums of the items up to and with each one in its run of equal keys.
  template <class KeysInputIteratorT, class ValuesInputIteratorT, class ValuesOutputIteratorT,
            class EqualityOpT = equal_to, class NumItemsT = std::uint32_t>
  static cudaError_t InclusiveSumByKey(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                       KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
                                       ValuesOutputIteratorT d_values_out, NumItemsT num_items,
                                       EqualityOpT equality_op = EqualityOpT(), cudaStream_t stream = 0) {
    return InclusiveScanByKey(d_temp_storage, temp_storage_bytes, d_keys_in, d_values_in, d_values_out,
                              detail::sum_of<ValuesInputIteratorT, ValuesOutputIteratorT>{}, num_items, equality_op,
                              stream);
  }

  /// The items up to and with each one in its run of equal keys, combined by scan_op.
  template <class KeysInputIteratorT, class ValuesInputIteratorT, class ValuesOutputIteratorT, class ScanOpT,
            class EqualityOpT = equal_to, class NumItemsT = std::uint32_t>
  static cudaError_t InclusiveScanByKey(void* d_temp_storage, std::size_t& temp_storage_bytes,
                                        KeysInputIteratorT d_keys_in, ValuesInputIteratorT d_values_in,
                                        ValuesOutputIteratorT d_values_out, ScanOpT scan_op, NumItemsT num_items,
                                        EqualityOpT equality_op = EqualityOpT(), cudaStream_t stream = 0) {
    const std::int64_t n = detail::count_of(num_items);
    return detail::scan_in(d_temp_storage, temp_storage_bytes,
                           inclusive_scan_by_key_workspace_bytes(d_keys_in, d_values_in, d_values_out, n, scan_op),
                           [&](workspace w) {
                             return upsweep::inclusive_scan_by_key(w, d_keys_in, d_values_in, d_values_out, n, scan_op,
                                                                   equality_op, stream);
                           });
  }
};

}  // namespace upsweep::drop_in::inline UPSWEEP_CUDA_ABI

#include "upsweep/scan/cuda_segmented_scan.cuh"  // which needs what is above
