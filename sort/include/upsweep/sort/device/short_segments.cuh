// Segments that a warp or a part of it sorts in its registers. Lanes get their items through shared memory, so that
// segments that are neighbours are read and written as one.
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
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/sub_warp_sort.cuh"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/short_segment_share.cuh"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The memory of a segment's values; without values_in they are places, counted from the segment's begin.
template <class Value>
UPSWEEP_DEVICE carried_values<Value> values_of_segment(const carried_values<Value>& v, std::int64_t begin) {
  if constexpr (std::is_same_v<Value, no_value>) return v;
  return {v.in == nullptr ? nullptr : v.in + begin, v.out + begin};
}

/// The short segments of a warp, each of at most MostLanes * 16 items.
template <class Key, class Value, class Digits, int MostLanes>
struct short_segments {
  static constexpr int items_per_lane = short_segment_items_per_lane;
  static constexpr int fewer_items_per_lane = 13;  // of a lane where all that go together have no more
  static constexpr int most_items = MostLanes * items_per_lane;
  static constexpr int room = warp_size * items_per_lane;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr bool by_codes = !has_values && keys_told_by_codes<Key, Digits>;
  using code_word = std::conditional_t<by_codes && (sizeof(Key) > 4), std::uint64_t, std::uint32_t>;

  /// Of one warp.
  struct temp_storage {
    union {
      padded_array<code_word, room> code;
      padded_array<std::uint32_t, room> from;  // slot of the key that comes here, and its place in its segment
    };
    std::uint32_t owner[warp_size];  // the lanes that have the segments of a length, in order
  };
  static constexpr int slot_bits = 16;

  Digits digits;
  bit_range bits;
  const Key* keys_in;
  Key* keys_out;
  carried_values<Value> values;
  unit_factors units{};

  /// Sorts a segment of each lane, of up to most_items items or none. The warp calls.
  template <class Ctx>
  UPSWEEP_DEVICE void sort(Ctx& block, temp_storage& s, std::int64_t begin, int items) const {
    const auto longest = static_cast<int>(block.reduce_max(static_cast<std::uint32_t>(items)));
    if (longest <= 1) {
      if (items == 1) {
        const Key key = keys_in[begin];
        if constexpr (has_values) values.out[begin] = value_at(begin, 0);
        keys_out[begin] = key;
      }
      return;
    }
    // Those of one and of two lanes go together: they are often neighbours.
    int shorter = 0;
    for (int lanes = block.any(items > items_per_lane && items <= 2 * items_per_lane) ? 2 : 1; shorter < longest;
         lanes *= 2) {
      const int most = lanes * items_per_lane;
      const bool is_here = items > shorter && items <= most;
      shorter = most;
      const lane_mask here = block.ballot(is_here);
      if (here == 0) continue;
      if (lanes == 1) {
        sort_at_once<items_per_lane, 1>(block, s, lanes, begin, is_here ? items : 0);
        continue;
      }
      if (is_here) s.owner[count_lanes(here & ((lane_mask{1} << block.lane()) - 1))] = block.lane();
      block.warp_sync();  // s.owner is written
      const bool by_fewer = may_be_by_fewer() && !block.any(is_here && items > lanes * fewer_items_per_lane);
      const int at_once = warp_size / lanes, all = count_lanes(here);
      for (int number = block.lane() / lanes, done = 0; done < all; done += at_once, number += at_once) {
        const int owner = static_cast<int>(s.owner[number < all ? number : 0]);
        const std::int64_t its_begin = block.shuffle(begin, owner);
        const int of_owner = block.shuffle(items, owner), its_items = number < all ? of_owner : 0;
        if constexpr (has_fewer) {
          if (by_fewer && sort_at_once<fewer_items_per_lane, 2>(block, s, lanes, its_begin, its_items)) continue;
        }
        sort_at_once<items_per_lane, 2>(block, s, lanes, its_begin, its_items);
      }
    }
  }

 private:
  template <int Items>
  using share = short_segment_share<Items>;

