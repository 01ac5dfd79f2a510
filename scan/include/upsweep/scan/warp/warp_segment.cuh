// One warp reduces or scans a stretch of items that lies in shared memory. Each row of the stretch is a vector for
// every lane, which is stored straight from registers, so that both memories are touched by whole vectors side by side.
// Items of which no two make a vector come in a blocked arrangement instead, since the shuffles of a row for each would
// take longer than its trip through memory: sums go back to where the items lay, and leave from there as words side by
// side.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/right_identity.hpp"
#include "upsweep/scan/thread/thread_scan.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether a scan takes items in a blocked arrangement.
template <class Item, class T>
inline constexpr bool is_blocked_in_warps = std::is_same_v<Item, T> &&
                                            (sizeof(T) > 8 || !std::has_single_bit(sizeof(T)));

/// So many items a lane, of at most `bytes`. An odd number of them in a blocked arrangement: then lanes that read at
/// the same time do so in different banks.
template <class Item, class T>
constexpr int items_of_lane(int bytes) {
  const int items = (std::max)(1, bytes / static_cast<int>((std::max)(sizeof(Item), sizeof(T))));
  return is_blocked_in_warps<Item, T> && items % 2 == 0 ? items - 1 : items;
}

/// Of Items items a lane, combined as T. The first `valid` items of the stretch are there; Full says that all are.
/// Beside them lies an array of Beside, of which rows have as many. Blocked: one row, of all items of a lane.
template <class Item, class T, int Items, class Beside = Item, bool Blocked = false>
struct warp_segment {
  static constexpr int size = warp_size * Items;
  /// Vectors of at most 16 bytes, of items and of sums.
  static constexpr int width = [] {
    if (Blocked) return Items;
    const auto largest = (std::max)({sizeof(Item), sizeof(T), sizeof(Beside)});
    int w = 1;
    if (std::has_single_bit(sizeof(Item)) && std::has_single_bit(sizeof(T)) && std::has_single_bit(sizeof(Beside))) {
      while (2 * w * largest <= 16 && Items % (2 * w) == 0) w *= 2;
    }
    return w;
  }();
  /// Items that fill a vector, or one that is a vector but is not aligned as such by its type (four floats, say).
  template <class U>
  static constexpr bool are_vectors = !Blocked && (width > 1 || is_unaligned_vector<U>);
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

  /// Scans the items after `before` to `to`, in all lanes. `have_read()` is called when the items have been read, and
  /// will not be written. With Full and FilledUp only the first `valid` are written to `to`.
  template <scan_kind Kind, bool Full, bool FilledUp = false, class Ctx, class Out, class Op, class HaveRead>
  static UPSWEEP_DEVICE void scan(Ctx& block, Item* from, Out to, int valid, carry<T> before, Op op,
                                  HaveRead have_read) {
    T item[rows][width];
    read<Full>(block, from, valid, item);
    if constexpr (!Blocked) have_read();
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
    if constexpr (Blocked) {
      write_by_shared<Full>(block, from, to, valid < size ? valid : size, item[0]);  // a full one is told of more
      have_read();
    } else if (FilledUp && valid < size) {
      write<false>(block, to, valid, item);
    } else {
      write<Full>(block, to, valid, item);
    }
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
      if constexpr (Full && are_vectors<Item>) {
        const auto v = block.template load_vector<width>(from + at);
        UPSWEEP_UNROLL
        for (int k = 0; k < width; ++k) item[r][k] = static_cast<T>(v.item[k]);
      } else {
        UPSWEEP_UNROLL
        for (int k = 0; k < width; ++k) item[r][k] = Full || at + k < valid ? one<T>(block, from + at + k) : T{};
      }
    }
  }

  template <bool Full, class Ctx, class Out>
  static UPSWEEP_DEVICE void write(Ctx& block, Out to, int valid, const T (&item)[rows][width]) {
    if constexpr (Full && are_vectors<T> && std::is_pointer_v<Out>) {
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
  /// One of the items, as a vector where it can be.
  template <class U, class Ctx>
  static UPSWEEP_DEVICE U one(Ctx& block, const Item* from) {
    if constexpr (Blocked && is_unaligned_vector<Item>) return block.template load_vector<1>(from).item[0];
    return static_cast<U>(*from);
  }

  /// Puts a lane's sums back to where its items lay, and writes all of the warp's from there.
  template <bool Full, class Ctx, class Out>
  static UPSWEEP_DEVICE void write_by_shared(Ctx& block, Item* from, Out to, int valid, const T (&item)[Items]) {
    const int at = block.lane() * Items;
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      if (!Full && at + k >= valid) continue;
      if constexpr (is_unaligned_vector<Item>) {
        block.template store_vector<1>(from + at + k, vector_of<T, 1>{{item[k]}});
      } else {
        from[at + k] = item[k];
      }
    }
    block.warp_sync();  // all sums are there
    if constexpr (is_array_of<Out, T>) {
      using word = word_of<(alignof(T) < 4 ? alignof(T) : 4)>;
      write_words<word>(block, from, to, valid * static_cast<int>(sizeof(T) / sizeof(word)));
    } else {
      for (int i = block.lane(); i < valid; i += warp_size) to[i] = from[i];
    }
    block.bulk_fence();  // a later tile of the stage comes over what is written here
  }
  /// `count` words of T, 16 bytes at a time where the address allows that.
  template <class Word, class Ctx>
  static UPSWEEP_DEVICE void write_words(Ctx& block, const T* from, T* to, int count) {
    constexpr int vector = 16 / sizeof(Word), all = size * static_cast<int>(sizeof(T) / sizeof(Word));
    const auto* const in = reinterpret_cast<const Word*>(from);
    auto* const out = reinterpret_cast<Word*>(to);
    int written = 0;
    if (aligned_to(to, 16)) {
      UPSWEEP_UNROLL
      for (int row = 0; row < all; row += vector * warp_size) {
        const int i = row + vector * block.lane();
        if (i + vector <= count)
          block.template store_vector<vector>(out + i, block.template load_vector<vector>(in + i));
      }
      written = count / vector * vector;
    }
    for (int i = written + block.lane(); i < count; i += warp_size) {
      block.template store_vector<1>(out + i, block.template load_vector<1>(in + i));
    }
  }

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
