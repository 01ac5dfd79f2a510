// The segments of a segmented sort by their length: tiny ones are sorted at once, of the others there are lists.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/warp_bitonic_sort.cuh"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A segment that is not tiny. Of a large one, `first_tile` says which of all tiles of large segments are its own.
struct listed_segment {
  std::int64_t begin, items, first_tile;
};

/// What a block's sort and the passes go over. Counters are zero before the first kernel, and may then count more
/// segments than there is room for: those are of segments that overlap, and are left out.
struct segment_lists {
  static constexpr int tile_bits = 36;  // of `large_count`, behind the number of segments
  static constexpr std::uint64_t tile_mask = (std::uint64_t{1} << tile_bits) - 1;
  static constexpr int of_blocks = 3;  // for sorts by one block, of three sizes
  listed_segment* list[of_blocks];
  std::int64_t room[of_blocks];
  std::uint64_t* count[of_blocks];
  listed_segment* large;
  std::int64_t large_room, tile_room;
  std::uint64_t* large_count;   ///< segments and tiles in one number, so that first tiles rise with the segments
  std::uint32_t* digit_counts;  ///< of each large segment, cleared where it is listed
  int digit_counts_of_a_segment;
};

/// The memory of a segment's values; without values_in they are places, counted from the segment's begin.
template <class Value>
UPSWEEP_DEVICE carried_values<Value> values_of_segment(const carried_values<Value>& v, std::int64_t begin) {
  if constexpr (std::is_same_v<Value, no_value>) return v;
  return {v.in == nullptr ? nullptr : v.in + begin, v.out + begin};
}

/// Whether the code of a key is one word of 32 bits.
template <class Key, class Digits>
concept one_word_keys = requires(const Digits& digits, const Key& key) {
  requires sizeof(digits.at(0, 1).code_of(key)) <= sizeof(std::uint32_t);
};

/// Some bits of such a code.
template <class Digit>
struct word_of_key {
  Digit digit;
  bit_range bits;  ///< not empty
  template <class Key>
  UPSWEEP_DEVICE std::uint32_t operator()(const Key& key) const {
    return std::uint32_t{digit.code_of(key)} >> bits.begin & ~std::uint32_t{0} >> (32 - (bits.end - bits.begin));
  }
};

/// body(word_of) for the bits of a key in words, the lowest first: word_of(key) has some of them.
template <class Key, class Digits, class Body>
UPSWEEP_DEVICE void each_word(const Digits& digits, bit_range bits, Body body) {
  if constexpr (one_word_keys<Key, Digits>) {
    if (bits.begin < bits.end) body(word_of_key<decltype(digits.at(0, 1))>{digits.at(0, 1), bits});
  } else {
    constexpr int most = 24;
    for (int shift = bits.begin; shift < bits.end; shift += most) {
      body(digits.at(shift, bits.end - shift < most ? bits.end - shift : most));
    }
  }
}

/// Each lane looks at one segment. A warp sorts its tiny ones, as many whole ones at once as fit its lanes: a key's
/// place is the number of keys of its segment that stand in front. Segments that begin or end outside of [0, n], or end
/// in front of their begin, are empty.
/// `Lists` are the most items of a segment in each list, TileItems those of a tile.
template <class Key, class Value, class Lists, int TileItems>
struct segment_lists_kernel {
  static constexpr int lists_of_blocks = segment_lists::of_blocks;
  static constexpr int block_threads = 256;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  struct temp_storage {};

