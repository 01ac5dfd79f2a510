// The default scan along an axis: for each shape the way that was fastest on an H100, or of columns on an H200
// (docs/lab/axis_scan.md).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "upsweep/scan/array_axis.hpp"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/axis_lookback.cuh"
#include "upsweep/scan/device/axis_strips.cuh"
#include "upsweep/scan/device/default_scan.cuh"
#include "upsweep/scan/device/scan_of_rows.cuh"
#include "upsweep/scan/device/segmented_lookback.cuh"
#include "upsweep/scan/row_of_items.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

enum class axis_way { whole_array, rows, columns };

/// How an array of items() > 0 items is scanned: as one scan where all of it is one row, forward; by tiles of columns
/// where a line's items lie apart; else as segments of one length.
constexpr axis_way axis_way_of(const array_axis& axis) {
  if (axis.inner > 1) return axis_way::columns;
  return axis.outer == 1 && !axis.is_backward ? axis_way::whole_array : axis_way::rows;
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Items from `first` on, `step` apart: so that one kernel goes in both directions.
template <class It>
struct directed_items {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_cvref_t<decltype(std::declval<It>()[0])>;
  using difference_type = std::int64_t;
  using pointer = void;
  using reference = decltype(std::declval<It>()[0]);

  It items;
  std::int64_t first, step;

  UPSWEEP_DEVICE decltype(auto) operator[](std::int64_t i) const { return items[first + i * step]; }
  UPSWEEP_DEVICE directed_items operator+(std::int64_t i) const { return {items, first + i * step, step}; }
};

/// A policy of scans along an axis: Whole of an array that is one row, and Few of one whose rows have 8, 12 or 16
/// bytes; Rows of rows, or WideRows where sums have more than 4 bytes, Strips of the columns that suit it, Columns of
/// all else.
template <class Columns, class Strips, class Rows, class WideRows, class Whole, class Few = Whole>
struct axis_by_shape {
  template <class T, class In, class Out>
  static std::size_t workspace_bytes(const array_axis& axis) {
    switch (axis_way_of(axis)) {
      case axis_way::whole_array:
        return Whole::template workspace_bytes<T, In, Out>(axis.length);
      case axis_way::rows:
        return rows_of<T>::template rows_workspace_bytes<T>(axis.items());
      default:
        return as_rows<T, In, Out>(
            axis, [&]<class Row>(Row) { return few_workspace_bytes<Row>(rows_as_items(axis)); },
            [&] {
              return Strips::template suits<T>(axis) ? Strips::template workspace_bytes<T, In, Out>(axis)
                                                     : Columns::template workspace_bytes<T, In, Out>(axis);
            });
    }
  }

  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, const array_axis& axis, Op op, carry<T> init) {
    const std::int64_t n = axis.items();
    switch (axis_way_of(axis)) {
      case axis_way::whole_array:
        return Whole::template run<Kind, T>(ex, w, in, out, n, op, init);
      case axis_way::rows:
        return run_rows<Kind>(ex, w, in, out, n, axis, op, init.value);
      default:
        return as_rows<T, In, Out>(
            axis, [&]<class Row>(Row) { return run_few<Kind, Row>(ex, w, in, out, axis, op, init); },
            [&] {
              if constexpr (Strips::template takes<T>) {
                if (Strips::template suits<T>(axis)) {
                  return Strips::template run<Kind, T>(ex, w, in, out, axis, op, init);
                }
              }
              return Columns::template run<Kind, T>(ex, w, in, out, axis, op, init);
            });
    }
  }

  template <class T>
  static constexpr axis_tiling tiling(const array_axis& axis) {
    return Columns::template tiling<T>(axis);
  }

 private:
  template <class T, int Bytes>
  using row = row_of_items<T, Bytes / static_cast<int>(sizeof(T))>;
  /// Arrays of the type that is summed, of which two to four items, or more in 8 bytes, are taken as a row.
  template <class T, class In, class Out, int Bytes>
  static constexpr bool may_be_few =
      2 * sizeof(T) <= Bytes&& Bytes % sizeof(T) == 0 &&
      (Bytes == 8 || Bytes <= 4 * sizeof(T)) && is_array_of<In, T>&& is_array_of<Out, T>&& is_bitwise_copyable<T>;
  /// One slice, forward; of rows of 8 bytes also others, but not long lines of large arrays.
  template <class T, int Bytes>
  static constexpr bool are_few(const array_axis& axis) {
    constexpr std::int64_t short_line = 4096, few_rows = std::int64_t{1} << 23;
    const array_axis rows = rows_as_items(axis);
    return axis.inner * static_cast<std::int64_t>(sizeof(T)) == Bytes &&
           (axis_way_of(rows) == axis_way::whole_array ||
            (Bytes == 8 && (rows.length <= short_line || rows.items() <= few_rows)));
  }
  static constexpr array_axis rows_as_items(const array_axis& axis) {
    return {axis.outer, axis.length, 1, axis.is_backward};
  }
  /// f of a row of the array where its rows are items, else otherwise().
  template <class T, class In, class Out, int Bytes = 8, class F, class Otherwise>
  static auto as_rows(const array_axis& axis, F f, Otherwise otherwise) {
    if constexpr (may_be_few<T, In, Out, Bytes>) {
      if (are_few<T, Bytes>(axis)) return f(row<T, Bytes>{});
    }
    if constexpr (Bytes < 16) {
      return as_rows<T, In, Out, Bytes + 4>(axis, f, otherwise);
    } else {
      return otherwise();
    }
  }
  template <class Row>
  static std::size_t few_workspace_bytes(const array_axis& rows) {
    return axis_way_of(rows) == axis_way::whole_array
               ? Few::template workspace_bytes<Row, const Row*, Row*>(rows.length)
               : rows_of<Row>::template rows_workspace_bytes<Row>(rows.items());
  }
  template <scan_kind Kind, class Row, class Executor, class T, class Op>
  static status run_few(Executor& ex, workspace w, const T* in, T* out, const array_axis& axis, Op op,
                        const carry<T>& init) {
    carry<Row> before{{}, init.present};
    for (T& item : before.value.item) item = init.value;
    const auto* const from = reinterpret_cast<const Row*>(in);
    auto* const to = reinterpret_cast<Row*>(out);
    const array_axis rows = rows_as_items(axis);
    if (axis_way_of(rows) == axis_way::whole_array) {
      return Few::template run<Kind, Row>(ex, w, from, to, rows.length, row_op<Op>{op}, before);
    }
    if constexpr (sizeof(Row) == 8) {
      return run_rows<Kind>(ex, w, from, to, rows.items(), rows, row_op<Op>{op}, before.value);
    } else {
      return status::invalid_value;  // not reached
    }
  }

  template <class T>
  using rows_of = std::conditional_t<(sizeof(T) > 4), WideRows, Rows>;

  template <scan_kind Kind, class T, class Executor, class In, class Out, class Op>
  static status run_rows(Executor& ex, workspace w, In in, Out out, std::int64_t n, const array_axis& axis, Op op,
                         T init) {
    if constexpr (sizeof(T) < 4) {  // several of which go in a word, forward
      if (!axis.is_backward) return rows_of<T>::template rows<Kind, T>(ex, w, in, out, n, axis.length, op, init);
    }
    const std::int64_t first = axis.is_backward ? n - 1 : 0, step = axis.is_backward ? -1 : 1;
    return rows_of<T>::template rows<Kind, T>(ex, w, directed_items<In>{in, first, step},
                                              directed_items<Out>{out, first, step}, n, axis.length, op, init);
  }
};

template <class Whole>
using axis_policy_beside = axis_by_shape<axis_lookback<>, axis_strips<>, segmented_lookback<warp_scans<256>, 32, 3>,
                                         segmented_lookback<warp_scans<256>, 16, 4>, Whole, scan_of_rows>;

/// The default policy.
using default_axis_policy = axis_policy_beside<default_scan>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
