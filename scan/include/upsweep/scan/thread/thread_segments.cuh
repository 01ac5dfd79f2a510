// Serial reduction and scan of the items that one thread holds in registers, where some of them begin a segment.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/carry.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a stretch of items hands to the items after it: their sum from the last head on, or that of all of them where
/// none is a head.
template <class T>
struct segment_sum {
  T value;
  bool has_head;
};

/// Adjoins stretches: sums do not reach over a head. Associative as Op is.
template <class Op>
struct segment_op {
  mutable Op op;  // its call need not be const

  template <class T>
  UPSWEEP_DEVICE segment_sum<T> operator()(const segment_sum<T>& a, const segment_sum<T>& b) const {
    return {b.has_head ? b.value : static_cast<T>(op(a.value, b.value)), a.has_head || b.has_head};
  }
};

/// Bit i of `heads` says whether item i begins a segment. In an exclusive scan init comes before each segment, in
/// an inclusive one nothing.
template <scan_kind Kind, class T, class Op>
struct thread_segments {
  lane_mask heads;
  T init;
  mutable Op op;

  /// Of the first `valid` items; of item[0] when valid is 0 or less.
  template <int N>
  UPSWEEP_DEVICE segment_sum<T> reduce(const T (&item)[N], int valid) const {
    return {valid >= N ? sum_of(item, N) : sum_of(item, valid), heads != 0};
  }

  /// Replaces each of the first `valid` items by its prefix. `before`: the prefix of item[0], of no meaning where that
  /// is a head.
  template <int N>
  UPSWEEP_DEVICE void scan(T (&item)[N], int valid, const T& before) const {
    if (valid >= N) {
      scan_first(item, N, before);
    } else {
      scan_first(item, valid, before);
    }
  }

 private:
  UPSWEEP_DEVICE bool is_head(int i) const { return (heads >> i & 1) != 0; }

  template <int N>
  UPSWEEP_DEVICE T sum_of(const T (&item)[N], int valid) const {
    T sum = item[0];
    UPSWEEP_UNROLL
    for (int i = 0; i < N; ++i) {
      if (i >= valid) continue;
      if (is_head(i)) {
        sum = Kind == scan_kind::exclusive ? static_cast<T>(op(init, item[i])) : item[i];
      } else if (i > 0) {
        sum = op(sum, item[i]);
      }
    }
    return sum;
  }

  template <int N>
  UPSWEEP_DEVICE void scan_first(T (&item)[N], int valid, T sum) const {
    UPSWEEP_UNROLL
    for (int i = 0; i < N; ++i) {
      if (i >= valid) continue;
      if constexpr (Kind == scan_kind::inclusive) {
        item[i] = sum = is_head(i) ? item[i] : static_cast<T>(op(sum, item[i]));
      } else {
        const T before = is_head(i) ? init : sum;
        sum = op(before, item[i]);
        item[i] = before;
      }
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_ABI {
template <class T>
inline constexpr bool is_bitwise_copyable<detail::segment_sum<T>> = is_bitwise_copyable<T>;
}  // namespace upsweep::inline UPSWEEP_ABI
