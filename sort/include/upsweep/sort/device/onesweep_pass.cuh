// One pass of a sort in one kernel: tiles find out by look-back where their keys of each digit go.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/sort/block/swizzle.hpp"
#include "upsweep/sort/block/tile_places.cuh"
#include "upsweep/sort/device/digit_lookback.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep {

/// Whether the keys of a sorted tile tell by themselves that they are in order: integers, compared by all their bits,
/// of which equal ones are the same. Then keys that are equal as far as they are sorted may stand in any order.
template <class Key, class Value, class Digit>
inline constexpr bool keys_tell_order = false;
template <class Key>
requires(std::is_integral_v<Key>) inline constexpr bool keys_tell_order<Key, no_value, digit_of<Key>> = true;

/// Tile: block_threads, items_per_thread, radix_bits, and how many blocks a multiprocessor shall have room for.
/// ByKeys: see keys_tell_order; the tile then is sorted itself, not a list of where its keys stand.
template <class Key, class Value, class Digit, class Word, class Tile, bool ByKeys>
struct onesweep_pass_kernel {
  static constexpr int block_threads = Tile::block_threads;
  static constexpr int blocks_per_multiprocessor = Tile::blocks_per_multiprocessor;
  static constexpr int items_per_thread = Tile::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  static_assert(tile_items <= 1 << 16, "positions are numbers of 16 bits");
  using places = tile_places<block_threads, items_per_thread, Tile::radix_bits>;
  static constexpr int radix = places::radix;
  using lookback = digit_lookback<Word, radix>;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  /// Wider values fill sectors of their own, and go straight to their places.
  static constexpr bool stages_values = has_values && sizeof(Value) <= 8;
  using staged_value = std::conditional_t<stages_values, Value, no_value>;

