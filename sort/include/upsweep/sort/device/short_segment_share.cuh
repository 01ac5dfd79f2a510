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

/// What a lane has of its segment: of `items` in all, those from rank * items_per_lane on, `own` of them. Item i of
/// the segment is in slot first + i of shared memory, and slot x is item base + x of the arrays.
struct short_segment_share {
  static constexpr int items_per_lane = short_segment_items_per_lane;
  int lanes, rank, items, own, first;
  std::int64_t base;
  bool are_neighbours;  // the segments of the warp, so that all its slots are up to `total`, and have one base
  int total;

  /// Of a place in a segment of so many lanes.
  UPSWEEP_DEVICE int place_bits() const { return highest_lane(static_cast<lane_mask>(lanes * items_per_lane)); }

  /// Where the padded_array has its own word i.
  UPSWEEP_DEVICE int at(int i) const {
    const int x = first + rank * items_per_lane, in_row = warp_size - x % warp_size;
    return x + x / warp_size + (i < in_row ? 0 : 1) + i;
  }
};

/// The slots that a lane copies, in rows of a padded_array: every 32nd of all, or of its segment's every n-th where
/// that has n lanes.
template <bool OfAll>
struct copied_slots {
  int begin, step, left;
  UPSWEEP_DEVICE bool has(int i) const { return i * (OfAll ? warp_size : step) < left; }
  UPSWEEP_DEVICE int number(int i) const { return begin + i * (OfAll ? warp_size : step); }
  UPSWEEP_DEVICE int at(int i) const { return OfAll ? begin + i * (warp_size + 1) : number(i) + number(i) / warp_size; }
};
/// Calls copy(slots) with those of the caller.
template <class Ctx, class Copy>
UPSWEEP_DEVICE void by_slots(Ctx& block, const short_segment_share& of, Copy copy) {
  if (of.are_neighbours) {
    copy(copied_slots<true>{block.lane(), warp_size, of.total - block.lane()});
  } else {
    copy(copied_slots<false>{of.first + of.rank, of.lanes, of.items - of.rank});
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
