// A row of a few columns as one item, so that the columns are scanned together: as one array of rows.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/right_identity.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// One item of each of N columns.
template <class T, int N>
struct row_of_items {
  T item[N];
};

/// Op, column by column.
template <class Op>
struct row_op {
  mutable Op op;  // its call need not be const

  template <class T, int N>
  UPSWEEP_DEVICE row_of_items<T, N> operator()(const row_of_items<T, N>& a, const row_of_items<T, N>& b) const {
    row_of_items<T, N> c;
    UPSWEEP_UNROLL
    for (int i = 0; i < N; ++i) c.item[i] = static_cast<T>(op(a.item[i], b.item[i]));
    return c;
  }
};

template <class Op, class T, int N>
inline constexpr bool sums_in_any_order<row_op<Op>, row_of_items<T, N>> = sums_in_any_order<Op, T>;
template <class Op, class T, int N>
inline constexpr bool has_right_identity<row_op<Op>, row_of_items<T, N>> = has_right_identity<Op, T>;
template <class Op, class T, int N>
struct right_identity_of<row_op<Op>, row_of_items<T, N>> {
  UPSWEEP_HOST_DEVICE static constexpr row_of_items<T, N> value() {
    row_of_items<T, N> row{};
    for (T& item : row.item) item = right_identity<Op, T>();
    return row;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
