// LSD radix sort by one block, for few keys: one launch, no workspace. Keys are read once into shared memory and stay
// where they are; what is sorted are their numbers, of 16 bits. Keys and values are moved once, in the end. Stable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/few_keys_order.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep {

/// For a grid of one block, of at most Threads * Items keys.
template <class Key, class Value, int Threads, int Items, int Step>
struct single_block_sort_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using order = few_keys_order<Threads, Items, Step>;

  struct temp_storage {
    typename order::temp_storage order_storage;
    bool one_digit;                                       // all keys have the same
    uninitialized_array<std::uint16_t, tile_items> from;  // the key at place i is number from[i]
    uninitialized_array<Key, tile_items> key;             // by number
  };

  template <class Ctx, class Digits, class Count, class KeyIn>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count, KeyIn keys_in,
                                 Key* keys_out, carried_values<Value> v) const {
    const int n = static_cast<int>(items_of(count));
    if (may_be_empty<Count> && n == 0) return;
    const int items = (n + Threads * Step - 1) / (Threads * Step) * Step;
    Key key[Items];
    each_striped(block, items, [&](int i, int at) {
      key[i] = static_cast<Key>(keys_in[at < n ? at : 0]);
      if constexpr (has_values) block.prefetch(v.in + (at < n ? at : 0));
    });
    each_striped(block, items, [&](int i, int at) {
      s.key[at] = key[i];
      s.from[at] = static_cast<std::uint16_t>(at);
    });
    block.barrier();  // the keys are there
    sort_numbers(block, s, digits, bits, n, items, false);
    if (block.barrier_or(!take_sorted(block, s, digits, bits, n, items, key))) {
      each_striped(block, items, [&](int, int at) { s.from[at] = static_cast<std::uint16_t>(at); });
      block.barrier();  // s.from is as it was
      sort_numbers(block, s, digits, bits, n, items, true);
      take_sorted(block, s, digits, bits, n, items, key);
    }
    each_striped(block, items, [&](int i, int at) {
      if (at < n) keys_out[at] = key[i];
    });
    if constexpr (has_values) put_values(block, s, v, n, items);
  }

 private:
  /// Items that neighbouring threads have of neighbouring places.
  template <class Ctx, class Body>
  static UPSWEEP_DEVICE void each_striped(Ctx& block, int items, Body body) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i / Step * Step < items) body(i, block.thread_rank() + i * Threads);
    }
  }

  /// Bits of the range from `shift` on, but at most so many.
  static UPSWEEP_DEVICE int width_at(bit_range bits, int shift, int most) {
    return bits.end - shift < most ? bits.end - shift : most;
  }

  /// Ends with a barrier.
  template <class Ctx, class Digits>
  static UPSWEEP_DEVICE void sort_numbers(Ctx& block, temp_storage& s, const Digits& digits, bit_range bits, int n,
                                          int items, bool certain) {
    const int first = order::first_item(block, items);
    const auto each = [&](auto body) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i / Step * Step < items) body(i);
      }
    };
    std::uint32_t place[Items];
    std::uint16_t from[Items];
    for (int shift = bits.begin; shift < bits.end; shift += order::radix_bits) {
      const auto digit = digits.at(shift, width_at(bits, shift, order::radix_bits));
      each([&](int i) { from[i] = s.from[first + i * warp_size]; });
      const auto digit_of = [&](int i) {
        const std::uint32_t of_key = digit(s.key[from[i]]);
        return from[i] < n ? of_key : order::padding;
      };
      order::places(block, s.order_storage, items, certain, digit_of, place, [&](const auto& total, const auto&) {
        const auto keys = static_cast<std::uint32_t>(n);
        bool all = false;
        UPSWEEP_UNROLL
        for (int k = 0; k < order::lane_words; ++k) {
          all = all || (total.item[k] & 0xffff) == keys || total.item[k] >> 16 == keys;
        }
        all = block.any(all);
        if (block.lane() == 0) s.one_digit = all;
      });
      if (s.one_digit) {
        block.warp_sync();  // the warp's counts have been read
        continue;
      }
      each([&](int i) { s.from[static_cast<int>(place[i])] = from[i]; });
      block.barrier();  // s.from is written
    }
    block.barrier();  // and read, if the last pass was skipped
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void put_values(Ctx& block, const temp_storage& s, const carried_values<Value>& v, int n,
                                        int items) {
    Value value[Items];
    each_striped(block, items, [&](int i, int at) {
      if (at < n) value[i] = v.value_at(s.from[at]);
    });
    if (v.in == v.out) block.barrier();  // all values are read
    each_striped(block, items, [&](int i, int at) {
      if (at < n) v.out[at] = value[i];
    });
  }

  /// Takes the keys in their order. False when one of the caller's does not stand behind its neighbour, by their
  /// digits, else by their numbers.
  template <class Ctx, class Digits>
  static UPSWEEP_DEVICE bool take_sorted(Ctx& block, const temp_storage& s, const Digits& digits, bit_range bits, int n,
                                         int items, Key (&key)[Items]) {
    bool in_front[Items];
    Key before[Items];
    each_striped(block, items, [&](int i, int at) {
      const int from = s.from[at], from_before = s.from[at > 0 ? at - 1 : 0];
      key[i] = s.key[from];
      before[i] = s.key[from_before];
      in_front[i] = at == 0 || from_before < from;
    });
    constexpr int many = 24;
    for (int shift = bits.begin; shift < bits.end; shift += many) {
      const auto digit = digits.at(shift, width_at(bits, shift, many));
      each_striped(block, items, [&](int i, int) {
        const std::uint32_t a = digit(before[i]), b = digit(key[i]);
        in_front[i] = a < b || (a == b && in_front[i]);
      });
    }
    bool sorted = true;
    each_striped(block, items, [&](int i, int at) { sorted = sorted && (in_front[i] || at >= n); });
    return sorted;
  }
};

/// The method, for up to Threads * Items keys; not_supported for more.
template <int Threads, int Items, int Step = 1>
struct single_block_sort {
  static constexpr std::int64_t max_keys = std::int64_t{Threads} * Items;

  template <class Key, class Value>
  static constexpr std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  static status run(Executor& ex, workspace, const Request& r) {
    if (bound_of(r.n) > max_keys) return status::not_supported;
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    return ex.launch(1, single_block_sort_kernel<key, value, Threads, Items, Step>{}, r.digits, r.bits,
                     count_argument(r.n), r.keys_in, r.keys_out, carried_values<value>{r.values_in, r.values_out});
  }
};

template <int Threads, int Items, int Step>
inline constexpr bool reads_iterators<single_block_sort<Threads, Items, Step>> = true;

}  // namespace upsweep
