// LSD radix sort by one cluster of blocks, for some thousands to some ten thousands of keys: one launch, no
// workspace. The array is cut into one part a block, which stays in that block's shared memory over all passes. In a
// pass, each block ranks its keys and tells all others by marked words how many it has of each digit; then
// all know where each key goes, and it is written there, into the shared memory of the block that the place belongs to,
// in the last pass into the output. Stable. Needs sm_90.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/few_keys_order.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// For a grid of one cluster of that many blocks, of at most Threads * Items keys each.
template <class Key, class Value, int Threads, int Items, int Step, int Blocks>
struct cluster_sort_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int part_items = Threads * Items;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using order = few_keys_order<Threads, Items, Step>;
  using values = carried_values<Value>;
  using carried = typename values::item;
  static_assert(Threads >= order::radix, "thread d places digit d");
  static constexpr int digit_warps = order::radix / warp_size;

  struct temp_storage {
    typename order::temp_storage order_storage;
    /// How many keys each block has of digits d and d + words, as order::counts, with the mark of the pass in the
    /// highest bit of both halves: who sees the mark has the numbers. Of this pass, and of the next one.
    std::uint32_t total[2][Blocks][order::words];
    std::uint32_t mine[order::words];   // what this block tells
    std::uint32_t first[order::words];  // where the first ones go among this block's keys
    std::uint32_t warp_sum[digit_warps];
    std::uint32_t to[order::radix];  // where a key of the digit goes, less its place among this block's keys
    bool one_digit;                  // all keys of the cluster have the same
    uninitialized_array<std::uint16_t, part_items> from;  // at place i among this block's keys goes the one at from[i]
    // As they are, and as they will be: other blocks write there.
    uninitialized_array<Key, part_items> key[2];
    uninitialized_array<carried, has_values ? part_items : 1> value[2];
  };

  template <class Ctx, class Digits, class Count, class KeyIn>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count, KeyIn keys_in,
                                 Key* keys_out, values v) const {
    const int n = static_cast<int>(items_of(count));
    if (may_be_empty<Count> && n == 0) return;
    const int part = (n + Blocks - 1) / Blocks;
    const int begin = part * block.cluster_rank();
    const int valid = n - begin < part ? (n > begin ? n - begin : 0) : part;
    const int items = (part + Threads * Step - 1) / (Threads * Step) * Step;
    const auto each = [&](auto body) {
      order::each(items, [&](int i) { body(i, block.thread_rank() + i * Threads); });
    };
    Key key[Items];
    carried value[Items];
    each([&](int i, int at) {
      const int from = at < valid ? begin + at : 0;
      key[i] = static_cast<Key>(keys_in[from]);
      if constexpr (has_values) value[i] = v.take(from);
    });
    each([&](int i, int at) {
      s.key[0][at] = s.key[1][at] = key[i];  // what comes after the last key is never written again
      if constexpr (has_values) s.value[0][at] = s.value[1][at] = value[i];
    });
    for (int i = block.thread_rank(); i < 2 * Blocks * order::words; i += Threads) {
      s.total[i / order::words / Blocks][i / order::words % Blocks][i % order::words] = 0;
    }
    block.cluster_barrier();  // all blocks have begun, and nothing in them is marked

    int now = 0, pass = 0;
    for (int shift = bits.begin; shift < bits.end; shift += order::radix_bits, ++pass) {
      const bool is_last = bits.end - shift <= order::radix_bits;
      const auto digit = digits.at(shift, is_last ? bits.end - shift : order::radix_bits);
      const std::uint32_t mark = pass / 2 % 2 == 0 ? 0x80008000u : 0u;
      for (bool certain = false;; certain = true) {
        list(block, s, now, items, valid, certain, digit, mark);
        if (!certain) tell(block, s, s.total[pass % 2]);
        block.barrier();  // s.from is written
        if (!block.barrier_or(!take_listed(s, now, each, digit, key, value)) || certain) break;
      }
      place_digits(block, s, s.total[pass % 2], mark, n, part, is_last);
      if (is_last) block.cluster_barrier();  // no block ends before it has been told all
      if (s.one_digit) continue;
      if (is_last) {
        each([&](int i, int at) {
          if (at < valid) keys_out[s.to[digit(key[i])] + static_cast<std::uint32_t>(at)] = key[i];
        });
        if constexpr (has_values) {
          put_values(block, v, each, valid, value,
                     [&](int i, int at) { return s.to[digit(key[i])] + static_cast<std::uint32_t>(at); });
        }
        return;
      }
      each([&](int i, int at) {
        if (at >= valid) return;
        const std::uint32_t to = s.to[digit(key[i])] + static_cast<std::uint32_t>(at);
        int owner = static_cast<int>(to >> 16), there = static_cast<int>(to & 0xffff);
        if (there >= part) {  // the run goes on in the next block
          ++owner;
          there -= part;
        }
        *block.cluster_shared(s.key[1 - now].data() + there, owner) = key[i];
        if constexpr (has_values) *block.cluster_shared(s.value[1 - now].data() + there, owner) = value[i];
      });
      block.cluster_barrier();  // all keys are there
      now = 1 - now;
    }
    each([&](int i, int at) {
      if (at < valid) keys_out[begin + at] = s.key[now][at];
      if constexpr (has_values) value[i] = s.value[now][at];
    });
    if constexpr (has_values) put_values(block, v, each, valid, value, [&](int, int at) { return begin + at; });
  }

 private:
  /// Fills s.from, s.first and s.mine by a digit. A barrier follows.
  template <class Ctx, class Digit>
  static UPSWEEP_DEVICE void list(Ctx& block, temp_storage& s, int now, int items, int valid, bool certain,
                                  const Digit& digit, std::uint32_t mark) {
    const int begin = order::first_item(block, items);
    std::uint32_t place[Items];
    const auto digit_of = [&](int i) {
      const int at = begin + i * warp_size;
      const std::uint32_t of_key = digit(s.key[now][at]);
      return at < valid ? of_key : order::padding;
    };
    order::places(block, s.order_storage, items, certain, digit_of, place,
                  [&](int word, auto total, const auto& first) {
                    UPSWEEP_UNROLL
                    for (int k = 0; k < order::lane_words; ++k) total.item[k] |= mark;
                    block.template store_vector<order::lane_words>(&s.mine[word], total);
                    block.template store_vector<order::lane_words>(&s.first[word], first);
                  });
    order::each(items,
                [&](int i) { s.from[static_cast<int>(place[i])] = static_cast<std::uint16_t>(begin + i * warp_size); });
  }

  /// Tells all blocks how many keys this one has of each digit. A barrier follows.
  template <class Ctx>
  static UPSWEEP_DEVICE void tell(Ctx& block, temp_storage& s, std::uint32_t (&totals)[Blocks][order::words]) {
    std::uint32_t* const there = totals[block.cluster_rank()];
    for (int i = block.thread_rank(); i < Blocks * order::words; i += Threads) {
      const int word = i % order::words;
      block.store_relaxed(block.cluster_shared(there + word, i / order::words), s.mine[word]);
    }
  }

  /// Takes the keys in the order of the list. False when keys of one digit are not in order.
  template <class Each, class Digit>
  static UPSWEEP_DEVICE bool take_listed(const temp_storage& s, int now, Each each, const Digit& digit,
                                         Key (&key)[Items], carried (&value)[Items]) {
    bool in_order = true;
    each([&](int i, int at) {
      const int from = s.from[at], before = s.from[at > 0 ? at - 1 : 0];
      key[i] = s.key[now][from];
      if constexpr (has_values) value[i] = s.value[now][from];
      const std::uint32_t d = digit(key[i]);
      const auto first = static_cast<int>(order::half_of(s.first[order::word_of(d)], d));
      if (at > first && before > from) in_order = false;
    });
    return in_order;
  }

  /// Fills s.to and s.one_digit, once the totals of all blocks have arrived. Holds the barriers around that.
  template <class Ctx>
  static UPSWEEP_DEVICE void place_digits(Ctx& block, temp_storage& s,
                                          const std::uint32_t (&totals)[Blocks][order::words], std::uint32_t mark,
                                          int n, int part, bool is_last) {
    const auto d = static_cast<std::uint32_t>(block.thread_rank());
    std::uint32_t in_front = 0, total = 0, up_to = 0;
    if (d < order::radix) {
      std::uint32_t word[Blocks];
      for (bool all_there = false; !all_there;) {
        all_there = true;
        UPSWEEP_UNROLL
        for (int b = 0; b < Blocks; ++b) word[b] = block.load_relaxed(&totals[b][order::word_of(d)]) ^ mark;
        UPSWEEP_UNROLL
        for (int b = 0; b < Blocks; ++b) all_there = all_there && (word[b] & 0x80008000u) == 0;
        if (!all_there) block.back_off();
      }
      UPSWEEP_UNROLL
      for (int b = 0; b < Blocks; ++b) {
        if (b == block.cluster_rank()) in_front = total;
        total += order::half_of(word[b], d);
      }
      block.warp_sync();  // the lanes have waited apart
      up_to = warp_inclusive_scan(block, total, plus{});
      if (block.lane() == warp_size - 1) s.warp_sum[block.warp()] = up_to;
    }
    const bool all = block.barrier_or(static_cast<int>(total) == n);
    if (d == 0) s.one_digit = all;
    if (d < order::radix) {
      std::uint32_t to = up_to - total + in_front;
      UPSWEEP_UNROLL
      for (int w = 0; w < digit_warps; ++w) to += w < block.warp() ? s.warp_sum[w] : 0;
      const auto parts = static_cast<std::uint32_t>(part);
      if (!is_last) to = to / parts << 16 | to % parts;
      s.to[d] = to - order::half_of(s.first[order::word_of(d)], d);
    }
    block.barrier();  // s.to is written
  }

  template <class Ctx, class Each, class To>
  static UPSWEEP_DEVICE void put_values(Ctx& block, const values& v, Each each, int valid,
                                        const carried (&value)[Items], To to) {
    if (values::itself || v.in != v.out) {
      each([&](int i, int at) {
        if (at < valid) v.put(to(i, at), value[i]);
      });
      return;
    }
    if constexpr (!values::itself) {
      Value fetched[Items];
      each([&](int i, int at) {
        if (at < valid) fetched[i] = v.value_at(static_cast<std::int64_t>(value[i]));
      });
      block.cluster_barrier();  // all values are read
      each([&](int i, int at) {
        if (at < valid) v.out[to(i, at)] = fetched[i];
      });
    }
  }
};

/// The method, for up to Blocks times Threads * Items keys; not_supported for more, and by a GPU without clusters of
/// Blocks.
template <int Threads, int Items, int Step = 1, int Blocks = max_cluster_blocks>
struct cluster_sort {
  static constexpr std::int64_t max_keys = std::int64_t{Threads} * Items * Blocks;

  template <class Key, class Value>
  static constexpr std::size_t workspace_bytes(std::int64_t) {
    return 0;
  }

  /// A request that sort_by has checked.
  template <class Executor, class Request>
  static status run(Executor& ex, workspace, const Request& r) {
    if (bound_of(r.n) > max_keys || !ex.has_clusters()) return status::not_supported;
    using key = typename Request::key_type;
    using value = typename Request::value_type;
    return ex.launch(grid(Blocks, 0, Blocks), cluster_sort_kernel<key, value, Threads, Items, Step, Blocks>{}, r.digits,
                     r.bits, count_argument(r.n), r.keys_in, r.keys_out,
                     carried_values<value>{r.values_in, r.values_out});
  }
};

template <int Threads, int Items, int Step, int Blocks>
inline constexpr bool reads_iterators<cluster_sort<Threads, Items, Step, Blocks>> = true;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
