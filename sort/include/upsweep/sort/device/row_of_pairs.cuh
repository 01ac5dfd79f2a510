// A row of short segments that are neighbours, of keys with values: a warp sorts words of 32 bits in its registers,
// which say where a key is and as much of its code as there is room for, and moves keys and values once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/padded_array.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/segments_in_a_row.cuh"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/short_segment_share.cuh"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Of keys whose codes are one word.
template <class Key, class Value, class Digits>
struct row_of_pairs {
  static constexpr bool asks_for_lanes = false;
  static constexpr int place_shift = 16;  // of a word that says a key's place in its segment

  /// Values that wait in shared memory for the order of their keys, so that both are read at once.
  static constexpr bool values_wait = sizeof(Value) <= sizeof(std::uint32_t);
  static constexpr bool has_codes = keys_told_by_codes<Key, Digits>;

  /// Of one warp.
  struct temp_storage {
    padded_array<std::uint32_t, most_items_of_a_row> word;
    std::uint32_t heads[warp_size];            // at which of each lane's items a segment begins
    std::uint16_t lower[most_items_of_a_row];  // of a slot's key, the bits that may have no room; later slots by them
    uninitialized_array<Value, values_wait ? most_items_of_a_row : 1> value;
  };

  Digits digits;
  bit_range bits;  ///< not empty
  const Key* keys_in;
  Key* keys_out;
  carried_values<Value> values;
  unit_factors units{};

  template <class Ctx>
  UPSWEEP_DEVICE void copy(Ctx& block, const row_of_segments& r) const {
    write<4>(block, r, [&](int to, Key& key, Value& value) {
      key = keys_in[r.base + to];
      value = value_at(r.base + to, 0);
    });
  }

  /// Sorts and writes it. mark_heads(n) writes s.heads, where n, an integral_constant, is how many items a lane has.
  template <class Ctx, class MarkHeads>
  UPSWEEP_DEVICE void sort(Ctx& block, temp_storage& s, const row_of_segments& r, MarkHeads mark_heads) const {
    row_in_order sorted;
    if (r.items <= 8 * warp_size) {
      sorted = sort_words<8>(block, s, r, mark_heads);
    } else {
      sorted = sort_words<16>(block, s, r, mark_heads);
    }
    write_sorted(block, s, r, sorted);
  }

 private:
  /// What s.word tells of a row that is sorted: slots, and where `has_codes`, all of a key's code but what all keys
  /// have in common and the `dropped` lowest bits.
  struct row_in_order {
    int items_of_lane, dropped;
    std::uint32_t common;
    bool has_codes;
  };