  template <class Ctx, class Digits, class Count, class Segments, class Begins, class Ends>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Digits digits, bit_range bits, Count count,
                                 Segments segment_count, Begins begins, Ends ends, const Key* keys_in, Key* keys_out,
                                 carried_values<Value> v, segment_lists lists) const {
    const std::int64_t n = items_of(count), segments = items_of(segment_count);
    const std::int64_t segment = block.block_index() * block_threads + block.thread_rank();
    if (segment - block.lane() >= segments) return;
    std::int64_t begin = 0, items = 0;
    if (segment < segments) {
      begin = static_cast<std::int64_t>(begins[segment]);
      const auto end = static_cast<std::int64_t>(ends[segment]);
      if (begin >= 0 && begin < end && end <= n) items = end - begin;
    }
    sort_tiny(block, digits, bits, begin, items <= warp_size ? static_cast<int>(items) : 0, keys_in, keys_out, v);
    if (!block.any(items > warp_size)) return;
    std::int64_t shorter = warp_size;
    UPSWEEP_UNROLL
    for (int l = 0; l < lists_of_blocks; ++l) {
      const bool is_here = items > shorter && items <= Lists::of(l);
      const std::int64_t at = take_place(block, is_here, lists.count[l]);
      if (is_here && at < lists.room[l]) lists.list[l][at] = {begin, items, 0};
      shorter = Lists::of(l);
    }
    std::int64_t slot = lists.large_room;
    if (items > shorter) {
      const auto tiles = static_cast<std::uint64_t>((items + TileItems - 1) / TileItems);
      const std::uint64_t before =
          block.atomic_add(lists.large_count, (std::uint64_t{1} << segment_lists::tile_bits) + tiles);
      slot = static_cast<std::int64_t>(before >> segment_lists::tile_bits);
      const auto first = static_cast<std::int64_t>(before & segment_lists::tile_mask);
      // It is in the list also where there is no room for its tiles, so that all first tiles in the list rise.
      const bool fits = first + static_cast<std::int64_t>(tiles) <= lists.tile_room;
      if (slot < lists.large_room) lists.large[slot] = {begin, fits ? items : 0, first};
    }
    for (lane_mask left = block.ballot(slot < lists.large_room); left != 0; left &= left - 1) {
      const std::int64_t of = block.shuffle(slot, lowest_lane(left));
      std::uint32_t* const counts = lists.digit_counts + of * lists.digit_counts_of_a_segment;
      for (int i = block.lane(); i < lists.digit_counts_of_a_segment; i += warp_size) counts[i] = 0;
    }
  }

 private:
  /// A place of its own for each lane that wants one; for others anything. All lanes call.
  template <class Ctx>
  static UPSWEEP_DEVICE std::int64_t take_place(Ctx& block, bool wants, std::uint64_t* counter) {
    const lane_mask all = block.ballot(wants);
    if (all == 0) return 0;
    std::uint64_t first = 0;
    if (block.lane() == lowest_lane(all)) {
      first = block.atomic_add(counter, static_cast<std::uint64_t>(count_lanes(all)));
    }
    first = block.shuffle(first, lowest_lane(all));
    return static_cast<std::int64_t>(first) + count_lanes(all & ((1u << block.lane()) - 1));
  }

  template <class Ctx, class Digits>
  static UPSWEEP_DEVICE void sort_tiny(Ctx& block, const Digits& digits, bit_range bits, std::int64_t begin, int items,
                                       const Key* keys_in, Key* keys_out, const carried_values<Value>& v) {
    const auto put = [&](std::int64_t to, const Key& key, std::int64_t segment_begin, int from) {
      keys_out[to] = key;
      if constexpr (has_values) v.out[to] = values_of_segment(v, segment_begin).value_at(from);
    };
    if (!block.any(items > 1)) {
      if (items == 1) put(begin, keys_in[begin], begin, 0);
      return;
    }
    const int lane = block.lane();
    const int up_to = warp_inclusive_scan(block, items, plus{}), before = up_to - items;
    const int all = block.shuffle(up_to, warp_size - 1);
    for (int done = 0; done < all;) {
      // Whole segments of at most as many items as there are lanes.
      const lane_mask fit = block.ballot(up_to - done <= warp_size);
      const int next = block.shuffle(up_to, count_lanes(fit) - 1), mine = done + lane;
      const bool has_key = mine < next;
      int owner = 0;  // the first lane whose segments reach beyond `mine`
      UPSWEEP_UNROLL
      for (int step = warp_size / 2; step > 0; step /= 2) {
        if (block.shuffle(up_to, owner + step - 1) <= mine) owner += step;
      }
      const int first = block.shuffle(before, owner), length = block.shuffle(items, owner);
      const std::int64_t segment_begin = block.shuffle(begin, owner);
      const int from = has_key ? mine - first : 0;
      const int longest = static_cast<int>(block.reduce_max(has_key ? static_cast<std::uint32_t>(length) : 0u));
      Key key{};
      if (has_key) key = keys_in[segment_begin + from];
      // Bit j: key j of the segment stands in front, as far as the words so far say.
      std::uint32_t in_front = (1u << from) - 1;
      each_word<Key>(digits, bits, [&](auto word_of) {
        const std::uint32_t word = word_of(key);
        std::uint32_t lower = 0, same = 0;
        for (int j = 0; j < longest; ++j) {
          const std::uint32_t other = block.shuffle(word, first - done + j);
          lower |= std::uint32_t{other < word} << j;
          same |= std::uint32_t{other == word} << j;
        }
        in_front = lower | (same & in_front);
      });
      if (has_key) {
        const std::uint32_t keys = ~std::uint32_t{0} >> (warp_size - length);
        put(segment_begin + count_lanes(in_front & keys), key, segment_begin, from);
      }
      done = next;
    }
  }
};