  /// Where the keys of a digit go: key i of the tile's order to `to` + i. The first of them is key `first`.
  struct destination {
    Word to;
    std::uint32_t first;
  };
  struct temp_storage {
    typename places::temp_storage places_storage;
    destination digit[radix];
    ordered_tile_id::temp_storage ticket;
    Digit digit_again;
    uninitialized_array<std::uint16_t, ByKeys ? 1 : tile_items> source;  // key i of the order stands at source[i]
    union {  // swizzled: in order if ByKeys, else as they came
      uninitialized_array<Key, tile_items> key;
      uninitialized_array<staged_value, tile_items> value;
    };
  };

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, sort_arrays<Key, Value> arrays, Count count, Digit digit,
                                 int number, onesweep_control<Word> control, Word* words) const {
    const sort_pass pass = control.passes[number];
    const std::int64_t n = items_of(count), tiles = ceil_div(n, tile_items);
    if (pass.action == pass_action::skip || block.block_index() >= tiles) return;
    if (pass.action == pass_action::copy) return copy_tile(block, arrays, pass, n);
    const ordered_tile_id ids{control.ticket + 1 + number};
    if (block.thread_rank() == 0) s.digit_again = digit;
    const std::int64_t tile = ids.take(block, s.ticket), left = n - tile * tile_items;
    const lookback states{words};
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
    load<Full>(block, keys, valid, key);
    const auto crowd =
        places::template count<Full>(block, s.places_storage, valid, [&](int i) { return digit(key[i]); });
    if constexpr (!ByKeys) {
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = places::position(block, i);
        if (Full || at < valid) s.key[swizzled(at)] = key[i];
      }
    }
    block.barrier();  // the keys are counted

    const int d = block.thread_rank();
    const Word of_all = lookback::mark_of_all(pass.turn);
    std::uint32_t mine = 0;
    Word before = 0;
    if (d < radix) {
      mine = places::keys_of_digit(block, s.places_storage);
      if (tile == 0) before = first_of_digit[d];
      states.publish(block, tile, d, tile == 0 ? of_all : lookback::mark_of_tile, before + mine);
    }
    const std::uint32_t first = places::begin(block, s.places_storage, mine);
    block.barrier();  // the warps' first places are known
    put_in_order<Full>(block, s, valid, crowd, key);
    if (d < radix) {
      if (tile > 0) {
        before = states.sum_before(block, tile, d, of_all);
        states.publish(block, tile, d, of_all, before + mine);
      }
      s.digit[d] = {before - first, first};
    }
    block.barrier();  // the tile is in order, and where its digits go is known

    Word to[items_per_thread];
    Key* const keys_to = arrays.keys_to(pass.to);
    const bool in_order = store_keys<Full>(block, s, keys_to, digit, valid, to);
    if (block.barrier_or(!in_order)) {
      places::begin_again(block, s.places_storage, first);
      block.barrier();  // the warps' first places are known again
      if constexpr (ByKeys) load<Full>(block, keys, valid, key);
      put_in_order<Full>(block, s, valid, {place_taking::matching, 0}, key);
      block.barrier();  // the tile is in order
      store_keys<Full>(block, s, keys_to, digit, valid, to);
    }
    if constexpr (has_values) {
      store_values<Full>(block, s, arrays.values_from(pass.from) + begin, arrays.values_to(pass.to), valid, to);
    }
  }

  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void load(Ctx& block, const Key* keys, int valid, Key (&key)[items_per_thread]) {
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = places::position(block, i);
      if (Full || at < valid) key[i] = keys[at];
    }
  }

  /// Digits are taken anew from shared memory, so that no thread keeps those it has counted in registers.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void put_in_order(Ctx& block, temp_storage& s, int valid, typename places::crowd crowd,
                                          const Key (&key)[items_per_thread]) {
    if constexpr (ByKeys) {
      const Digit digit = s.digit_again;
      places::template take<Full>(
          block, s.places_storage, valid, crowd, [&](int i) { return digit(key[i]); },
          [&](int i, int place) { s.key[swizzled(place)] = key[i]; });
    } else {
      const Digit digit = s.digit_again;
      places::template take<Full>(
          block, s.places_storage, valid, crowd,
          [&](int i) { return digit(s.key[swizzled(places::position(block, i))]); },
          [&](int i, int place) { s.source[place] = static_cast<std::uint16_t>(places::position(block, i)); });
    }
  }

  /// Runs of equal digits leave in order: neighbouring threads write neighbouring places. False when keys of one digit
  /// are not in order.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE bool store_keys(Ctx& block, const temp_storage& s, Key* keys, Digit digit, int valid,
                                        Word (&to)[items_per_thread]) {
    bool in_order = true;
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = block.thread_rank() + i * block_threads;
      if (!Full && at >= valid) continue;
      if constexpr (ByKeys) {
        const Key key = s.key[swizzled(at)];
        to[i] = s.digit[digit(key)].to + static_cast<Word>(at);
        keys[to[i]] = key;
        if (at > 0 && sorted_bits(digit, s.key[swizzled(at - 1)]) > sorted_bits(digit, key)) in_order = false;
      } else {
        const int from = s.source[at];
        const Key key = s.key[swizzled(from)];
        const destination there = s.digit[digit(key)];
        to[i] = there.to + static_cast<Word>(at);
        keys[to[i]] = key;
        if (at > static_cast<int>(there.first) && s.source[at - 1] > from) in_order = false;
      }
    }
    return in_order;
  }

  /// The bits of a key's code up to the end of the digit.
  template <class D>
  static UPSWEEP_DEVICE auto sorted_bits(const D& digit, const Key& key) {
    using code = typename D::code;
    const code mask = code{digit.mask} << digit.shift | ((code{1} << digit.shift) - 1);
    return (key_codec<Key>::encode(key) ^ digit.flip) & mask;
  }

  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void store_values(Ctx& block, temp_storage& s, const Value* from, Value* values, int valid,
                                          const Word (&to)[items_per_thread]) {
    if constexpr (stages_values) {
      block.barrier();  // the keys have left
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = block.thread_rank() + i * block_threads;
        if (Full || at < valid) s.value[swizzled(at)] = from[at];
      }
      block.barrier();  // the values are there
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = block.thread_rank() + i * block_threads;
      if (!Full && at >= valid) continue;
      const int source = s.source[at];
      if constexpr (stages_values) {
        values[to[i]] = s.value[swizzled(source)];
      } else {
        values[to[i]] = from[source];
      }
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void copy_tile(Ctx& block, const sort_arrays<Key, Value>& arrays, const sort_pass& pass,
                                       std::int64_t n) {
    const std::int64_t begin = block.block_index() * tile_items;
    const std::int64_t end = n - begin < tile_items ? n : begin + tile_items;
    for (std::int64_t i = begin + block.thread_rank(); i < end; i += block_threads) {
      arrays.keys_to(pass.to)[i] = arrays.keys_from(pass.from)[i];
      if constexpr (has_values) arrays.values_to(pass.to)[i] = arrays.values_from(pass.from)[i];
    }
  }
};

}  // namespace upsweep
