// An axis of a dense array, as a scan along it sees the array.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_ABI {

/// a * b for what is not below 0; -1 where it is, or where that is 2^63 or more.
constexpr std::int64_t product_of(std::int64_t a, std::int64_t b) {
  if (a < 0 || b < 0) return -1;
  if (a == 0 || b == 0) return 0;
  return a <= INT64_MAX / b ? a * b : -1;
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI

namespace upsweep::inline UPSWEEP_ABI {

/// An axis of a dense array, as its memory has it: `outer` slices, each of `length` rows of `inner` items. A scan runs
/// down the rows of each slice, every column by itself; item (o, r, c) has the index (o * length + r) * inner + c.
/// Every call refuses an axis with a member below 0; along() returns one for what is not an axis of a dense array.
struct array_axis {
  std::int64_t outer = 1, length = 0, inner = 1;  ///< slices; rows of a slice, along which a scan goes; columns
  bool is_backward = false;                       ///< from the last row to the first

  /// The same axis in the other direction.
  constexpr array_axis backward() const { return {outer, length, inner, !is_backward}; }

  /// How many items the array has; -1 if a member is below 0, or for 2^63 and more.
  constexpr std::int64_t items() const {
    if (outer >= 0 && length >= 0 && inner == 0) return 0;
    return detail::product_of(detail::product_of(outer, length), inner);
  }

  friend constexpr bool operator==(const array_axis&, const array_axis&) = default;
};

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_ABI {

inline constexpr array_axis no_axis{-1, -1, -1};

/// The number of an axis that may be counted from the last, which is -1; -1 where there is none.
constexpr int axis_number(std::size_t rank, int axis) {
  const auto axes = static_cast<int>(rank);
  const int number = axis < 0 ? axis + axes : axis;
  return number >= 0 && number < axes ? number : -1;
}

}  // namespace upsweep::detail::inline UPSWEEP_ABI

namespace upsweep::inline UPSWEEP_ABI {

/// Axis number `axis` of a dense row-major array of this shape.
///   shape  the extents of the array, the slowest axis first; any rank from 1 on
///   axis   the number of the axis from 0, or from the last one back: -1, -2, ...
/// Returns an axis that every call refuses if an extent is below 0 or there is no such axis. Cost: O(rank).
///     array_axis down_the_columns = along({rows, columns}, 0);
constexpr array_axis along(std::span<const std::int64_t> shape, int axis) {
  const int number = detail::axis_number(shape.size(), axis);
  if (number < 0) return detail::no_axis;
  array_axis a{1, shape[static_cast<std::size_t>(number)], 1};
  // No items are none, however long the other axes are.
  if (std::ranges::find(shape, std::int64_t{0}) != shape.end()) {
    const bool is_array = std::ranges::all_of(shape, [](std::int64_t extent) { return extent >= 0; });
    return is_array ? array_axis{1, a.length, 0} : detail::no_axis;
  }
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    const std::int64_t extent = shape[static_cast<std::size_t>(i)];
    if (i < number) a.outer = detail::product_of(a.outer, extent);
    if (i > number) a.inner = detail::product_of(a.inner, extent);
    if (extent < 0 || a.outer < 0 || a.inner < 0) return detail::no_axis;
  }
  return a;
}
/// Axis number `axis` of a dense array of this shape, written as a list: along({planes, rows, columns}, 1).
constexpr array_axis along(std::initializer_list<std::int64_t> shape, int axis) {
  return along(std::span<const std::int64_t>(shape.begin(), shape.size()), axis);
}

/// Axis number `axis` of a dense array whose axes have another order in memory than in the shape, such as a transposed
/// one. The output of a scan has the same strides as the input.
///   shape    the extents of the array
///   strides  for each axis, how many items lie between neighbouring indices; it does not matter for an axis of extent
///            1, nor in an array without items
///   axis     the number of the axis from 0, or from the last one back: -1, -2, ...
/// Returns an axis that every call refuses if the items do not lie side by side (a slice of an array), a stride is
/// below 0, or there is no such axis. Cost: O(rank^2).
///     array_axis rows_of_a_transposed = along({rows, columns}, {1, rows}, 1);
constexpr array_axis along(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides, int axis) {
  array_axis a = along(shape, axis);
  if (a.items() <= 0 || shape.size() != strides.size()) return shape.size() == strides.size() ? a : detail::no_axis;
  const auto number = static_cast<std::size_t>(detail::axis_number(shape.size(), axis));
  // From the axis whose items lie closest on: each begins where those before it are full.
  const std::int64_t items = a.items();
  bool is_inner = true;
  a.outer = a.inner = 1;
  for (std::int64_t full = 1; full < items;) {
    std::size_t next = shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] > 1 && strides[i] == full) next = i;
    }
    if (next == shape.size()) return detail::no_axis;
    full *= shape[next];
    if (next == number) {
      is_inner = false;
    } else {
      (is_inner ? a.inner : a.outer) *= shape[next];
    }
  }
  return a;
}
/// Axis number `axis` of an array of this shape and these strides, both written as lists.
constexpr array_axis along(std::initializer_list<std::int64_t> shape, std::initializer_list<std::int64_t> strides,
                           int axis) {
  return along(std::span<const std::int64_t>(shape.begin(), shape.size()),
               std::span<const std::int64_t>(strides.begin(), strides.size()), axis);
}

}  // namespace upsweep::inline UPSWEEP_ABI