  UPSWEEP_DEVICE bool by_all_bits() const { return bits.begin == 0 && bits.end == Digits::bits; }
  /// For the sake of their code others always have as many items a lane.
  static constexpr bool has_fewer = by_codes || (has_values && one_word_keys<Key, Digits>);
  UPSWEEP_DEVICE bool may_be_by_fewer() const { return by_codes ? by_all_bits() : has_fewer && bits.begin < bits.end; }

  /// Each `lanes` lanes, Least or more, sort a segment, or have none of any items; not all of them. False if they did
  /// not, since keys differ in bits that fewer items a lane are not sorted by.
  template <int Items, int Least, class Ctx>
  UPSWEEP_DEVICE bool sort_at_once(Ctx& block, temp_storage& s, int lanes, std::int64_t begin, int items) const {
    const int rank = block.lane() & (lanes - 1);
    const int up_to = warp_inclusive_scan(block, rank == 0 ? items : 0, plus{});
    share<Items> of{lanes, rank, items, up_to - items, 0, false, 0};
    of.base = begin - of.first;
    of.total = block.shuffle(up_to, warp_size - 1);
    const lane_mask have = block.ballot(items > 0);
    const std::int64_t first_base = block.shuffle(of.base, lowest_lane(have));
    of.are_neighbours = block.all(items == 0 || of.base == first_base);
    if (of.are_neighbours) of.base = first_base;
    if constexpr (by_codes) {
      if (Items == fewer_items_per_lane || by_all_bits()) {
        sort_codes<Least>(block, s, of);
        return true;
      }
    }
    if constexpr (!by_codes || Items == items_per_lane) {
      if (!sort_places < by_codes ? 0 : Least > (block, s, of)) return false;
      write_by_places<Least == 1 ? 1 : 0>(block, s, of);
      block.warp_sync();  // s.from has been read
    }
    return true;
  }

