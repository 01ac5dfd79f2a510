// One warp reduces or scans a stretch of items that lies in shared memory, and stores straight from registers. Each row
// of the stretch is a vector for every lane, so that both memories are touched by whole vectors side by side.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/right_identity.hpp"
#include "upsweep/scan/thread/thread_scan.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Of Items items a lane, combined as T. The first `valid` items of the stretch are there; Full says that all are.
/// Beside them lies an array of Beside, of which rows have as many.
template <class Item, class T, int Items, class Beside = Item>
struct warp_segment {
  static constexpr int size = warp_size * Items;
  /// Vectors of at most 16 bytes, of items and of sums.
  static constexpr int width = [] {
    const auto largest = (std::max)({sizeof(Item), sizeof(T), sizeof(Beside)});
    int w = 1;
    if (std::has_single_bit(sizeof(Item)) && std::has_single_bit(sizeof(T)) && std::has_single_bit(sizeof(Beside))) {
      while (2 * w * largest <= 16 && Items % (2 * w) == 0) w *= 2;
    }
    return w;
  }();
  static constexpr int rows = Items / width;
  static constexpr int row_items = warp_size * width;

  /// The sum of the items, in lane 0. `from` is aligned to 16 bytes; at least one item is valid.
  template <bool Full, class Ctx, class Op>
  static UPSWEEP_DEVICE T reduce(Ctx& block, const Item* from, int valid, Op op) {
    T item[rows][width];
    read<Full>(block, from, valid, item);
    T total{};
    if constexpr (Full && sums_in_any_order<Op, T>) {
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) {
        const T sum = thread_reduce(item[r], width, op);
        total = r == 0 ? sum : op(total, sum);
      }
      total = warp_reduce(block, total, op);
    } else {
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) {
        const T sum =
            warp_reduce(block, thread_reduce(item[r], in_lane<Full>(block, r, valid), op), op, lanes<Full>(r, valid));
        if (r == 0) total = sum;
        if (r > 0 && block.lane() == 0 && (Full || r * row_items < valid)) total = op(total, sum);
      }
    }
    return total;
  }

  /// Scans the items after `before` to `to`, in all lanes. `have_read()` is called when the items have been read. With
  /// Full and FilledUp only the first `valid` are written.
  template <scan_kind Kind, bool Full, bool FilledUp = false, class Ctx, class Out, class Op, class HaveRead>
  static UPSWEEP_DEVICE void scan(Ctx& block, const Item* from, Out to, int valid, carry<T> before, Op op,
                                  HaveRead have_read) {
    T item[rows][width];
    read<Full>(block, from, valid, item);
    have_read();
    T in_front[rows], total[rows];
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const T sum = thread_reduce(item[r], in_lane<Full>(block, r, valid), op);
      const T inclusive = warp_inclusive_scan(block, sum, op, lanes<Full>(r, valid));
      in_front[r] = block.shuffle_up(inclusive, 1);
      total[r] = block.shuffle(inclusive, lanes<Full>(r, valid) - 1);
    }
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int mine = in_lane<Full>(block, r, valid);
      carry<T> before_lane = before;
      if (block.lane() > 0 && mine > 0) before_lane = {before.then(in_front[r], op), true};
      thread_scan<Kind>(item[r], mine, before_lane, op);
      if (r + 1 < rows && (Full || (r + 1) * row_items < valid)) before = {before.then(total[r], op), true};
    }
    if constexpr (FilledUp) {
      if (valid < size) return write<false>(block, to, valid, item);
    }
    write<Full>(block, to, valid, item);
  }

  /// Operator applications of reduce, and of scan after a carry, of all lanes together.
  static constexpr std::int64_t reduce_operations(int valid) { return of_rows(valid) + rows_with_items(valid) - 1; }
  static constexpr std::int64_t scan_operations(int valid) {
    const int last = valid - (rows_with_items(valid) - 1) * row_items;
    const std::int64_t in_front = (rows_with_items(valid) - 1) * (warp_size - 1) + (last + width - 1) / width - 1;
    return of_rows(valid) + in_front + valid + warp_size * (rows_with_items(valid) - 1);
  }

  /// How many items of row r a lane has, and how many lanes have any.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE int in_lane(Ctx& block, int r, int valid) {
    const int left = valid - r * row_items - block.lane() * width;
    return Full || left >= width ? width : left < 0 ? 0 : left;
  }
  template <bool Full>
  static UPSWEEP_DEVICE int lanes(int r, int valid) {
    const int left = valid - r * row_items;
    return Full || left >= row_items ? warp_size : left <= 0 ? 0 : (left + width - 1) / width;
  }

  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void read(Ctx& block, const Item* from, int valid, T (&item)[rows][width]) {
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int at = r * row_items + block.lane() * width;
      if constexpr (Full && width > 1) {
        const auto v = block.template load_vector<width>(from + at);
        UPSWEEP_UNROLL
        for (int k = 0; k < width; ++k) item[r][k] = static_cast<T>(v.item[k]);
      } else {
        UPSWEEP_UNROLL
        for (int k = 0; k < width; ++k) item[r][k] = Full || at + k < valid ? static_cast<T>(from[at + k]) : T{};
      }
    }
  }

  template <bool Full, class Ctx, class Out>
  static UPSWEEP_DEVICE void write(Ctx& block, Out to, int valid, const T (&item)[rows][width]) {
    if constexpr (Full && width > 1 && std::is_pointer_v<Out>) {
      using element = std::remove_pointer_t<Out>;
      if constexpr (std::is_same_v<element, T>) {
        using vector = vector_of<T, width>;
        if (reinterpret_cast<std::uintptr_t>(to) % sizeof(vector) == 0) {
          UPSWEEP_UNROLL
          for (int r = 0; r < rows; ++r) {
            vector v;
            UPSWEEP_UNROLL
            for (int k = 0; k < width; ++k) v.item[k] = item[r][k];
            block.store_streaming(reinterpret_cast<vector*>(to + r * row_items + block.lane() * width), v);
          }
          return;
        }
      }
    }
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int at = r * row_items + block.lane() * width;
      UPSWEEP_UNROLL
      for (int k = 0; k < width; ++k) {
        if (Full || at + k < valid) to[at + k] = item[r][k];
      }
    }
  }

 private:
  static constexpr int rows_with_items(int valid) { return (valid + row_items - 1) / row_items; }
  /// The sums of rows, by each lane and over the lanes.
  static constexpr std::int64_t of_rows(int valid) {
    std::int64_t count = 0;
    for (int left = valid; left > 0; left -= row_items) {
      const int in_row = left < row_items ? left : row_items;
      const int lanes = (in_row + width - 1) / width;
      count += in_row - lanes + warp_scan_operations(lanes);
    }
    return count;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
