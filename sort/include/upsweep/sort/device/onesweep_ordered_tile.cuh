// A tile of a pass of onesweep as it is in shared memory, and how its keys and values leave once they are in order.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/tile_places.cuh"
#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/sort/block/packed_digits.hpp"
#include "upsweep/sort/block/padded.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether the keys of a sorted tile tell by themselves that they are in order: numbers, compared by all their bits.
/// Those that are equal as far as they are sorted may be in any order, since equal ones are the same, but for zeros.
template <class Key, class Value, class Digit>
inline constexpr bool keys_tell_order = false;
template <class Key>
inline constexpr bool keys_tell_order<Key, no_value, digit_of<Key>> = std::is_arithmetic_v<Key> &&
                                                                      (sizeof(Key) == 4 || sizeof(Key) == 8);

/// How the tiles of a pass find out where their keys go.
template <class Tile, int Radix = 1 << Tile::radix_bits>
using tile_lookback = std::conditional_t<(Tile::lookback_group > 0),
                                         grouped_digit_lookback<Radix, Tile::lookback_group, Tile::lookback_groups>,
                                         digit_lookback<Radix>>;

/// Digit and position in one word.
struct place_code {
  using code = std::uint32_t;
};

/// Tile: block_threads, items_per_thread, radix_bits, how many blocks a multiprocessor shall have room for, and
/// lookback_group and lookback_groups: see tile_lookback.
/// ByKeys: see keys_tell_order; the tile then is sorted itself, not a list of where its keys are.
template <class Key, class Value, class Digit, class Tile, bool ByKeys>
struct ordered_tile {
  using tile = Tile;
  static constexpr int block_threads = Tile::block_threads;
  static constexpr int blocks_per_multiprocessor = Tile::blocks_per_multiprocessor;
  static constexpr int items_per_thread = Tile::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static_assert(padded(tile_items) <= 1 << 16, "positions are numbers of 16 bits");
  using places = tile_places<block_threads, items_per_thread, Tile::radix_bits>;
  static constexpr int radix = places::radix;
  using lookback = tile_lookback<Tile>;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  /// Wider values fill separate sectors, and go straight to their places.
  static constexpr bool stages_values = has_values && sizeof(Value) <= 8;
  using staged_value = std::conditional_t<stages_values, Value, no_value>;
  static constexpr int registers = (1 << 16) / (block_threads * blocks_per_multiprocessor);
  /// Where few keys leave room for it, values go with their keys from the beginning.
  static constexpr bool carries_values = stages_values && items_per_thread <= 8 && registers >= 64;
  using carried_value = std::conditional_t<carries_values, Value, no_value>;

  /// A rank that tells order: see key_at.
  using order_word = typename std::conditional_t<ByKeys, key_codec<Key>, place_code>::code;
  struct temp_storage {
    typename places::temp_storage places_storage;
    // Key i of the tile in order, of digit d, goes to to[d] + i; to_above has the upper halves.
    std::uint32_t to[radix], to_above[radix];
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<Digit, 1> digit_again;
    uninitialized_array<std::uint16_t, ByKeys ? 1 : tile_items> source;  // where key i in order was: padded
    uninitialized_array<carried_value, carries_values ? padded(tile_items) : 1> carried;  // padded, in order
    union {                                                                               // both padded
      uninitialized_array<Key, padded(tile_items)> key;                                   // in order
      uninitialized_array<staged_value, padded(tile_items)> value;                        // as they came
    };
  };

  /// The moves of a thread's keys, which their values make too: where each goes and where it was, as far as there are
  /// registers for that, else the digits.
  static constexpr bool keeps_moves = !carries_values && has_values && 32 + items_per_thread * 5 / 2 <= registers;
  struct moves {
    packed_digits<keeps_moves ? 1 : items_per_thread> digits;
    std::uint32_t to[keeps_moves ? items_per_thread : 1];
    std::uint32_t source[keeps_moves ? (items_per_thread + 1) / 2 : 1];

