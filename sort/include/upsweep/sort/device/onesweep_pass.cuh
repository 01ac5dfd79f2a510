// One pass of a sort in one kernel: tiles find out by look-back where their keys of each digit go.
#pragma once

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/sort/block/tile_order.cuh"
#include "upsweep/sort/device/digit_lookback.cuh"
#include "upsweep/sort/device/onesweep_plan.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep {

/// Tile: block_threads, items_per_thread, radix_bits, and how many blocks a multiprocessor shall have room for.
template <class Key, class Value, class Digit, class Word, class Tile>
struct onesweep_pass_kernel {
  static constexpr int block_threads = Tile::block_threads;
  static constexpr int blocks_per_multiprocessor = Tile::blocks_per_multiprocessor;
  static constexpr int items_per_thread = Tile::items_per_thread;
  static constexpr int tile_items = block_threads * items_per_thread;
  using order = tile_order<block_threads, items_per_thread, Tile::radix_bits>;
  static constexpr int radix = order::radix;
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
    typename order::temp_storage order_storage;
    destination digit[radix];
    ordered_tile_id::temp_storage ticket;
    union {  // of the tile, as they came
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
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = order::place(block, i);
      if (Full || at < valid) key[i] = keys[at];
    }
    const auto digit_of = [&](int i) { return digit(key[i]); };
    order::template count<Full>(block, s.order_storage, valid, digit_of);
    const bool crowded = order::warp_is_crowded(block, s.order_storage);
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = order::place(block, i);
      if (Full || at < valid) s.key[at] = key[i];
    }
    block.barrier();  // the keys are there, and counted

    const int d = block.thread_rank();
    const Word of_all = lookback::mark_of_all(pass.turn);
    std::uint32_t mine = 0;
    Word before = 0;
    if (d < radix) {
      mine = order::keys_of_digit(block, s.order_storage);
      if (tile == 0) before = first_of_digit[d];
      states.publish(block, tile, d, tile == 0 ? of_all : lookback::mark_of_tile, before + mine);
    }
    const std::uint32_t first = order::begin_places(block, s.order_storage, mine);
    block.barrier();  // the warps' first places are known
    const auto digit_again = [&](int i) { return digit(s.key[order::place(block, i)]); };
    order::template list<Full>(block, s.order_storage, valid, crowded, digit_again);
    if (d < radix) {
      if (tile > 0) {
        before = states.sum_before(block, tile, d, of_all);
        states.publish(block, tile, d, of_all, before + mine);
      }
      s.digit[d] = {before - first, first};
    }
    block.barrier();  // the order is listed, and where its digits go

    Word to[items_per_thread];
    Key* const keys_to = arrays.keys_to(pass.to);
    const bool in_order = put_keys<Full>(block, s, keys_to, digit, valid, to);
    if (block.barrier_or(!in_order)) {
      order::begin_again(block, s.order_storage, first);
      block.barrier();  // the warps' first places are known again
      order::template list<Full>(block, s.order_storage, valid, true, digit_again);
      block.barrier();  // the order is listed
      put_keys<Full>(block, s, keys_to, digit, valid, to);
    }
    if constexpr (has_values) {
      put_values<Full>(block, s, arrays.values_from(pass.from) + begin, arrays.values_to(pass.to), valid, to);
    }
  }

  /// Runs of equal digits leave in order: neighbouring threads write neighbouring places. False when keys of one digit
  /// are not listed in order.
  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE bool put_keys(Ctx& block, const temp_storage& s, Key* keys, Digit digit, int valid,
                                      Word (&to)[items_per_thread]) {
    bool in_order = true;
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = block.thread_rank() + i * block_threads;
      if (!Full && at >= valid) continue;
      const int from = s.order_storage.source[at];
      const Key key = s.key[from];
      const destination there = s.digit[digit(key)];
      to[i] = there.to + static_cast<Word>(at);
      keys[to[i]] = key;
      if (at > static_cast<int>(there.first) && s.order_storage.source[at - 1] > from) in_order = false;
    }
    return in_order;
  }

  template <bool Full, class Ctx>
  static UPSWEEP_DEVICE void put_values(Ctx& block, temp_storage& s, const Value* from, Value* values, int valid,
                                        const Word (&to)[items_per_thread]) {
    if constexpr (stages_values) {
      block.barrier();  // the keys have left
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = block.thread_rank() + i * block_threads;
        if (Full || at < valid) s.value[at] = from[at];
      }
      block.barrier();  // the values are there
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = block.thread_rank() + i * block_threads;
      if (!Full && at >= valid) continue;
      const int source = s.order_storage.source[at];
      if constexpr (stages_values) {
        values[to[i]] = s.value[source];
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
