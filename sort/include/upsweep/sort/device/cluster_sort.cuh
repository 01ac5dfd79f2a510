// LSD radix sort by one cluster of blocks, for some thousands to some hundred thousands of keys: one launch, no
// workspace. The array is cut into one part a block, which stays in that block's shared memory over all passes. In a
// pass, each block ranks its keys and tells all others how many it has of each digit; after a barrier of the cluster
// all know where each key goes, and it is written there, into the shared memory of the block that the place belongs to,
// in the last pass into the output. Stable. Needs sm_90.
#pragma once

#include <algorithm>
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

namespace upsweep {

/// For a grid of one cluster of at most MaxBlocks blocks, of at most Threads * Items keys each.
template <class Key, class Value, int Threads, int Items, int Step, int MaxBlocks>
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
    /// Of this pass, and of the next one: others may be there already.
    typename order::counts total[2][MaxBlocks][warp_size];
    typename order::counts first[warp_size];
    std::uint32_t warp_sum[digit_warps];
    /// Where a key of the digit goes, less its place among this block's keys.
    std::uint32_t to[order::radix];
    bool one_digit;                                       // all keys of the cluster have the same
    uninitialized_array<std::uint16_t, part_items> from;  // place i of the part goes to the key at from[i]
    uninitialized_array<Key, part_items> key;
    uninitialized_array<carried, has_values ? part_items : 1> value;
  };

  template <class Ctx, class Digits, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count,
                                 const Key* keys_in, Key* keys_out, values v) const {
    const int n = static_cast<int>(items_of(count));
    if (may_be_empty<Count> && n == 0) return;
    const int part = (n + block.cluster_blocks() - 1) / block.cluster_blocks();
    const int begin = part * block.cluster_rank();
    const int valid = n - begin < part ? (n > begin ? n - begin : 0) : part;
    const int items = (part + Threads * Step - 1) / (Threads * Step) * Step;
    const auto each = [&](auto body) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i / Step * Step < items) {
          const int at = block.thread_rank() + i * Threads;
          if (at < valid) body(i, at);
        }
      }
    };
    each([&](int, int at) {
      s.key[at] = keys_in[begin + at];
      if constexpr (has_values) s.value[at] = v.take(begin + at);
    });
    block.cluster_barrier_relaxed();  // all blocks have begun
    block.barrier();                  // s.key and s.value are there

    Key key[Items];
    carried value[Items];
    int pass = 0;
    for (int shift = bits.begin; shift < bits.end; shift += order::radix_bits, ++pass) {
      const bool is_last = bits.end - shift <= order::radix_bits;
      const auto digit = digits.at(shift, is_last ? bits.end - shift : order::radix_bits);
      auto& totals = s.total[pass % 2];
      list(block, s, items, valid, false, digit, &totals[block.cluster_rank()]);
      if (block.barrier_or(!take_listed(block, s, each, digit, key, value))) {
        list(block, s, items, valid, true, digit, nullptr);
        take_listed(block, s, each, digit, key, value);
      }
      block.cluster_barrier();  // all totals are there, and all keys in registers
      place_digits(block, s, totals, n, part, is_last);
      if (s.one_digit) {
        if (is_last) break;
        block.barrier();  // every thread has seen it
        continue;
      }
      if (is_last) {
        std::uint32_t to[Items];
        each([&](int i, int at) {
          to[i] = s.to[digit(key[i])] + static_cast<std::uint32_t>(at);
          keys_out[to[i]] = key[i];
        });
        if constexpr (has_values) put_values(block, v, each, value, [&](int i, int) { return to[i]; });
        return;
      }
      each([&](int i, int at) {
        const std::uint32_t to = s.to[digit(key[i])] + static_cast<std::uint32_t>(at);
        int owner = static_cast<int>(to >> 16), there = static_cast<int>(to & 0xffff);
        if (there >= part) {  // the run goes on in the next block
          ++owner;
          there -= part;
        }
        *block.cluster_shared(&s.key[there], owner) = key[i];
        if constexpr (has_values) *block.cluster_shared(&s.value[there], owner) = value[i];
      });
      block.cluster_barrier();  // all keys are there
    }
    each([&](int i, int at) {
      keys_out[begin + at] = s.key[at];
      if constexpr (has_values) value[i] = s.value[at];
    });
    if constexpr (has_values) put_values(block, v, each, value, [&](int, int at) { return begin + at; });
  }

 private:
  /// Fills s.from and s.first by a digit, and tells all blocks this one's totals, unless they know them. A barrier
  /// follows.
  template <class Ctx, class Digit>
  static UPSWEEP_DEVICE void list(Ctx& block, temp_storage& s, int items, int valid, bool certain, const Digit& digit,
                                  typename order::counts (*mine)[warp_size]) {
    const int first = order::first_item(block, items);
    std::uint32_t place[Items];
    const auto digit_of = [&](int i) { return digit(s.key[first + i * warp_size]); };
    order::places(block, s.order_storage, items, valid, certain, digit_of, place,
                  [&](const auto& total, const auto& first_places) {
                    for (int b = 0; mine != nullptr && b < block.cluster_blocks(); ++b) {
                      auto* const there = block.cluster_shared(&(*mine)[block.lane()].item[0], b);
                      block.template store_vector<order::lane_words>(there, total);
                    }
                    block.template store_vector<order::lane_words>(&s.first[block.lane()].item[0], first_places);
                  });
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = first + i * warp_size;
      if (i / Step * Step < items && at < valid) s.from[static_cast<int>(place[i])] = static_cast<std::uint16_t>(at);
    }
    block.barrier();  // s.from is written
  }

  template <class Ctx, class Each, class To>
  static UPSWEEP_DEVICE void put_values(Ctx& block, const values& v, Each each, const carried (&value)[Items], To to) {
    if (values::itself || v.in != v.out) {
      each([&](int i, int at) { v.put(to(i, at), value[i]); });
      return;
    }
    Value fetched[Items];
    each([&](int i, int) { fetched[i] = v.value_at(static_cast<std::int64_t>(value[i])); });
    block.cluster_barrier();  // all values are read
    each([&](int i, int at) { v.out[to(i, at)] = fetched[i]; });
  }

  /// Takes the keys in the order of the list. False when keys of one digit are not in order.
  template <class Ctx, class Each, class Digit>
  static UPSWEEP_DEVICE bool take_listed(Ctx&, const temp_storage& s, Each each, const Digit& digit, Key (&key)[Items],
                                         carried (&value)[Items]) {
    bool in_order = true;
    each([&](int i, int at) {
      const int from = s.from[at];
      key[i] = s.key[from];
      if constexpr (has_values) value[i] = s.value[from];
      const int first = static_cast<int>(of_digit(s.first, static_cast<int>(digit(key[i]))));
      if (at > first && s.from[at - 1] > from) in_order = false;
    });
    return in_order;
  }

  static UPSWEEP_DEVICE std::uint32_t of_digit(const typename order::counts* c, int digit) {
    const auto d = static_cast<std::uint32_t>(digit);
    return order::half_of(reinterpret_cast<const std::uint32_t*>(c)[order::word_of(d)], d);
  }

  /// Fills s.to and s.one_digit, from the totals of all blocks. Holds the barriers before its results are used; a
  /// barrier must stand between the call and the next one.
  template <class Ctx, class Totals>
  static UPSWEEP_DEVICE void place_digits(Ctx& block, temp_storage& s, const Totals& totals, int n, int part,
                                          bool is_last) {
    const int d = block.thread_rank();
    std::uint32_t in_front = 0, total = 0, up_to = 0;
    if (d < order::radix) {
      for (int b = 0; b < block.cluster_blocks(); ++b) {
        if (b == block.cluster_rank()) in_front = total;
        total += of_digit(totals[b], d);
      }
      up_to = warp_inclusive_scan(block, total, plus{});
      if (block.lane() == warp_size - 1) s.warp_sum[block.warp()] = up_to;
    }
    const bool all = block.barrier_or(static_cast<int>(total) == n);
    if (d == 0) s.one_digit = all;
    if (d < order::radix) {
      std::uint32_t to = up_to - total + in_front;
      for (int w = 0; w < block.warp(); ++w) to += s.warp_sum[w];
      const auto parts = static_cast<std::uint32_t>(part);
      if (!is_last) to = to / parts << 16 | to % parts;
      s.to[d] = to - of_digit(s.first, d);
    }
    block.barrier();  // s.to is written
  }
};

/// The method, for up to MaxBlocks times Threads * Items keys; not_supported for more, and by a GPU without clusters.
template <int Threads, int Items, int Step = 1, int MaxBlocks = max_cluster_blocks>
struct cluster_sort {
  static constexpr std::int64_t max_keys = std::int64_t{Threads} * Items * MaxBlocks;

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
    return ex.launch(grid(MaxBlocks, 0, MaxBlocks), cluster_sort_kernel<key, value, Threads, Items, Step, MaxBlocks>{},
                     r.digits, r.bits, count_argument(r.n), r.keys_in, r.keys_out,
                     carried_values<value>{r.values_in, r.values_out});
  }
};

}  // namespace upsweep
