// Which items of a short segment a lane has, while a warp sorts several, which it copies, and by what they are sorted.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether the code of a key is one word of 32 bits.
template <class Key, class Digits>
concept one_word_keys = requires(const Digits& digits, const Key& key) {
  requires sizeof(digits.at(0, 1).code_of(key)) <= sizeof(std::uint32_t);
};

/// Whether a key can be restored from its code, of at most 64 bits.
template <class Key, class Digits>
concept keys_told_by_codes = sizeof(Key) <= sizeof(std::uint64_t) && requires(const Digits& digits, const Key& key) {
  digits.at(0, 1).key_of(digits.at(0, 1).code_of(key));
};

/// Some bits of a key's code.
template <class Digit>
struct word_of_key {
  Digit digit;
  bit_range bits;  ///< not empty
  template <class Key>
  UPSWEEP_DEVICE std::uint32_t operator()(const Key& key) const {
    return std::uint32_t{digit.code_of(key)} >> bits.begin & ~std::uint32_t{0} >> (32 - (bits.end - bits.begin));
  }
};

inline constexpr int short_segment_items_per_lane = 16;

/// Which items of a segment are the words of a lane: number first + i * step of the segment is word i, `count` in all.
struct words_of_lane {
  int first, step, count;
  UPSWEEP_DEVICE int number(int i) const { return first + i * step; }
};

/// What a lane has of its segment of `items`, while a warp sorts several, each by `lanes` lanes of up to Items words.
/// Item i of the segment is in slot first + i of shared memory, and slot x is item base + x of the arrays.
template <int Items>
struct short_segment_share {
  /// An array for shared memory has a free slot after every 32 where lanes would meet in a bank.
  static constexpr bool is_padded = Items % 2 == 0;
  int lanes, rank, items, first;
  std::int64_t base;
  bool are_neighbours;  // the segments of the warp, so that all its slots are up to `total`, and have one base
  int total;

  /// Of a place in a segment of so many lanes.
  UPSWEEP_DEVICE int place_bits() const { return highest_lane(static_cast<lane_mask>(lanes * Items - 1)) + 1; }

  /// Sorted words of a lane are neighbours.
  UPSWEEP_DEVICE words_of_lane sorted() const { return {rank * Items, 1, items - rank * Items}; }

  /// Others may be those that lanes read together.
  UPSWEEP_DEVICE words_of_lane in_turns() const {
    return {rank, lanes, (items - rank + lanes - 1) >> highest_lane(static_cast<lane_mask>(lanes))};
  }

  /// Where the array has the item of a lane in a row of all.
  static UPSWEEP_DEVICE int row_slot(int row, int lane) { return row * (warp_size + (is_padded ? 1 : 0)) + lane; }

  /// Where it has that of a number of the segment.
  UPSWEEP_DEVICE int slot(int number) const {
    const int x = first + number;
    return is_padded ? x + x / warp_size : x;
  }
};

/// The slots of a lane's sorted words, in one row of a padded array or two.
template <int Items>
struct slots_of_lane {
  int begin, in_row;
  UPSWEEP_DEVICE explicit slots_of_lane(const short_segment_share<Items>& of)
      : begin(of.slot(of.rank * Items)), in_row(warp_size - (of.first + of.rank * Items) % warp_size) {}
  UPSWEEP_DEVICE int at(int i) const { return begin + (share::is_padded && i >= in_row ? 1 : 0) + i; }

 private:
  using share = short_segment_share<Items>;
};

/// A number that its type says.
template <int N>
struct constant {
  UPSWEEP_DEVICE constexpr operator int() const { return N; }
};

/// Calls call(constant) with a number of lanes, a power of two from Least on, so that distances of so many words are
/// parts of instructions.
template <int Least, class Call>
UPSWEEP_DEVICE void with_constant(int lanes, Call call) {
  if constexpr (Least < warp_size) {
    if (lanes != Least) {
      with_constant<2 * Least>(lanes, call);
      return;
    }
  }
  call(constant<Least>{});
}

/// The items that a lane copies: each step-th of all that the warp has, or of its segment. Step is an int or a
/// constant.
template <int Items, class Step, bool OfAll>
struct copied_items {
  std::int64_t base;  // where in the arrays the first one is
  int begin, left;
  Step step;

  UPSWEEP_DEVICE bool has(int i) const { return distance(i) < left; }
  /// From the first one on.
  UPSWEEP_DEVICE int distance(int i) const { return i * static_cast<int>(step); }
  UPSWEEP_DEVICE int at(int i) const {
    using share = short_segment_share<Items>;
    if (OfAll) return share::row_slot(i, begin);
    const int x = begin + distance(i);
    return share::is_padded ? x + x / warp_size : x;
  }
};

/// Calls copy(items) with those of the caller. Segments that are no neighbours have each Least lanes or more; Least 0:
/// any, and no code for each number of lanes.
template <int Least, int Items, class Ctx, class Copy>
UPSWEEP_DEVICE void by_turns(Ctx& block, const short_segment_share<Items>& of, Copy copy) {
  const int lane = block.lane(), first = of.first + of.rank;
  const auto copy_apart = [&](auto lanes) {
    copy(copied_items<Items, decltype(lanes), false>{of.base + first, first, of.items - of.rank, lanes});
  };
  if (of.are_neighbours) {
    copy(copied_items<Items, constant<warp_size>, true>{of.base + lane, lane, of.total - lane, {}});
  } else if constexpr (Least == 0) {
    copy_apart(of.lanes);
  } else {
    with_constant<Least>(of.lanes, copy_apart);
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