/// A block after the other sorts the segments of a list. Of no bits they are copied: a sort by one block needs some.
template <class Sort>
struct listed_segments_kernel {
  static constexpr int block_threads = Sort::block_threads;
  using temp_storage = typename Sort::temp_storage;

  template <class Ctx, class Digits, class Key, class Value>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits,
                                 const listed_segment* segments, const std::uint64_t* count, std::int64_t room,
                                 const Key* keys_in, Key* keys_out, carried_values<Value> v) const {
    const auto counted = static_cast<std::int64_t>(*count), all = counted < room ? counted : room;
    for (std::int64_t i = block.block_index(); i < all; i += block.num_blocks()) {
      const listed_segment of = segments[i];
      const carried_values<Value> values = values_of_segment(v, of.begin);
      if (bits.begin == bits.end) {
        copy(block, of.items, keys_in + of.begin, keys_out + of.begin, values);
        continue;
      }
      Sort{}(block, s, digits, bits, of.items, keys_in + of.begin, keys_out + of.begin, values);
      block.barrier();  // shared memory has been read
    }
  }

 private:
  template <class Ctx, class Key, class Value>
  static UPSWEEP_DEVICE void copy(Ctx& block, std::int64_t items, const Key* keys_in, Key* keys_out,
                                  const carried_values<Value>& v) {
    for (std::int64_t i = block.thread_rank(); i < items; i += block_threads) {
      keys_out[i] = keys_in[i];
      if constexpr (!std::is_same_v<Value, no_value>) v.out[i] = v.value_at(i);
    }
  }
};

/// A warp after the other sorts the segments of a list in its registers, of at most 32 * Most items each. Of the words
/// that it sorts the lower bits are where the key stands, so that equal keys stay in order.
template <class Key, class Value, int Most>
struct warp_segments_kernel {
  static constexpr int block_threads = 256;
  static constexpr int warps = block_threads / warp_size;
  static constexpr int tile_items = warp_size * Most;
  static constexpr int place_bits = 8;
  static_assert(tile_items <= 1 << place_bits);
  struct temp_storage {};

  template <class Ctx, class Digits>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Digits digits, bit_range bits,
                                 const listed_segment* segments, const std::uint64_t* count, std::int64_t room,
                                 const Key* keys_in, Key* keys_out, carried_values<Value> v) const {
    const auto counted = static_cast<std::int64_t>(*count), all = counted < room ? counted : room;
    for (std::int64_t i = block.block_index() * warps + block.warp(); i < all; i += block.num_blocks() * warps) {
      const listed_segment of = segments[i];
      const auto items = static_cast<int>(of.items);
      const carried_values<Value> values = values_of_segment(v, of.begin);
      sort_by<2>(block, digits, bits, items, keys_in + of.begin, keys_out + of.begin, values);
    }
  }

 private:
  /// By as many words a lane as there are items, but at least Items.
  template <int Items, class Ctx, class Digits>
  static UPSWEEP_DEVICE void sort_by(Ctx& block, const Digits& digits, bit_range bits, int items, const Key* keys_in,
                                     Key* keys_out, const carried_values<Value>& v) {
    if constexpr (Items < Most) {
      if (items > warp_size * Items) return sort_by<2 * Items>(block, digits, bits, items, keys_in, keys_out, v);
    }
    std::uint64_t word[Items];
    each_word<Key>(digits, bits, [&](auto word_of) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int at = i * warp_size + block.lane();
        word[i] = ~std::uint64_t{0};
        if (at < items) word[i] = std::uint64_t{word_of(keys_in[at])} << place_bits | static_cast<std::uint32_t>(at);
      }
    });
    if (bits.begin == bits.end) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) word[i] = static_cast<std::uint32_t>(block.lane() * Items + i);
    } else {
      warp_bitonic_sort(block, word);
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = block.lane() * Items + i;
      if (at >= items) continue;
      const auto from = static_cast<int>(word[i] & ((1 << place_bits) - 1));
      keys_out[at] = keys_in[from];
      if constexpr (!std::is_same_v<Value, no_value>) v.out[at] = v.value_at(from);
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
