// LSD radix sort by one block, for few keys: one launch, no workspace. Keys are read once into shared memory and stay
// where they are; what is sorted are words of their number and the next 16 bits of their code, so that a key is read
// and encoded once for two passes. Keys and values are moved once, in the end. Stable.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

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

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// For a grid of one block, of at most Threads * Items keys.
template <class Key, class Value, int Threads, int Items, int Step>
struct single_block_sort_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int tile_items = Threads * Items;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using order = few_keys_order<Threads, Items, Step>;
  static constexpr int window_bits = 16;
  static_assert(tile_items <= 1 << window_bits && window_bits % order::radix_bits == 0);

  struct temp_storage {
    typename order::temp_storage order_storage;
    int idle_pass;  // the last pass in which all keys have the same digit
    /// Of the key at a place: its number, and bits of its code above that.
    uninitialized_array<std::uint32_t, tile_items> word;
    uninitialized_array<Key, tile_items> key;  // by number
  };

  template <class Ctx, class Digits, class Count, class KeyIn, class KeyOut>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count, KeyIn keys_in,
                                 KeyOut keys_out, carried_values<Value> v) const {
    const int n = static_cast<int>(items_of(count));
    if (may_be_empty<Count> && n == 0) return;
    if (block.thread_rank() == 0) s.idle_pass = -1;
    const int items = (n + Threads * Step - 1) / (Threads * Step) * Step;
    Key key[Items];
    std::uint32_t word[Items];
    each(block, items, [&](int i, int at) {
      key[i] = static_cast<Key>(keys_in[at < n ? at : 0]);
      if constexpr (has_values) {
        if (v.in != nullptr) block.prefetch(v.in + (at < n ? at : 0));
      }
    });
    each(block, items, [&](int i, int at) { s.key[at] = key[i]; });
    for (bool certain = false;; certain = true) {
      each(block, items, [&](int i, int at) { s.word[at] = word[i] = static_cast<std::uint32_t>(at); });
      sort_words(block, s, digits, bits, n, items, certain, word);
      if (!block.barrier_or(!take_sorted(block, s, digits, bits, n, items, word, key)) || certain) break;
    }
    each(block, items, [&](int i, int at) {
      if (at < n) keys_out[at] = key[i];
    });
    if constexpr (has_values) put_values(block, v, n, items, word);
  }

 private:
  /// The places of the caller's items: those of a warp are neighbours.
  template <class Ctx, class Body>
  static UPSWEEP_DEVICE void each(Ctx& block, int items, Body body) {
    const int first = order::first_item(block, items);
    order::each(items, [&](int i) { body(i, first + i * warp_size); });
  }

  static UPSWEEP_DEVICE int number_of(std::uint32_t word) { return static_cast<int>(word & ((1u << window_bits) - 1)); }

  static UPSWEEP_DEVICE std::uint32_t word_of(std::uint32_t code, int number) {
    return code << window_bits | static_cast<std::uint32_t>(number);
  }

  /// Bits of the range from `shift` on, but at most so many.
  static UPSWEEP_DEVICE int width_at(int end, int shift, int most) { return end - shift < most ? end - shift : most; }

  /// Sorts the words, in s.word, which are numbers as yet, and the caller's in `word`. A thread has written the keys of
  /// its numbers, or they have been there since a barrier.
  template <class Ctx, class Digits>
  static UPSWEEP_DEVICE void sort_words(Ctx& block, temp_storage& s, const Digits& digits, bit_range bits, int n,
                                        int items, bool certain, std::uint32_t (&word)[Items]) {
    UPSWEEP_NO_UNROLL
    for (int window = bits.begin; window < bits.end; window += window_bits) {
      const int width = width_at(bits.end, window, window_bits);
      const auto digit = digits.at(window, width);
      each(block, items, [&](int i, int) {
        const int number = number_of(word[i]);
        word[i] = word_of(digit(s.key[number]), number);
      });
      UPSWEEP_NO_UNROLL
      for (int shift = 0; shift < width; shift += order::radix_bits) {
        sort_by_digit(block, s, window + shift, shift + window_bits, width_at(width, shift, order::radix_bits), n,
                      items, certain, word);
      }
    }
  }

  /// Pass number `pass`, by `bits` bits of the words from `shift` on.
  template <class Ctx>
  static UPSWEEP_DEVICE void sort_by_digit(Ctx& block, temp_storage& s, int pass, int shift, int bits, int n, int items,
                                           bool certain, std::uint32_t (&word)[Items]) {
    const int first = order::first_item(block, items);
    const std::uint32_t mask = (1u << bits) - 1;
    const auto digit_of = [&](int i) { return first + i * warp_size < n ? word[i] >> shift & mask : order::padding; };
    std::uint32_t place[Items];
    order::places(block, s.order_storage, items, certain, digit_of, place, [&](int, const auto& total, const auto&) {
      const auto keys = static_cast<std::uint32_t>(n);
      UPSWEEP_UNROLL
      for (int k = 0; k < order::lane_words; ++k) {
        if ((total.item[k] & 0xffff) == keys || total.item[k] >> 16 == keys) s.idle_pass = pass;
      }
    });
    if (s.idle_pass == pass) {
      block.warp_sync();  // the warp's counts have been read
      return;
    }
    each(block, items, [&](int i, int) { s.word[static_cast<int>(place[i])] = word[i]; });
    block.barrier();  // s.word is written
    each(block, items, [&](int i, int at) { word[i] = s.word[at]; });
  }

  /// Takes the keys in their order. False when one of the caller's does not come after its neighbour, by their
  /// digits, else by their numbers.
  template <class Ctx, class Digits>
  static UPSWEEP_DEVICE bool take_sorted(Ctx& block, const temp_storage& s, const Digits& digits, bit_range bits, int n,
                                         int items, const std::uint32_t (&word)[Items], Key (&key)[Items]) {
    const int first = order::first_item(block, items);
    const int number_before = number_of(s.word[first > 0 ? first - 1 : 0]);
    const Key key_before = s.key[number_before];
    each(block, items, [&](int i, int) { key[i] = s.key[number_of(word[i])]; });
    bool in_front[Items];
    // Shows of(i) beside that of the key before; `last` is that of the key before the warp's first.
    const auto compare = [&](std::uint32_t last, auto of, auto see) {
      each(block, items, [&](int i, int) {
        const std::uint32_t mine = of(i), before = block.shuffle(mine, block.lane() + warp_size - 1);
        see(i, block.lane() == 0 ? last : before, mine);
        last = before;
      });
    };
    const auto low = digits.at(bits.begin, width_at(bits.end, bits.begin, window_bits));
    compare(
        word_of(low(key_before), number_before), [&](int i) { return word_of(low(key[i]), number_of(word[i])); },
        [&](int i, std::uint32_t before, std::uint32_t mine) { in_front[i] = before < mine; });
    constexpr int many = 24;
    for (int shift = bits.begin + window_bits; shift < bits.end; shift += many) {
      const auto digit = digits.at(shift, width_at(bits.end, shift, many));
      compare(
          digit(key_before), [&](int i) { return digit(key[i]); },
          [&](int i, std::uint32_t before, std::uint32_t mine) {
            in_front[i] = (before < mine) | ((before == mine) & in_front[i]);
          });
    }
    bool sorted = true;
    each(block, items, [&](int i, int at) { sorted = sorted & (in_front[i] | (at == 0) | (at >= n)); });
    return sorted;
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void put_values(Ctx& block, const carried_values<Value>& v, int n, int items,
                                        const std::uint32_t (&word)[Items]) {
    Value value[Items];
    each(block, items, [&](int i, int at) {
      if (at < n) value[i] = v.value_at(number_of(word[i]));
    });
    if (v.in == v.out) block.barrier();  // all values are read
    each(block, items, [&](int i, int at) {
      if (at < n) v.out[at] = value[i];
    });
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

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
