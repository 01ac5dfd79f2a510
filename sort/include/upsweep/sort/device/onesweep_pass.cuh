// One pass of a sort in one kernel: tiles find out by look-back where their keys of each digit go.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/sort/block/packed_digits.hpp"
#include "upsweep/sort/block/padded.hpp"
#include "upsweep/sort/block/tile_places.cuh"
#include "upsweep/sort/device/digit_lookback.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether the keys of a sorted tile tell by themselves that they are in order: numbers, compared by all their bits.
/// Those that are equal as far as they are sorted may stand in any order, since equal ones are the same, but for zeros.
template <class Key, class Value, class Digit>
inline constexpr bool keys_tell_order = false;
template <class Key>
inline constexpr bool keys_tell_order<Key, no_value, digit_of<Key>> = std::is_arithmetic_v<Key> &&
                                                                      (sizeof(Key) == 4 || sizeof(Key) == 8);

/// How the tiles of a pass find out where their keys go.
template <class Tile, class Word, int Radix = 1 << Tile::radix_bits>
using tile_lookback =
    std::conditional_t<(Tile::lookback_group > 0),
                       grouped_digit_lookback<Word, Radix, Tile::lookback_group, Tile::lookback_groups>,
                       digit_lookback<Word, Radix>>;

/// Digit and position in one word.
struct place_code {
  using code = std::uint32_t;
};

/// Tile: block_threads, items_per_thread, radix_bits, how many blocks a multiprocessor shall have room for, and
/// lookback_group and lookback_groups: see tile_lookback.
/// ByKeys: see keys_tell_order; the tile then is sorted itself, not a list of where its keys stand.
template <class Key, class Value, class Digit, class Word, class Tile, bool ByKeys>
struct onesweep_pass_kernel {
  static constexpr int block_threads = Tile::block_threads;
  static constexpr bool lets_next_begin = true;
  static constexpr int blocks_per_multiprocessor = Tile::blocks_per_multiprocessor;
  static constexpr int items_per_thread = Tile::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static_assert(padded(tile_items) <= 1 << 16, "positions are numbers of 16 bits");
  using places = tile_places<block_threads, items_per_thread, Tile::radix_bits>;
  static constexpr int radix = places::radix;
  using lookback = tile_lookback<Tile, Word>;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  /// Wider values fill sectors of their own, and go straight to their places.
  static constexpr bool stages_values = has_values && sizeof(Value) <= 8;
  using staged_value = std::conditional_t<stages_values, Value, no_value>;
  static constexpr int registers = (1 << 16) / (block_threads * blocks_per_multiprocessor);
  /// Where few keys leave room for it, values go with their keys from the beginning.
  static constexpr bool carries_values = stages_values && sizeof(Word) == 4 && items_per_thread <= 8 && registers >= 64;
  using carried_value = std::conditional_t<carries_values, Value, no_value>;

  /// A rank that tells order: see key_at.
  using order_word = typename std::conditional_t<ByKeys, key_codec<Key>, place_code>::code;
  struct temp_storage {
    typename places::temp_storage places_storage;
    Word to[radix];  // key i of the tile in order, of digit d, goes to to[d] + i
    ordered_tile_id::temp_storage ticket;
    uninitialized_array<Digit, 1> digit_again;
    uninitialized_array<std::uint16_t, ByKeys ? 1 : tile_items> source;  // where key i in order stood: padded
    uninitialized_array<carried_value, carries_values ? padded(tile_items) : 1> carried;  // padded, in order
    union {                                                                               // both padded
      uninitialized_array<Key, padded(tile_items)> key;                                   // in order
      uninitialized_array<staged_value, padded(tile_items)> value;                        // as they came
    };
  };

  /// The way of a thread's keys, which their values go too: where each goes and where it stood, as far as there are
  /// registers for that, else the digits.
  static constexpr bool keeps_ways =
      !carries_values && has_values && sizeof(Word) == 4 && 32 + items_per_thread * 5 / 2 <= registers;
  struct ways {
    packed_digits<keeps_ways ? 1 : items_per_thread> digits;
    Word to[keeps_ways ? items_per_thread : 1];
    std::uint32_t source[keeps_ways ? (items_per_thread + 1) / 2 : 1];

