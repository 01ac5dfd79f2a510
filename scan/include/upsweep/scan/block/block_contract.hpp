// What every block algorithm answers.
//
// A block algorithm is a type with
//   static constexpr int threads;                          the block's threads, a multiple of 32
//   static constexpr block_algorithm name;
//   static constexpr std::int64_t operations(int valid);   what `scan` applies the operator, all threads together
//   template <class T> struct temp_storage;                shared memory
//   template <class Ctx, class T, class Op>
//   static block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid);
// `scan` is called by all threads with one value each; the first `valid` (1 to threads) count, and the operator runs on
// those alone. The operator is associative; it need not commute nor have an identity. A barrier is needed between the
// call and the next use of `s`.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Thread 0 has no exclusive prefix: its `exclusive` is unspecified. So is all of a thread's result but `aggregate`
/// when its value does not count.
template <class T>
struct block_scan_result {
  T exclusive;
  T inclusive;
  T aggregate;
};

/// A thread's result when x[0] to x[valid - 1] are the inclusive prefixes; `value` stands for what is unspecified.
template <class Array, class T>
UPSWEEP_DEVICE block_scan_result<T> result_from_prefixes(const Array& x, T value, int rank, int valid) {
  block_scan_result<T> result{value, value, x[valid - 1]};
  if (rank < valid) {
    result.inclusive = x[rank];
    if (rank > 0) result.exclusive = x[rank - 1];
  }
  return result;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::block_scan_result;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
