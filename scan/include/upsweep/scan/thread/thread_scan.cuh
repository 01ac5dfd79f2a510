// Serial reduction and scan of the items that one thread holds in registers.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/carry.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <int N, class T, class Op>
UPSWEEP_DEVICE T reduce_first(const T (&item)[N], int valid, Op op) {
  T total = item[0];
  UPSWEEP_UNROLL
  for (int i = 1; i < N; ++i) {
    if (i < valid) total = op(total, item[i]);
  }
  return total;
}

template <scan_kind Kind, int N, class T, class Op>
UPSWEEP_DEVICE void scan_first(T (&item)[N], int valid, carry<T> before, Op op) {
  UPSWEEP_UNROLL
  for (int i = 0; i < N; ++i) {
    if (i < valid) {
      const T inclusive = before.then(item[i], op);
      if constexpr (Kind == scan_kind::inclusive) {
        item[i] = inclusive;
      } else if (before.present) {
        item[i] = before.value;
      }
      before = {inclusive, true};
    }
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

// A thread that has all of its items, as nearly all threads do, looks at none of them whether it is valid.

/// item[0] op ... op item[valid - 1]; item[0] when valid is 0. N - 1 operations.
template <int N, class T, class Op>
UPSWEEP_DEVICE T thread_reduce(const T (&item)[N], int valid, Op op) {
  return valid >= N ? detail::reduce_first(item, N, op) : detail::reduce_first(item, valid, op);
}

/// Replaces each of the first `valid` items by its prefix after `before`. The first item's exclusive prefix is
/// `before`, and stays as it was when that is absent.
template <scan_kind Kind, int N, class T, class Op>
UPSWEEP_DEVICE void thread_scan(T (&item)[N], int valid, carry<T> before, Op op) {
  if (valid >= N) {
    detail::scan_first<Kind>(item, N, before, op);
  } else {
    detail::scan_first<Kind>(item, valid, before, op);
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