  /// Each lane gets words of its segment, and says which. Up to two lanes of a segment each read what is far apart, and
  /// so neighbours go through shared memory.
  template <int Least, int Items, class Word, class Ctx, class WordOf>
  UPSWEEP_DEVICE words_of_lane load_words(Ctx& block, temp_storage& s, const share<Items>& of, Word (&word)[Items],
                                          WordOf word_of) const {
    if (of.lanes > 2 || !of.are_neighbours) {
      const words_of_lane mine = of.in_turns();
      const Key* const in = keys_in + (of.base + of.first + of.rank);
      with_constant<Least>(of.lanes, [&](auto lanes) {
        UPSWEEP_UNROLL
        for (int i = 0; i < Items; ++i) {
          word[i] = static_cast<Word>(~Word{0});
          if (i < mine.count) word[i] = word_of(in[i * lanes]);
        }
      });
      return mine;
    }
    const int left = of.total - block.lane();
    const Key* const in = keys_in + (of.base + block.lane());
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      word[i] = 0;
      if (i * warp_size < left) word[i] = word_of(in[i * warp_size]);
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i * warp_size < left) s.code.slot[share<Items>::row_slot(i, block.lane())] = static_cast<code_word>(word[i]);
    }
    block.warp_sync();  // s.code is written
    const words_of_lane mine = of.sorted();
    const slots_of_lane<Items> lane_slots(of);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      word[i] = static_cast<Word>(~Word{0});
      if (i < mine.count) word[i] = static_cast<Word>(s.code.slot[lane_slots.at(i)]);
    }
    block.warp_sync();  // s.code has been read
    return mine;
  }

  template <int Items, class Word, class Ctx>
  UPSWEEP_DEVICE void sort_words(Ctx& block, const share<Items>& of, Word (&word)[Items]) const {
    sub_warp_sort(block, word, of.lanes, of.lanes == 1 && !block.any(of.items > 4), units);
  }

  template <int Least, int Items, class Ctx>
  UPSWEEP_DEVICE void sort_codes(Ctx& block, temp_storage& s, const share<Items>& of) const {
    const auto digit = digits.at(0, 1);
    code_word word[Items];
    load_words<Least>(block, s, of, word, [&](const Key& key) { return code_word{digit.code_of(key)}; });
    sort_words(block, of, word);
    const slots_of_lane<Items> lane_slots(of);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i < of.sorted().count) s.code.slot[lane_slots.at(i)] = word[i];
    }
    block.warp_sync();  // s.code is written
    by_turns<Least>(block, of, [&](const auto& mine) {
      Key* const out = keys_out + mine.base;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (!mine.has(i)) continue;
        const auto code = static_cast<decltype(digit.code_of(Key{}))>(s.code.slot[mine.at(i)]);
        out[mine.distance(i)] = digit.key_of(code);
      }
    });
    block.warp_sync();  // s.code has been read
  }

  /// Writes s.from. Of the words that are sorted the lower bits are the keys' places, so that equal keys stay in order.
  /// Beside values, keys of one word are sorted first by as many bits as there is room for, from the highest in which
  /// two keys of the warp differ. Where that is not enough, they are sorted as others, by digits from the lowest on.
  template <int Least, int Items, class Ctx>
  UPSWEEP_DEVICE bool sort_places(Ctx& block, temp_storage& s, const share<Items>& of) const {
    std::uint32_t word[Items];
    const std::uint32_t place_mask = (1u << of.place_bits()) - 1;
    if constexpr (has_values && one_word_keys<Key, Digits>) {
      if (bits.begin < bits.end) {
        const auto [loaded, dropped] = load_highest_bits<Least>(block, s, of, word);
        sort_to_places(block, of, loaded, dropped, word);
        const lane_mask alike = dropped > 0 ? followed_by_like(block, of, word) : 0;
        UPSWEEP_UNROLL
        for (int i = 0; i < Items; ++i) word[i] &= place_mask;
        put_places(block, s, of, word);
        if (block.all(are_in_order(s, of, alike))) return true;
        block.warp_sync();  // s.from has been read
      }
    }
    if constexpr (Items == fewer_items_per_lane) {
      return false;
    } else {
      sort_places_by_digits(block, s, of);
      return true;
    }
  }

  /// Likewise, by digits from the lowest on.
  template <int Items, class Ctx>
  UPSWEEP_DEVICE void sort_places_by_digits(Ctx& block, temp_storage& s, const share<Items>& of) const {
    std::uint32_t word[Items];
    const std::uint32_t place_mask = (1u << of.place_bits()) - 1;
    const words_of_lane sorted = of.sorted();
    const slots_of_lane<Items> lane_slots(of);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) word[i] = static_cast<std::uint32_t>(sorted.number(i));
    put_places(block, s, of, word);
    const int most = 32 - of.place_bits();
    UPSWEEP_NO_UNROLL
    for (int shift = bits.begin; shift < bits.end; shift += most) {
      const auto word_of = digits.at(shift, bits.end - shift < most ? bits.end - shift : most);
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        word[i] = ~std::uint32_t{0};
        if (i < sorted.count) word[i] = word_of(keys_in[of.base + slot_of(s.from.slot[lane_slots.at(i)])]);
      }
      sort_to_places(block, of, sorted, 0, word);
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i < sorted.count) word[i] = s.from.slot[of.slot(static_cast<int>(word[i] & place_mask))] >> slot_bits;
      }
      block.warp_sync();  // s.from has been read
      put_places(block, s, of, word);
    }
  }

  /// Sorts words of key bits, less the `dropped` lowest ones, and of their places, which must fit 32 bits.
  template <int Items, class Ctx>
  UPSWEEP_DEVICE void sort_to_places(Ctx& block, const share<Items>& of, const words_of_lane& loaded, int dropped,
                                     std::uint32_t (&word)[Items]) const {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const auto place = static_cast<std::uint32_t>(loaded.number(i));
      if (i < loaded.count) word[i] = word[i] >> dropped << of.place_bits() | place;
    }
    sort_words(block, of, word);
  }

  struct loaded_bits {
    words_of_lane words;
    int dropped;
  };
  /// The words of the caller's keys; says how many of their lowest bits there is no room for.
  template <int Least, int Items, class Ctx>
  UPSWEEP_DEVICE loaded_bits load_highest_bits(Ctx& block, temp_storage& s, const share<Items>& of,
                                               std::uint32_t (&word)[Items]) const {
    if constexpr (one_word_keys<Key, Digits>) {
      const words_of_lane words =
          load_words<Least>(block, s, of, word, word_of_key<decltype(digits.at(0, 1))>{digits.at(0, 1), bits});
      const std::uint32_t any = block.shuffle(word[0], lowest_lane(block.ballot(words.count > 0)));
      std::uint32_t differing = 0;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i < words.count) differing |= word[i] ^ any;
      }
      differing = block.reduce_max(differing);
      const int room = 32 - of.place_bits(), width = differing == 0 ? 0 : highest_lane(differing) + 1;
      return {words, width > room ? width - room : 0};
    }
    return {};
  }

  /// Which of the caller's sorted words come before one with the same bits of a key.
  template <int Items, class Ctx>
  static UPSWEEP_DEVICE lane_mask followed_by_like(Ctx& block, const share<Items>& of,
                                                   const std::uint32_t (&word)[Items]) {
    const std::uint32_t next = block.shuffle_down(word[0], 1);
    lane_mask alike = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t behind = i + 1 < Items ? word[i + 1] : next;
      if (i + 1 < of.sorted().count && (word[i] ^ behind) >> of.place_bits() == 0) alike |= lane_mask{1} << i;
    }
    return alike;
  }

  /// Whether keys that are alike in the bits that were sorted by are in the order of all.
  template <int Items>
  UPSWEEP_DEVICE bool are_in_order(const temp_storage& s, const share<Items>& of, lane_mask alike) const {
    bool in_order = true;
    if constexpr (one_word_keys<Key, Digits>) {
      const word_of_key<decltype(digits.at(0, 1))> word_of{digits.at(0, 1), bits};
      const slots_of_lane<Items> lane_slots(of);
      const auto key_bits = [&](int i) { return word_of(keys_in[of.base + slot_of(s.from.slot[lane_slots.at(i)])]); };
      for (; alike != 0; alike &= alike - 1) {
        const int i = lowest_lane(alike);
        if (key_bits(i) > key_bits(i + 1)) in_order = false;
      }
    }
    return in_order;
  }

  static UPSWEEP_DEVICE int slot_of(std::uint32_t from) { return static_cast<int>(from & ((1u << slot_bits) - 1)); }

  template <int Items, class Ctx>
  static UPSWEEP_DEVICE void put_places(Ctx& block, temp_storage& s, const share<Items>& of,
                                        const std::uint32_t (&place)[Items]) {
    const slots_of_lane<Items> lane_slots(of);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t from = place[i];
      if (i < of.sorted().count) {
        s.from.slot[lane_slots.at(i)] = from << slot_bits | (static_cast<std::uint32_t>(of.first) + from);
      }
    }
    block.warp_sync();  // s.from is written
  }

  template <int Least, int Items, class Ctx>
  UPSWEEP_DEVICE void write_by_places(Ctx& block, const temp_storage& s, const share<Items>& of) const {
    by_turns<Least>(block, of, [&](const auto& mine) {
      constexpr int at_once = sizeof(Key) <= 8 && sizeof(Value) <= 8 ? 4 : 1;
      const Key* const in = keys_in + of.base;
      Key* const out = keys_out + mine.base;
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; i += at_once) {
        if (!mine.has(i)) break;  // nor those behind it, for which nothing is done
        Key key[at_once]{};
        // All are read before one is written, which could be the same memory to the compiler.
        [[maybe_unused]] Value value[at_once]{};
        UPSWEEP_UNROLL
        for (int j = 0; j < at_once; ++j) {
          if (i + j >= Items || !mine.has(i + j)) continue;
          const std::uint32_t from = s.from.slot[mine.at(i + j)];
          key[j] = in[slot_of(from)];
          if constexpr (has_values) value[j] = value_at(of.base + slot_of(from), static_cast<int>(from >> slot_bits));
        }
        UPSWEEP_UNROLL
        for (int j = 0; j < at_once; ++j) {
          if (i + j >= Items || !mine.has(i + j)) continue;
          out[mine.distance(i + j)] = key[j];
          if constexpr (has_values) (values.out + mine.base)[mine.distance(i + j)] = value[j];
        }
      }
    });
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