  /// Keys are sorted by as many bits as there is room for beside the slot, from the highest in which two keys of the
  /// row differ. Where that is not enough, they are sorted by the lower bits, and then by the higher ones.
  template <int Items, class Ctx, class MarkHeads>
  UPSWEEP_DEVICE row_in_order sort_words(Ctx& block, temp_storage& s, const row_of_segments& r,
                                         const MarkHeads& mark_heads) const {
    using layout = row_layout<Items>;
    static_assert(layout::period == warp_size, "slots are those of a padded_array");
    const int lane = block.lane();
    const auto code_of = [&](int slot) { return word_at(r.base + slot); };
    mark_heads(std::integral_constant<int, Items>{});
    row_in_order sorted{Items, 0, 0, has_codes && bits.begin == 0 && bits.end == Digits::bits};
    int& dropped = sorted.dropped;
    enum { by_highest, by_lower, by_higher };
    UPSWEEP_NO_UNROLL
    for (int step = by_highest;; ++step) {
      std::uint32_t word[Items];
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int slot = i * warp_size + lane;
        word[i] = ~std::uint32_t{0};
        if (slot < r.items) word[i] = code_of(step == by_higher ? s.lower[slot] : slot);
      }
      if (step == by_highest) {
        fetch_values<Items>(block, s, r);
        UPSWEEP_UNROLL
        for (int i = 0; i < Items; ++i) {
          const int slot = i * warp_size + lane;
          if (has_codes && slot < r.items) s.lower[slot] = static_cast<std::uint16_t>(word[i]);
        }
        find_room<Items>(block, word, r.items, sorted);
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int slot = i * warp_size + lane;
        const std::uint32_t some = step == by_lower ? word[i] & ((1u << dropped) - 1) : word[i] >> dropped;
        if (slot < r.items) word[i] = some << slot_bits | static_cast<std::uint32_t>(slot);
        s.word.slot[layout::of_row(i, lane)] = word[i];
      }
      block.warp_sync();  // s.word and s.heads are written
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) word[i] = s.word.slot[layout::of_lane(lane, i)];
      const std::uint32_t heads = heads_of_lane<Items>(block, s.heads);
      sort_segments_in_a_row(block, word, heads, r.longest, units);
      const bool some_are_alike =
          step == by_highest && dropped > 0 && have_like_neighbours<Items>(block, word, r.items);
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (step == by_higher && lane * Items + i < r.items) word[i] = s.lower[word[i] & slot_mask];
        s.word.slot[layout::of_lane(lane, i)] = word[i];
      }
      block.warp_sync();  // s.word is sorted
      if (step == by_higher) {
        sorted.has_codes = false;
        break;
      }
      if (step == by_highest && (!some_are_alike || are_in_order<Items>(block, s, heads, r))) break;
      if (step == by_lower) {
        for (int slot = lane; slot < r.items; slot += warp_size) {
          s.lower[slot] = static_cast<std::uint16_t>(s.word.slot[layout::of_row(slot / warp_size, lane)] & slot_mask);
        }
      }
      block.warp_sync();  // s.word has been read, and each lane's slots of s.lower are written
    }
    return sorted;
  }

  template <class Ctx>
  UPSWEEP_DEVICE void write_sorted(Ctx& block, temp_storage& s, const row_of_segments& r,
                                   const row_in_order& sorted) const {
    bool are_places = false;
    if constexpr (std::is_integral_v<Value>) are_places = values.in == nullptr;
    if (are_places) put_places(block, s, r, sorted.items_of_lane);
    if constexpr (has_codes) {
      if (sorted.has_codes && !are_places) {
        const auto digit = digits.at(0, 1);
        const std::uint32_t lower = (1u << sorted.dropped) - 1;
        write<4>(block, r, [&](int to, Key& key, Value& value) {
          const std::uint32_t word = s.word[to], slot = word & slot_mask;
          const std::uint32_t code = sorted.common | word >> slot_bits << sorted.dropped | (s.lower[slot] & lower);
          key = digit.key_of(static_cast<decltype(digit.code_of(Key{}))>(code));
          value = waiting_value(s, r, word);
        });
        return;
      }
    }
    constexpr int at_once = sizeof(Key) <= 8 && sizeof(Value) <= 8 ? 4 : 1;
    write<at_once>(block, r, [&](int to, Key& key, Value& value) {
      const std::uint32_t word = s.word[to];
      key = keys_in[r.base + (word & slot_mask)];
      value = are_places ? value_at(0, static_cast<int>(word >> place_shift)) : waiting_value(s, r, word);
    });
  }

  UPSWEEP_DEVICE Value waiting_value(const temp_storage& s, const row_of_segments& r, std::uint32_t word) const {
    if constexpr (values_wait) {
      return s.value[static_cast<int>(word & slot_mask)];
    } else {
      return values.in[r.base + (word & slot_mask)];
    }
  }

  static constexpr std::uint32_t slot_mask = most_items_of_a_row - 1;
  static constexpr int slot_bits = 9;
  static_assert(most_items_of_a_row == 1 << slot_bits);

  UPSWEEP_DEVICE std::uint32_t word_at(std::int64_t from) const {
    return word_of_key<decltype(digits.at(0, 1))>{digits.at(0, 1), bits}(keys_in[from]);
  }

  template <int Items, class Ctx>
  UPSWEEP_DEVICE void fetch_values(Ctx& block, temp_storage& s, const row_of_segments& r) const {
    if constexpr (values_wait) {
      if (values.in == nullptr) return;
      Value value[Items];
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int slot = i * warp_size + block.lane();
        if (slot < r.items) value[i] = values.in[r.base + slot];
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int slot = i * warp_size + block.lane();
        if (slot < r.items) s.value[slot] = value[i];
      }
    }
  }

  /// How many bits of the row's words there is no room for, and what is above those in which they differ. Slot
  /// i * 32 + lane is the caller's word i.
  template <int Items, class Ctx>
  static UPSWEEP_DEVICE void find_room(Ctx& block, const std::uint32_t (&word)[Items], int items,
                                       row_in_order& sorted) {
    const std::uint32_t any = block.shuffle(word[0], 0);
    std::uint32_t differing = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i * warp_size + block.lane() < items) differing |= word[i] ^ any;
    }
    differing = block.reduce_max(differing);
    constexpr int room = 32 - slot_bits;
    const int width = differing == 0 ? 0 : highest_lane(differing) + 1, used = width > room ? width : room;
    sorted.dropped = used - room;
    sorted.common = used < 32 ? any >> used << used : 0;
  }

  /// Whether some of the row's neighbours, of one segment or two, agree in all bits but the slot.
  template <int Items, class Ctx>
  static UPSWEEP_DEVICE bool have_like_neighbours(Ctx& block, const std::uint32_t (&word)[Items], int items) {
    const std::uint32_t next = block.shuffle_down(word[0], 1);
    std::uint32_t least = ~std::uint32_t{0};
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t differing = word[i] ^ (i + 1 < Items ? word[i + 1] : next);
      if (block.lane() * Items + i + 1 < items) least = differing < least ? differing : least;
    }
    return block.any(least <= slot_mask);
  }

  /// Whether neighbours of a segment that agree in the bits that were sorted by are in the order of all.
  template <int Items, class Ctx>
  UPSWEEP_DEVICE bool are_in_order(Ctx& block, const temp_storage& s, std::uint32_t heads,
                                   const row_of_segments& r) const {
    using layout = row_layout<Items>;
    const int lane = block.lane();
    bool in_order = true;
    UPSWEEP_NO_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (lane * Items + i + 1 >= r.items || (heads >> (i + 1) & 1) != 0) continue;
      const bool is_last = i + 1 == Items;
      const std::uint32_t word = s.word.slot[layout::of_lane(lane, i)],
                          next = s.word.slot[layout::of_lane(is_last ? lane + 1 : lane, is_last ? 0 : i + 1)];
      if ((word ^ next) <= slot_mask && word_at(r.base + (word & slot_mask)) > word_at(r.base + (next & slot_mask))) {
        in_order = false;
      }
    }
    block.warp_sync();  // neighbours have been read
    return block.all(in_order);
  }

  /// Adds to the slots in s.word the keys' places in their segments.
  template <class Ctx>
  UPSWEEP_DEVICE void put_places(Ctx& block, temp_storage& s, const row_of_segments& r, int items_of_lane) const {
    const std::uint32_t heads = s.heads[block.lane()];
    const int first = block.lane() * items_of_lane, last = heads != 0 ? first + highest_lane(heads) : 0,
              up_to = warp_inclusive_scan(block, last, maximum{});
    int begin = block.shuffle_up(up_to, 1);
    UPSWEEP_NO_UNROLL
    for (int i = 0; i < items_of_lane && first + i < r.items; ++i) {
      if ((heads >> i & 1) != 0) begin = first + i;
      std::uint32_t& word = s.word[first + i];
      word = ((word & slot_mask) - static_cast<std::uint32_t>(begin)) << place_shift | (word & slot_mask);
    }
    block.warp_sync();  // s.word has places
  }

  /// Writes to each item of the row what read(item, key, value) says, AtOnce of a lane at a time.
  template <int AtOnce, class Ctx, class Read>
  UPSWEEP_DEVICE void write(Ctx& block, const row_of_segments& r, Read read) const {
    // All are read before one is written, which could be the same memory to the compiler.
    UPSWEEP_NO_UNROLL
    for (int first = block.lane(); first < r.items; first += AtOnce * warp_size) {
      Key key[AtOnce];
      Value value[AtOnce];
      UPSWEEP_UNROLL
      for (int j = 0; j < AtOnce; ++j) {
        if (first + j * warp_size < r.items) read(first + j * warp_size, key[j], value[j]);
      }
      Key* const keys = keys_out + r.base + first;
      Value* const moved = values.out + r.base + first;
      UPSWEEP_UNROLL
      for (int j = 0; j < AtOnce; ++j) {
        if (first + j * warp_size >= r.items) continue;
        keys[j * warp_size] = key[j];
        moved[j * warp_size] = value[j];
      }
    }
  }

  /// That of item `from` of the arrays, which has that place in its segment.
  UPSWEEP_DEVICE Value value_at(std::int64_t from, int place) const {
    if constexpr (std::is_integral_v<Value>) {
      if (values.in == nullptr) return static_cast<Value>(place);
    }
    return values.in[from];
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
