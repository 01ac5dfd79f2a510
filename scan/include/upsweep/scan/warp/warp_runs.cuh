// One warp reduces or scans a stretch of items in shared memory, of which some begin a run: row by row, as
// warp_segment, but no sum reaches over the first item of a run, its head.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <type_traits>

#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/scan/warp/warp_segment.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Inclusive scan over the lanes from `first` on, which each lane says for itself, up to the lane; as
/// warp_inclusive_scan.
template <class Ctx, class T, class Op>
UPSWEEP_DEVICE T warp_inclusive_scan_from(Ctx& block, T value, Op op, int first, int valid) {
  UPSWEEP_UNROLL
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T before = block.shuffle_up(value, distance);
    if (block.lane() - distance >= first && block.lane() < valid) value = op(before, value);
  }
  return value;
}

/// warp_reduce of stretches: only values travel.
template <class Ctx, class T, class Op>
UPSWEEP_DEVICE segment_sum<T> warp_reduce(Ctx& block, const segment_sum<T>& sum, segment_op<Op> op,
                                          int valid = warp_size) {
  const lane_mask with_heads = block.ballot(block.lane() < valid && sum.has_head);
  const int first = with_heads == 0 ? 0 : highest_lane(with_heads);
  T value = sum.value;
  UPSWEEP_UNROLL
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T behind = block.shuffle_down(value, distance);
    if (block.lane() >= first && block.lane() + distance < valid) value = op.op(value, behind);
  }
  return {block.shuffle(value, first), with_heads != 0};
}

/// Of Items items a lane with a key each, combined as T. The first `valid` items of the stretch are there; Full says
/// that all are. Heads are a mask for each lane, bit r * width + k for item k of its vector in row r.
template <scan_kind Kind, class Key, class Item, class T, int Items>
struct warp_runs {
  static_assert(Items <= 32, "the heads of a lane's items are one mask");
  using rows_of_items = warp_segment<Item, T, Items, Key>;
  using rows_of_keys = warp_segment<Key, Key, Items, std::conditional_t<(sizeof(Item) > sizeof(T)), Item, T>>;
  static constexpr int size = rows_of_items::size;
  static constexpr int width = rows_of_items::width;
  static constexpr int rows = rows_of_items::rows;
  static constexpr int row_items = rows_of_items::row_items;
  static_assert(rows_of_keys::width == width, "keys and items lie side by side");

  /// The heads of the lane's items. `front`: the key before the stretch, in lane 0; null where there is none.
  template <bool Full, class Ctx, class Equal>
  static UPSWEEP_DEVICE lane_mask heads(Ctx& block, const Key* from, const Key* front, int valid, Equal& equal) {
    Key key[rows][width];
    rows_of_keys::template read<Full>(block, from, valid, key);
    Key in_front = key[0][0];
    if (block.lane() == 0 && front != nullptr) in_front = *front;
    lane_mask mine = 0;
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const Key left = block.shuffle(key[r][width - 1], block.lane() + warp_size - 1);  // in lane 0 that of lane 31
      const int there = rows_of_items::template in_lane<Full>(block, r, valid);
      UPSWEEP_UNROLL
      for (int k = 0; k < width; ++k) {
        bool is_head = false;
        if (k > 0) {
          is_head = k < there && !static_cast<bool>(equal(key[r][k - 1], key[r][k]));
        } else if (r == 0 && block.lane() == 0 && front == nullptr) {
          is_head = true;
        } else {
          is_head = 0 < there && !static_cast<bool>(equal(block.lane() == 0 ? in_front : left, key[r][0]));
        }
        if (is_head) mine |= lane_mask{1} << (r * width + k);
      }
      in_front = left;
    }
    return mine;
  }

  /// What the stretch hands on, in all lanes. At least one item is valid.
  template <bool Full, class Ctx, class Op>
  static UPSWEEP_DEVICE segment_sum<T> reduce(Ctx& block, const Item* from, lane_mask heads, int valid, const T& init,
                                              Op op) {
    T item[rows][width];
    rows_of_items::template read<Full>(block, from, valid, item);
    segment_sum<T> total{};
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      if (!Full && r * row_items >= valid) continue;
      const thread_segments<Kind, T, Op> in_lane{heads_of_row(heads, r), init, op};
      const lane_mask with_heads = block.ballot(in_lane.heads != 0);
      const int lanes = rows_of_items::template lanes<Full>(r, valid);
      const T sum = in_lane.reduce(item[r], rows_of_items::template in_lane<Full>(block, r, valid)).value;
      const int first = with_heads == 0 ? 0 : highest_lane(with_heads);
      const T of_row = block.shuffle(warp_inclusive_scan_from(block, sum, op, first, lanes), lanes - 1);
      total.value = r == 0 || with_heads != 0 ? of_row : static_cast<T>(op(total.value, of_row));
      total.has_head = total.has_head || with_heads != 0;
    }
    return total;
  }

  /// Scans the items after `before`, in all lanes and of no meaning where the first item is a head, to `to`.
  /// `have_read()` is called when the items have been read.
  template <bool Full, class Ctx, class Out, class Op, class HaveRead>
  static UPSWEEP_DEVICE void scan(Ctx& block, const Item* from, lane_mask heads, Out to, int valid, T before,
                                  const T& init, Op op, HaveRead have_read) {
    T item[rows][width];
    rows_of_items::template read<Full>(block, from, valid, item);
    have_read();
    const lane_mask up_to_lane = full_warp >> (warp_size - 1 - block.lane());
    T in_front[rows], total[rows];
    lane_mask with_heads[rows];
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const thread_segments<Kind, T, Op> in_lane{heads_of_row(heads, r), init, op};
      const int lanes = rows_of_items::template lanes<Full>(r, valid);
      with_heads[r] = block.ballot(in_lane.heads != 0);
      const lane_mask before_end = with_heads[r] & up_to_lane;
      const T sum = in_lane.reduce(item[r], rows_of_items::template in_lane<Full>(block, r, valid)).value;
      const T inclusive =
          warp_inclusive_scan_from(block, sum, op, before_end == 0 ? 0 : highest_lane(before_end), lanes);
      in_front[r] = block.shuffle_up(inclusive, 1);
      total[r] = block.shuffle(inclusive, lanes - 1);
    }
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int mine = rows_of_items::template in_lane<Full>(block, r, valid);
      T before_lane = before;
      if (block.lane() > 0 && mine > 0) {
        const bool head_in_front = (with_heads[r] & up_to_lane >> 1) != 0;
        before_lane = head_in_front ? in_front[r] : static_cast<T>(op(before, in_front[r]));
      }
      thread_segments<Kind, T, Op>{heads_of_row(heads, r), init, op}.scan(item[r], mine, before_lane);
      if (r + 1 < rows && (Full || (r + 1) * row_items < valid)) {
        before = with_heads[r] != 0 ? total[r] : static_cast<T>(op(before, total[r]));
      }
    }
    rows_of_items::template write<Full>(block, to, valid, item);
  }

 private:
  static UPSWEEP_DEVICE lane_mask heads_of_row(lane_mask heads, int r) {
    return heads >> (r * width) & full_warp >> (warp_size - width);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