    /// i goes from 0 on, and is constant.
    UPSWEEP_DEVICE void put(int i, std::uint32_t digit, std::uint32_t place, std::uint32_t stood) {
      if constexpr (keeps_moves) {
        to[i] = place;
        source[i / 2] = i % 2 == 0 ? stood : source[i / 2] | stood << 16;
      } else {
        digits.put(i, digit);
      }
    }
    UPSWEEP_DEVICE std::uint32_t place(const temp_storage& s, int i, int at) const {
      if constexpr (keeps_moves) return to[i];
      return s.to[digits.get(i)] + static_cast<std::uint32_t>(at);
    }
    UPSWEEP_DEVICE int stood(const temp_storage& s, int i, int at) const {
      if constexpr (keeps_moves) return static_cast<int>(source[i / 2] >> i % 2 * 16 & 0xffff);
      return s.source[at];
    }
  };

  template <class Ctx, class T>
  static UPSWEEP_DEVICE void store(Ctx& block, T* to, const T& item) {
    constexpr bool is_word = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0 && alignof(T) == sizeof(T);
    if constexpr (is_word && !ByKeys) {
      block.store_streaming(to, item);
    } else {
      *to = item;
    }
  }

  /// The same for a key that goes to place `to` of an array, or of what stands for one.
  template <class Ctx, class KeysTo, class Place>
  static UPSWEEP_DEVICE void store_key(Ctx& block, const KeysTo& keys, Place to, const Key& key) {
    if constexpr (std::is_pointer_v<KeysTo>) {
      store(block, keys + to, key);
    } else {
      keys.store(to, key);
    }
  }

  /// What must not fall from key to key of the tile in order, its digit, and the key.
  struct ranked_key {
    order_word rank;
    std::uint32_t digit;
    Key key;
  };
  static UPSWEEP_DEVICE ranked_key key_at(const temp_storage& s, Digit digit, int at) {
    return key_at(s, digit, at, padded(at));
  }
  static UPSWEEP_DEVICE ranked_key key_at(const temp_storage& s, Digit digit, [[maybe_unused]] int at, int slot) {
    const Key key = s.key[slot];
    if constexpr (ByKeys) {
      const order_word mask = order_word{digit.mask} << digit.shift | ((order_word{1} << digit.shift) - 1);
      const order_word rank = key_codec<Key>::encode(key, digit.flip) & mask;
      return {rank, static_cast<std::uint32_t>(rank >> digit.shift), key};
    } else {
      const std::uint32_t d = digit(key);
      return {d << 16 | s.source[at], d, key};
    }
  }

