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

  /// Of one warp.
  struct temp_storage {
    padded_array<std::uint32_t, most_items_of_a_row> word;
    std::uint32_t heads[warp_size];               // at which of each lane's items a segment begins
    std::uint16_t by_lower[most_items_of_a_row];  // the slots of the keys in the order of the bits that had no room
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
    write(
        block, r, [](int to) { return static_cast<std::uint32_t>(to); },
        [&](std::uint32_t from) { return value_at(r.base + from, 0); });
  }

  /// Sorts and writes it. mark_heads(n) writes s.heads, where n, an integral_constant, is how many items a lane has.
  template <class Ctx, class MarkHeads>
  UPSWEEP_DEVICE void sort(Ctx& block, temp_storage& s, const row_of_segments& r, MarkHeads mark_heads) const {
    const bool is_half = r.items <= 8 * warp_size;
    if (is_half) {
      sort_words<8>(block, s, r, mark_heads);
    } else {
      sort_words<16>(block, s, r, mark_heads);
    }
    write_sorted(block, s, r, is_half ? 8 : 16);
  }

 private:
  /// Keys are sorted by as many bits as there is room for beside the slot, from the highest in which two keys of the
  /// row differ. Where that is not enough, they are sorted by the lower bits, and then by the higher ones.
  template <int Items, class Ctx, class MarkHeads>
  UPSWEEP_DEVICE void sort_words(Ctx& block, temp_storage& s, const row_of_segments& r,
                                 const MarkHeads& mark_heads) const {
    using layout = row_layout<Items>;
    static_assert(layout::period == warp_size, "slots are those of a padded_array");
    const int lane = block.lane();
    const auto code_of = [&](int slot) { return word_at(r.base + slot); };
    mark_heads(std::integral_constant<int, Items>{});
    int dropped = 0;
    enum { by_highest, by_lower, by_higher };
    UPSWEEP_NO_UNROLL
    for (int step = by_highest;; ++step) {
      std::uint32_t word[Items];
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int slot = i * warp_size + lane;
        word[i] = ~std::uint32_t{0};
        if (slot < r.items) word[i] = code_of(step == by_higher ? s.by_lower[slot] : slot);
      }
      if (step == by_highest) {
        fetch_values<Items>(block, s, r);
        dropped = bits_without_room<Items>(block, word, r.items);
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
      const bool some_are_alike = step == by_highest && dropped > 0 && have_like_neighbours<Items>(block, word);
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (step == by_higher && lane * Items + i < r.items) word[i] = s.by_lower[word[i] & slots];
        s.word.slot[layout::of_lane(lane, i)] = word[i];
      }
      block.warp_sync();  // s.word is sorted
      if (step == by_higher) break;
      if (step == by_highest && (!some_are_alike || are_in_order<Items>(block, s, heads, r))) break;
      if (step == by_lower) {
        for (int slot = lane; slot < r.items; slot += warp_size) {
          s.by_lower[slot] = static_cast<std::uint16_t>(s.word.slot[layout::of_row(slot / warp_size, lane)] & slots);
        }
      }
      block.warp_sync();  // s.word has been read, and each lane's slots of s.by_lower are written
    }
  }

  /// Writes the row that is sorted, of which each lane had so many items.
  template <class Ctx>
  UPSWEEP_DEVICE void write_sorted(Ctx& block, temp_storage& s, const row_of_segments& r, int items_of_lane) const {
    if constexpr (std::is_integral_v<Value>) {
      if (values.in == nullptr) put_places(block, s, r, items_of_lane);
    }
    write(
        block, r, [&](int to) { return s.word[to]; },
        [&](std::uint32_t word) {
          const auto slot = static_cast<int>(word & slots);
          if constexpr (values_wait) {
            if (values.in != nullptr) return s.value[slot];
          }
          return value_at(r.base + slot, static_cast<int>(word >> place_shift));
        });
  }

  static constexpr std::uint32_t slots = most_items_of_a_row - 1;
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

  /// Of the row's words, in which slot i * 32 + lane is the caller's word i.
  template <int Items, class Ctx>
  static UPSWEEP_DEVICE int bits_without_room(Ctx& block, const std::uint32_t (&word)[Items], int items) {
    const std::uint32_t any = block.shuffle(word[0], 0);
    std::uint32_t differing = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i * warp_size + block.lane() < items) differing |= word[i] ^ any;
    }
    differing = block.reduce_max(differing);
    const int room = 32 - slot_bits, width = differing == 0 ? 0 : highest_lane(differing) + 1;
    return width > room ? width - room : 0;
  }

  /// Whether some of the row's neighbours, of one segment or two, agree in all bits but the slot.
  template <int Items, class Ctx>
  static UPSWEEP_DEVICE bool have_like_neighbours(Ctx& block, const std::uint32_t (&word)[Items]) {
    const std::uint32_t next = block.shuffle_down(word[0], 1);
    std::uint32_t least = ~std::uint32_t{0};
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t differing = word[i] ^ (i + 1 < Items ? word[i + 1] : next);
      least = differing < least ? differing : least;
    }
    return block.any(least <= slots);
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
      if ((word ^ next) <= slots && word_at(r.base + (word & slots)) > word_at(r.base + (next & slots))) {
        in_order = false;
      }
    }
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
      word = ((word & slots) - static_cast<std::uint32_t>(begin)) << place_shift | (word & slots);
    }
    block.warp_sync();  // s.word has places
  }

  /// To each item of the row the key and value of the slot in its word.
  template <class Ctx, class WordAt, class ValueOf>
  UPSWEEP_DEVICE void write(Ctx& block, const row_of_segments& r, WordAt word_at, ValueOf value_of) const {
    // All are read before one is written, which could be the same memory to the compiler.
    constexpr int at_once = sizeof(Key) <= 8 && sizeof(Value) <= 8 ? 4 : 1;
    UPSWEEP_NO_UNROLL
    for (int first = block.lane(); first < r.items; first += at_once * warp_size) {
      Key key[at_once];
      Value value[at_once];
      UPSWEEP_UNROLL
      for (int j = 0; j < at_once; ++j) {
        const int to = first + j * warp_size;
        if (to >= r.items) continue;
        const std::uint32_t word = word_at(to);
        key[j] = keys_in[r.base + (word & slots)];
        value[j] = value_of(word);
      }
      UPSWEEP_UNROLL
      for (int j = 0; j < at_once; ++j) {
        const int to = first + j * warp_size;
        if (to >= r.items) continue;
        keys_out[r.base + to] = key[j];
        values.out[r.base + to] = value[j];
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
