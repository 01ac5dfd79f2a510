// One pass of a sort in one kernel: tiles find out by look-back where their keys of each digit go.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/sort/block/padded.hpp"
#include "upsweep/sort/device/onesweep_ordered_tile.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The parameters are those of the tile.
template <class Key, class Value, class Digit, class Tile, bool ByKeys>
struct onesweep_pass_kernel : ordered_tile<Key, Value, Digit, Tile, ByKeys> {
  static constexpr bool lets_next_begin = true;
  using in_order = ordered_tile<Key, Value, Digit, Tile, ByKeys>;
  using in_order::block_threads;
  using in_order::carries_values;
  using in_order::copy_tile;
  using in_order::has_values;
  using in_order::items_per_thread;
  using in_order::radix;
  using in_order::store_keys;
  using in_order::store_pairs;
  using in_order::store_values;
  using in_order::tile_items;
  using in_order::value_of;
  using typename in_order::carried_value;
  using typename in_order::lookback;
  using typename in_order::moves;
  using typename in_order::order_word;
  using typename in_order::places;
  using typename in_order::temp_storage;

  template <class Ctx, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, sort_arrays<Key, Value> arrays, Count count, Digit digit,
                                 const sort_pass* planned, sort_portion portion) const {
    const std::int64_t n = portion.share_of(items_of(count));
    const std::int64_t tiles = ceil_div(n, tile_items);
    if (block.block_index() >= tiles) return;
    const sort_pass pass = *planned;  // comes while the ticket is taken
    const ordered_tile_id ids{portion.ticket};
    if (block.thread_rank() == 0) std::memcpy(static_cast<void*>(&s.digit_again), &digit, sizeof digit);
    const std::int64_t tile = ids.take(block, s.ticket), in_tile = n - tile * tile_items;
    if (pass.action == pass_action::skip) return;
    if (pass.action == pass_action::copy) return copy_tile(block, arrays, pass, portion.begin, n, block.block_index());
    const lookback states(portion.words, tiles, pass.turn);
    const int valid = in_tile < tile_items ? static_cast<int>(in_tile) : tile_items;
    sort_tile(block, s, arrays, digit, pass, portion, tile, tile == tiles - 1, valid, states);
  }

  /// Keys of a tile that lie in an array.
  struct keys_of_array {
    const Key* keys;

    /// use(key_at), key_at(i) being key i of the tile.
    template <class Use>
    UPSWEEP_DEVICE auto read(Use use) const {
      return use([keys = keys](int at) { return keys[at]; });
    }
  };

  /// Whether the GPU has as much shared memory as the kernel needs, for a Count as `n`.
  static constexpr int needs_sm = 0;
  template <class Executor, class Count>
  static bool runs_on(const Executor& ex, const Count& n) {
    return ex.template can_run<onesweep_pass_kernel, sort_arrays<Key, Value>, decltype(count_argument(n)), Digit,
                               const sort_pass*, sort_portion>();
  }

 protected:
  template <class, class, class, class, int, bool>
  friend struct segments_pass_kernel;

  /// A tile of `valid` keys from one pair of arrays to another.
  template <class Ctx>
  static UPSWEEP_DEVICE void sort_tile(Ctx& block, temp_storage& s, const sort_arrays<Key, Value>& arrays, Digit digit,
                                       const sort_pass& pass, const sort_portion& portion, std::int64_t tile,
                                       bool is_last, int valid, const lookback& states) {
    const keys_of_array keys{arrays.keys_from(pass.from) + portion.begin + tile * tile_items};
    sort_tile(block, s, keys, arrays.keys_to(pass.to), arrays.values_from(pass.from), arrays.values_to(pass.to), digit,
              portion, tile, is_last, valid, states);
  }

  /// `keys.read(use)` gives the tile's keys as keys_of_array does; they go to `keys_to`, a pointer or what
  /// store_key takes for one. The last tile of a portion may have fewer than tile_items: after them its last warp with
  /// keys has padding, which is ranked like keys, has the last places and is not stored.
  template <class Ctx, class KeysFrom, class KeysTo>
  static UPSWEEP_DEVICE void sort_tile(Ctx& block, temp_storage& s, const KeysFrom& keys, const KeysTo& keys_to,
                                       const Value* values, Value* values_to, Digit digit, const sort_portion& portion,
                                       std::int64_t tile, bool is_last, int valid, const lookback& states) {
    const std::int64_t begin = portion.begin + tile * tile_items;
    const auto value_at = [&]([[maybe_unused]] int at) -> carried_value {
      if constexpr (carries_values) return value_of(values, begin, at);
      return {};
    };
    const bool is_full = valid == tile_items;
    const auto key_at_place = [&](int at) {
      if constexpr (ByKeys) {
        if (at >= valid) return digit.last_key();
      }
      return keys.read([at](auto key_at) -> Key { return key_at(at); });
    };
    Key key[items_per_thread];
    carried_value value[items_per_thread];
    if (is_full) {
      keys.read([&](auto key_at) { each_item(block, [&](int i, int at) { key[i] = key_at(at); }); });
      if constexpr (carries_values) each_item(block, [&](int i, int at) { value[i] = value_at(at); });
    } else {
      const Key padding = last_key(block, s, keys, digit, valid);
      keys.read(
          [&](auto key_at) { each_item(block, [&](int i, int at) { key[i] = at < valid ? key_at(at) : padding; }); });
      if constexpr (carries_values) {
        each_item(block, [&](int i, int at) { value[i] = value_at(at < valid ? at : 0); });
      }
    }
    constexpr int warp_items = warp_size * items_per_thread;
    // Votes, so that compilers see the warp agree.
    const bool has_keys = block.any(places::position(block, 0) < valid);
    const bool has_padding = block.any(places::position(block, items_per_thread - 1) >= valid);
    const int d = block.thread_rank();
    const auto begins_at = d < radix ? static_cast<std::uint32_t>(portion.first[d]) : 0;  // its lower half
    const auto shared =
        places::count(block, s.places_storage, has_keys, has_padding, [&](int i) { return digit(key[i]); });
    block.barrier();  // the keys are counted

    std::uint32_t mine = 0;
    if (d < radix) {
      mine = places::keys_of_digit(block, s.places_storage);
      states.tell(block, tile, d, mine);
    }
    const std::uint32_t first = places::begin(block, s.places_storage, mine);
    block.barrier();  // the warps' first places are known
    if (has_keys) put_in_order(block, s, shared, key_at_place, value_at, key, value);
    if (d < radix) {
      const std::uint32_t before = tile > 0 ? states.sum_before(block, tile, d, mine) : 0;
      std::uint64_t to = begins_at;
      if (portion.has_wide_places || portion.next != nullptr) to = portion.first[d];
      to += before;
      if (is_last && portion.next != nullptr) portion.next[d] = to + mine;
      to -= first;
      s.to[d] = static_cast<std::uint32_t>(to);
      s.to_above[d] = static_cast<std::uint32_t>(to >> 32);
    }
    block.barrier();  // the tile is in order, and where its digits go is known

    moves moved{};
    const bool at_once = is_full && !portion.has_wide_places;
    if (at_once && !block.barrier_or(!store_keys(block, s, keys_to, values_to, digit, moved))) {
      if constexpr (has_values && !carries_values) store_values(block, s, values, begin, values_to, moved);
      return;
    }
    // What should leave at once comes here when its keys were not in order.
    for (bool certain = false;; certain = true) {
      if (certain || !at_once) {
        const int ranked = certain ? valid : static_cast<int>(ceil_div(valid, warp_items)) * warp_items;
        const bool in_order = store_pairs(block, s, keys_to, values_to, digit, values, begin, valid, ranked);
        if (certain || !block.barrier_or(!in_order)) return;
      }
      places::begin_again(block, s.places_storage, first);
      block.barrier();  // the warps' first places are known again
      put_in_order_for_certain(block, s, valid, digit, key_at_place, value_at);
      block.barrier();  // the tile is in order
    }
  }

  /// Where the caller's item i is in the tile, padded.
  template <class Ctx>
  static UPSWEEP_DEVICE int own_slot(Ctx& block, int i) {
    if constexpr (items_per_thread % 8 == 0) return padded(places::position(block, 0)) + i * (warp_size + 1) + i / 8;
    return padded(places::position(block, i));
  }

  /// body(i, at) for the caller's items, of which number i is at `at` in the tile.
  template <class Ctx, class Body>
  static UPSWEEP_DEVICE void each_item(Ctx& block, Body body) {
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) body(i, places::position(block, i));
  }

  /// A key of which the digit is no lower than that of any of the tile's `valid` ones. A barrier must come before s.to
  /// is written again.
  template <class Ctx, class KeysFrom>
  static UPSWEEP_DEVICE Key last_key(Ctx& block, [[maybe_unused]] temp_storage& s,
                                     [[maybe_unused]] const KeysFrom& keys, Digit digit, [[maybe_unused]] int valid) {
    if constexpr (requires { digit.last_key(); }) {
      return digit.last_key();
    } else {
      const auto key = [&](int at) { return keys.read([at](auto key_at) -> Key { return key_at(at); }); };
      std::uint32_t last = 0;  // the digit, and where it is
      for (int at = block.thread_rank(); at < valid; at += block_threads) {
        const std::uint32_t here = digit(key(at)) << 16 | static_cast<std::uint32_t>(at);
        last = here > last ? here : last;
      }
      last = block.reduce_max(last);
      if (block.lane() == 0) s.to[block.warp()] = last;
      block.barrier();  // every warp has its last key
      for (int w = 0; w < places::warps; ++w) {
        const auto of_warp = static_cast<std::uint32_t>(s.to[w]);
        last = of_warp > last ? of_warp : last;
      }
      return key(static_cast<int>(last & 0xffff));
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

  /// What lanes do not take each for itself is rare or waits for others: keys are read again there, in short loops.
  template <class Ctx, class KeyAt, class ValueAt>
  static UPSWEEP_DEVICE void put_in_order(Ctx& block, temp_storage& s, typename places::shared_digit shared,
                                          KeyAt key_at_place, ValueAt value_at, const Key (&key)[items_per_thread],
                                          const carried_value (&value)[items_per_thread]) {
    // From shared memory, so that no thread keeps the digits that it has counted in registers.
    const Digit digit = s.digit_again[0];
    const auto key_again = [&](int i) { return key_at_place(places::position(block, i)); };
    const auto put_again = [&](int i, const Key& k, int place) {
      put(block, s, i, place, k, value_at(places::position(block, i)));
    };
    if constexpr (ByKeys && std::is_floating_point_v<Key>) {
      bool has_negative_zero = false;
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        if (__builtin_bit_cast(order_word, key[i]) == key_codec<Key>::sign) has_negative_zero = true;
      }
      if (block.any(has_negative_zero)) {
        // By their bits: compiled to flush denormals to zero, a comparison would take those for zeros, too.
        const auto is_zero = [](const Key& k) {
          return static_cast<order_word>(__builtin_bit_cast(order_word, k) << 1) == 0;
        };
        return places::take_tied_in_order(block, s.places_storage, key_again, digit, is_zero, put_again);
      }
    }
    if (shared.together) return places::take_together(block, s.places_storage, shared, key_again, digit, put_again);
    places::take_each(
        block, s.places_storage, [&](int i) { return digit(key[i]); },
        [&](int i, int place) { put(block, s, i, place, key[i], value[i]); });
  }
  template <class Ctx, class KeyAt, class ValueAt>
  static UPSWEEP_DEVICE void put_in_order_for_certain(Ctx& block, temp_storage& s, int valid, Digit digit,
                                                      KeyAt key_at_place, ValueAt value_at) {
    places::take_in_order(
        block, s.places_storage, valid, [&](int i) { return key_at_place(places::position(block, i)); }, digit,
        [&](int i, const Key& k, int place) { put(block, s, i, place, k, value_at(places::position(block, i))); });
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