  /// Of a full tile, runs of equal digits leave in order: neighbouring threads write neighbouring places; with them the
  /// values that they carry. False when keys of one digit are not in order.
  template <class Ctx, class KeysTo>
  static UPSWEEP_DEVICE bool store_keys(Ctx& block, const temp_storage& s, const KeysTo& keys,
                                        [[maybe_unused]] Value* values, Digit digit, [[maybe_unused]] moves& moved) {
    bool in_order = true;
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = block.thread_rank() + i * block_threads;
      const int slot = padded_stride<block_threads>(block.thread_rank(), i);
      const ranked_key k = key_at(s, digit, at, slot);
      const std::uint32_t to = s.to[k.digit] + static_cast<std::uint32_t>(at);
      if constexpr (carries_values) {
        store(block, values + to, s.carried[slot]);
      } else if constexpr (has_values) {
        moved.put(i, k.digit, to, static_cast<std::uint32_t>(k.rank & 0xffff));
      }
      store_key(block, keys, to, k.key);
      const order_word before = block.shuffle_up(k.rank, 1);
      if (before > k.rank) in_order = false;
    }
    // From the last key of each warp to the first of the next.
    for (int at = (block.thread_rank() + 1) * warp_size; at < tile_items; at += block_threads * warp_size) {
      if (key_at(s, digit, at - 1).rank > key_at(s, digit, at).rank) in_order = false;
    }
    return in_order;
  }

  /// The same in less code, for any tile and with all values: the first `valid` keys leave, and the first `ranked` are
  /// looked at, padding among them. By keys, padding and a key may be equal as far as they are sorted, and then only
  /// padding may come after `valid`; or what is the same by all bits.
  template <class Ctx, class KeysTo>
  static UPSWEEP_DEVICE bool store_pairs(Ctx& block, const temp_storage& s, const KeysTo& keys,
                                         [[maybe_unused]] Value* values, Digit digit,
                                         [[maybe_unused]] const Value* from, std::int64_t begin, int valid,
                                         int ranked) {
    bool in_order = true;
    constexpr int batch = 4;
    UPSWEEP_NO_UNROLL
    for (int first = block.thread_rank(); first - block.thread_rank() < ranked; first += batch * block_threads) {
      UPSWEEP_UNROLL
      for (int i = 0; i < batch; ++i) {
        // Loads are under no condition, so that all of a batch are on their way at once.
        const int place = first + i * block_threads, at = place < ranked ? place : ranked - 1;
        const ranked_key k = key_at(s, digit, at);
        if (key_at(s, digit, at > 0 ? at - 1 : 0).rank > k.rank) in_order = false;
        if constexpr (ByKeys) {
          if (at >= valid && static_cast<order_word>(~key_codec<Key>::encode(k.key, digit.flip)) != 0) in_order = false;
        }
        const std::uint64_t to =
            (std::uint64_t{s.to_above[k.digit]} << 32 | s.to[k.digit]) + static_cast<std::uint32_t>(at);
        if constexpr (carries_values) {
          const Value value = s.carried[padded(at)];
          if (place < valid) store(block, values + to, value);
        } else if constexpr (has_values) {
          const int stood = unpadded(s.source[at]);
          const Value value = value_of(from, begin, stood < valid ? stood : 0);
          if (place < valid) store(block, values + to, value);
        }
        if (place < valid) store_key(block, keys, to, k.key);
      }
    }
    return in_order;
  }

  /// The value of the key that was at `at` in the tile. From null, it is the place of the key.
  static UPSWEEP_DEVICE Value value_of(const Value* values, std::int64_t begin, int at) {
    return carried_values<Value>{values, nullptr}.value_at(begin + at);
  }

  /// Values of a full tile move as their keys do. From null, they are the places of the keys.
  template <class Ctx>
  static UPSWEEP_DEVICE void store_values(Ctx& block, temp_storage& s, const Value* from, std::int64_t begin,
                                          Value* values, const moves& moved) {
    const auto store_all = [&](auto value_from) {
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = block.thread_rank() + i * block_threads;
        store(block, values + moved.place(s, i, at), value_from(moved.stood(s, i, at)));
      }
    };
    if constexpr (std::is_integral_v<Value>) {
      if (from == nullptr) {
        return store_all([&](int source) { return value_of(nullptr, begin, unpadded(source)); });
      }
    }
    if constexpr (stages_values) {
      block.barrier();  // the keys have left
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = block.thread_rank() + i * block_threads;
        s.value[padded_stride<block_threads>(block.thread_rank(), i)] = from[begin + at];
      }
      block.barrier();  // the values are there
      store_all([&](int source) { return s.value[source]; });
    } else {
      store_all([&](int source) { return value_of(from, begin, unpadded(source)); });
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void copy_tile(Ctx& block, const sort_arrays<Key, Value>& arrays, const sort_pass& pass,
                                       std::int64_t first, std::int64_t n, std::int64_t tile) {
    const std::int64_t in_front = tile * tile_items, begin = first + in_front;
    const int items = n - in_front < tile_items ? static_cast<int>(n - in_front) : tile_items;
    // Several on their way at once. A thread has read its items before it writes them, so they may be the same.
    const auto copy = [&]<class T>(auto item, T* to) {
      constexpr int in_flight = sizeof(T) <= 8 ? 8 : 1;
      UPSWEEP_NO_UNROLL
      for (int i = block.thread_rank(); i < items; i += block_threads * in_flight) {
        uninitialized_array<T, in_flight> several;
        UPSWEEP_UNROLL
        for (int j = 0; j < in_flight; ++j) {
          if (i + j * block_threads < items) several[j] = item(i + j * block_threads);
        }
        UPSWEEP_UNROLL
        for (int j = 0; j < in_flight; ++j) {
          if (i + j * block_threads < items) to[i + j * block_threads] = several[j];
        }
      }
    };
    copy([keys = arrays.keys_from(pass.from) + begin](int i) { return keys[i]; }, arrays.keys_to(pass.to) + begin);
    if constexpr (has_values) {
      const Value* const values = arrays.values_from(pass.from);
      copy([values, begin](int i) { return value_of(values, begin, i); }, arrays.values_to(pass.to) + begin);
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