    /// i goes from 0 on, and is constant.
    UPSWEEP_DEVICE void put(int i, std::uint32_t digit, Word place, std::uint32_t stood) {
      if constexpr (keeps_ways) {
        to[i] = place;
        source[i / 2] = i % 2 == 0 ? stood : source[i / 2] | stood << 16;
      } else {
        digits.put(i, digit);
      }
    }
    UPSWEEP_DEVICE Word place(const temp_storage& s, int i, int at) const {
      if constexpr (keeps_ways) return to[i];
      return static_cast<Word>(s.to[digits.get(i)] + static_cast<Word>(at));
    }
    UPSWEEP_DEVICE int stood(const temp_storage& s, int i, int at) const {
      if constexpr (keeps_ways) return static_cast<int>(source[i / 2] >> i % 2 * 16 & 0xffff);
      return s.source[at];
    }
  };

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, sort_arrays<Key, Value> arrays, Count count, Digit digit,
                                 int number, onesweep_control<Word> control, Word* words) const {
    const std::int64_t n = items_of(count), tiles = ceil_div(n, tile_items);
    if (block.block_index() >= tiles) return;
    const sort_pass pass = control.passes[number];  // comes while the ticket is taken
    const ordered_tile_id ids{control.ticket + 1 + number};
    if (block.thread_rank() == 0) std::memcpy(static_cast<void*>(&s.digit_again), &digit, sizeof digit);
    const std::int64_t tile = ids.take(block, s.ticket), left = n - tile * tile_items;
    if (pass.action == pass_action::skip) return;
    if (pass.action == pass_action::copy) return copy_tile(block, arrays, pass, n);
    const lookback states(words, tiles, pass.turn);
    const Word* const first = control.first + number * radix;
    if (left >= tile_items) {
      sort_tile<true>(block, s, arrays, digit, pass, tile, tile_items, first, states);
    } else {
      sort_tile<false>(block, s, arrays, digit, pass, tile, static_cast<int>(left), first, states);
    }
  }

  /// Whether the GPU has as much shared memory as the kernel needs, for a Count as `n`.
  static constexpr int needs_sm = 0;
  template <class Executor, class Count>
  static bool runs_on(const Executor& ex, const Count& n) {
    return ex.template can_run<onesweep_pass_kernel, sort_arrays<Key, Value>, decltype(count_argument(n)), Digit, int,
                               onesweep_control<Word>, Word*>();
  }

 private:
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void sort_tile(Ctx& block, temp_storage& s, const sort_arrays<Key, Value>& arrays, Digit digit,
                                       const sort_pass& pass, std::int64_t tile, int valid, const Word* first_of_digit,
                                       const lookback& states) {
    const std::int64_t begin = tile * tile_items;
    const Key* const keys = arrays.keys_from(pass.from) + begin;
    Key key[items_per_thread];
    load<Full>(block, valid, key, [&](int at) { return keys[at]; });
    const Value* const values = arrays.values_from(pass.from);
    const auto value_at = [&](int at) { return carried_value_at(values, begin, at); };
    carried_value value[items_per_thread];
    if constexpr (carries_values) load<Full>(block, valid, value, value_at);
    const int d = block.thread_rank();
    Word before = tile == 0 && d < radix ? first_of_digit[d] : Word{0};
    const auto crowd =
        places::template count<Full>(block, s.places_storage, valid, [&](int i) { return digit(key[i]); });
    block.barrier();  // the keys are counted

    std::uint32_t mine = 0;
    if (d < radix) {
      mine = places::keys_of_digit(block, s.places_storage);
      states.tell(block, tile, d, before + mine);
    }
    const std::uint32_t first = places::begin(block, s.places_storage, mine);
    block.barrier();  // the warps' first places are known
    put_in_order<Full>(block, s, valid, crowd, key, value);
    if (d < radix) {
      if (tile > 0) before = states.sum_before(block, tile, d, mine);
      s.to[d] = before - first;
    }
    block.barrier();  // the tile is in order, and where its digits go is known

    ways way{};
    Key* const keys_to = arrays.keys_to(pass.to);
    Value* const values_to = arrays.values_to(pass.to);
    const bool in_order = store_keys<Full>(block, s, keys_to, values_to, digit, valid, way);
    if (block.barrier_or(!in_order)) {
      places::begin_again(block, s.places_storage, first);
      block.barrier();  // the warps' first places are known again
      put_in_order_for_certain(block, s, valid, digit, keys, value_at);
      block.barrier();  // the tile is in order
      store_keys<Full>(block, s, keys_to, values_to, digit, valid, way);
    }
    if constexpr (has_values && !carries_values) {
      store_values<Full>(block, s, values, begin, values_to, valid, way);
    }
  }

  /// Where the caller's item i stands in the tile, padded.
  template <class Ctx>
  static UPSWEEP_DEVICE int own_slot(Ctx& block, int i) {
    if constexpr (items_per_thread % 8 == 0) return padded(places::position(block, 0)) + i * (warp_size + 1) + i / 8;
    return padded(places::position(block, i));
  }

  /// The caller's items, of which the tile has `at_place` at each place.
  template <bool Full, class Ctx, class T, class AtPlace>
  static UPSWEEP_DEVICE void load(Ctx& block, int valid, T (&item)[items_per_thread], AtPlace at_place) {
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = places::position(block, i);
      if (Full || at < valid) item[i] = at_place(at);
    }
  }

  /// The value of the key that stands at `at` in the tile. From null, it is the place of the key.
  static UPSWEEP_DEVICE carried_value carried_value_at([[maybe_unused]] const Value* values,
                                                       [[maybe_unused]] std::int64_t begin, [[maybe_unused]] int at) {
    if constexpr (carries_values && std::is_integral_v<Value>) {
      if (values == nullptr) return static_cast<Value>(begin + at);
    }
    if constexpr (carries_values) {
      return values[begin + at];
    } else {
      return {};
    }
  }

  /// The caller's item i is key number `place` of the tile in order.
  template <class Ctx>
  static UPSWEEP_DEVICE void put(Ctx& block, temp_storage& s, int i, int place, const Key& key,
                                 [[maybe_unused]] const carried_value& value) {
    s.key[padded(place)] = key;
    if constexpr (carries_values) s.carried[padded(place)] = value;
    if constexpr (!ByKeys) s.source[place] = static_cast<std::uint16_t>(own_slot(block, i));
  }

  /// Digits are taken by a functor from shared memory, so that no thread keeps those that it has counted in registers.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void put_in_order(Ctx& block, temp_storage& s, int valid, typename places::crowd crowd,
                                          const Key (&key)[items_per_thread],
                                          const carried_value (&value)[items_per_thread]) {
    const Digit digit = s.digit_again[0];
    const auto digit_of = [&](int i) { return digit(key[i]); };
    const auto put_key = [&](int i, int place) { put(block, s, i, place, key[i], value[i]); };
    if constexpr (ByKeys && std::is_floating_point_v<Key>) {
      bool has_negative_zero = false;
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const bool is_key = Full || places::position(block, i) < valid;
        if (is_key && __builtin_bit_cast(order_word, key[i]) == key_codec<Key>::sign) has_negative_zero = true;
      }
      if (block.any(has_negative_zero)) {
        // By their bits: compiled to flush denormals to zero, a comparison would take those for zeros, too.
        const auto is_zero = [&](int i) {
          return static_cast<order_word>(__builtin_bit_cast(order_word, key[i]) << 1) == 0;
        };
        return places::template take_tied_in_order<Full>(block, s.places_storage, valid, digit_of, is_zero, put_key);
      }
    }
    places::template take<Full>(block, s.places_storage, valid, crowd, digit_of, put_key);
  }
  template <class Ctx, class ValueAt>
  static UPSWEEP_DEVICE void put_in_order_for_certain(Ctx& block, temp_storage& s, int valid, Digit digit,
                                                      const Key* keys, ValueAt value_at) {
    const auto key = [&](int i) -> const Key& { return keys[places::position(block, i)]; };
    places::take_in_order(
        block, s.places_storage, valid, [&](int i) { return digit(key(i)); },
        [&](int i, int place) { put(block, s, i, place, key(i), value_at(places::position(block, i))); });
  }

  template <class Ctx, class T>
  static UPSWEEP_DEVICE void store(Ctx& block, T* to, const T& item) {
    constexpr bool is_word = sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0 && alignof(T) == sizeof(T);
    if constexpr (is_word && !ByKeys) {
      block.store_streaming(to, item);
    } else {
      *to = item;
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

  /// Runs of equal digits leave in order: neighbouring threads write neighbouring places; with them the values that
  /// they carry. False when keys of one digit are not in order.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE bool store_keys(Ctx& block, const temp_storage& s, Key* keys, [[maybe_unused]] Value* values,
                                        Digit digit, int valid, [[maybe_unused]] ways& way) {
    bool in_order = true;
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = block.thread_rank() + i * block_threads;
      if (!Full && at - block.lane() >= valid) break;
      ranked_key k{};
      if (Full || at < valid) {
        const int slot = padded_stride<block_threads>(block.thread_rank(), i);
        k = key_at(s, digit, at, slot);
        const auto to = static_cast<Word>(s.to[k.digit] + static_cast<Word>(at));
        if constexpr (carries_values) {
          store(block, values + to, s.carried[slot]);
        } else if constexpr (has_values) {
          way.put(i, k.digit, to, static_cast<std::uint32_t>(k.rank & 0xffff));
        }
        store(block, keys + to, k.key);
      }
      const order_word before = block.shuffle_up(k.rank, 1);
      if ((Full || at < valid) && before > k.rank) in_order = false;
    }
    // From the last key of each warp to the first of the next.
    for (int at = (block.thread_rank() + 1) * warp_size; at < valid; at += block_threads * warp_size) {
      if (key_at(s, digit, at - 1).rank > key_at(s, digit, at).rank) in_order = false;
    }
    return in_order;
  }

  /// Values go the way of their keys. From null, they are the places of the keys.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void store_values(Ctx& block, temp_storage& s, const Value* from, std::int64_t begin,
                                          Value* values, int valid, const ways& way) {
    const auto store_all = [&](auto value_of) {
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = block.thread_rank() + i * block_threads;
        if (!Full && at >= valid) continue;
        store(block, values + way.place(s, i, at), value_of(way.stood(s, i, at)));
      }
    };
    if constexpr (std::is_integral_v<Value>) {
      if (from == nullptr) {
        return store_all([&](int source) { return static_cast<Value>(begin + unpadded(source)); });
      }
    }
    if constexpr (stages_values) {
      block.barrier();  // the keys have left
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = block.thread_rank() + i * block_threads;
        if (Full || at < valid) {
          s.value[padded_stride<block_threads>(block.thread_rank(), i)] = from[begin + at];
        }
      }
      block.barrier();  // the values are there
      store_all([&](int source) { return s.value[source]; });
    } else {
      store_all([&](int source) { return from[begin + unpadded(source)]; });
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void copy_tile(Ctx& block, const sort_arrays<Key, Value>& arrays, const sort_pass& pass,
                                       std::int64_t n) {
    const std::int64_t begin = block.block_index() * tile_items;
    const std::int64_t end = n - begin < tile_items ? n : begin + tile_items;
    // Several on their way at once. A thread has read its items before it writes them, so they may be the same.
    const auto copy = [&]<class T>(auto item, T* to) {
      constexpr int in_flight = sizeof(T) <= 8 ? 8 : 1;
      for (std::int64_t i = begin + block.thread_rank(); i < end; i += block_threads * in_flight) {
        uninitialized_array<T, in_flight> items;
        UPSWEEP_UNROLL
        for (int j = 0; j < in_flight; ++j) {
          if (i + j * block_threads < end) items[j] = item(i + j * block_threads);
        }
        UPSWEEP_UNROLL
        for (int j = 0; j < in_flight; ++j) {
          if (i + j * block_threads < end) to[i + j * block_threads] = items[j];
        }
      }
    };
    copy([keys = arrays.keys_from(pass.from)](std::int64_t i) { return keys[i]; }, arrays.keys_to(pass.to));
    if constexpr (has_values) {
      const Value* const values = arrays.values_from(pass.from);
      if constexpr (std::is_integral_v<Value>) {
        if (values == nullptr) {
          return copy([](std::int64_t i) { return static_cast<Value>(i); }, arrays.values_to(pass.to));
        }
      }
      copy([values](std::int64_t i) { return values[i]; }, arrays.values_to(pass.to));
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
