// LSD radix sort by one cluster of blocks, for some thousands to some hundred thousands of keys: one launch, no workspace.
// The array is cut into one part a block, which stays in that block's shared memory over all passes. In a pass, each block
// ranks its keys and tells all others how many it has of each digit; after a barrier of the cluster all know where each
// key goes, and it is written there, into the shared memory of the block that the place belongs to, in the last pass
// into the output. Stable. Needs sm_90.
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
#include "upsweep/sort/device/few_keys_rank.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep {

/// For a grid of one cluster of at most MaxBlocks blocks, of at most Threads * Items keys each.
template <class Key, class Value, int Threads, int Items, int Step, int MaxBlocks>
struct cluster_sort_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int part_items = Threads * Items;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using rank = few_keys_rank<Threads, Items, Step>;
  using values = carried_values<Value>;
  using carried = typename values::item;
  static_assert(Threads >= rank::radix, "thread d places digit d");
  static constexpr int digit_warps = rank::radix / warp_size;

  struct temp_storage {
    typename rank::temp_storage rank_storage;
    /// Of this pass, and of the next one: others may be there already.
    typename rank::counts total[2][MaxBlocks][warp_size];
    typename rank::counts first[warp_size];
    std::uint32_t warp_sum[digit_warps];
    /// Where a key of the digit goes, less its place among this block's keys.
    std::uint32_t to[rank::radix];
    bool one_digit;  // all keys of the cluster have the same
    uninitialized_array<Key, part_items> key;
    uninitialized_array<carried, has_values ? part_items : 1> value;
  };

  template <class Ctx, class Digits, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count,
                                 const Key* keys_in, Key* keys_out, values v) const {
    const int n = static_cast<int>(items_of(count));
    if (may_be_empty<Count> && n == 0) return;
    block.cluster_barrier_relaxed();  // all blocks have begun
    const int part = (n + block.cluster_blocks() - 1) / block.cluster_blocks();
    const int begin = part * block.cluster_rank();
    const int valid = n - begin < part ? (n > begin ? n - begin : 0) : part;
    const int items = (part + Threads * Step - 1) / (Threads * Step) * Step;
    // In rank order a warp has neighbouring keys; when runs of equal digits leave, the block has.
    const int in_warp = block.warp() * warp_size * items + block.lane();
    Key key[Items];
    carried value[Items];
    std::uint32_t place[Items];
    const auto each = [&](int first, int stride, auto body) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i / Step * Step < items) {
          const int at = first + i * stride;
          if (at < valid) body(i, at);
        }
      }
    };
    each(in_warp, warp_size, [&](int i, int at) {
      key[i] = keys_in[begin + at];
      if constexpr (has_values) value[i] = v.take(begin + at);
    });
    int pass = 0;
    for (int shift = bits.begin; shift < bits.end; shift += rank::radix_bits, ++pass) {
      const bool is_last = bits.end - shift <= rank::radix_bits;
      const auto digit = digits.at(shift, is_last ? bits.end - shift : rank::radix_bits);
      const auto digit_of = [&](int i) { return in_warp + i * warp_size < valid ? digit(key[i]) : rank::padding; };
      auto& totals = s.total[pass % 2];
      rank::places(block, s.rank_storage, items, digit_of, place, [&](auto total, const auto& first) {
        if (block.lane() == warp_size - 1) {
          total.item[rank::lane_words - 1] -= static_cast<std::uint32_t>(Threads * items - valid) << 16;
        }
        auto* const mine = &totals[block.cluster_rank()][block.lane()].item[0];
        for (int b = 0; b < block.cluster_blocks(); ++b) {
          block.template store_vector<rank::lane_words>(block.cluster_shared(mine, b), total);
        }
        block.template store_vector<rank::lane_words>(&s.first[block.lane()].item[0], first);
      });
      each(in_warp, warp_size, [&](int i, int) {
        s.key[static_cast<int>(place[i])] = key[i];
        if constexpr (has_values) s.value[static_cast<int>(place[i])] = value[i];
      });
      block.barrier();  // s.key and s.value are written
      each(block.thread_rank(), Threads, [&](int i, int at) {
        key[i] = s.key[at];
        if constexpr (has_values) value[i] = s.value[at];
      });
      block.cluster_barrier();  // all totals are there, and all keys in registers
      place_digits(block, s, totals, n, part, is_last);
      if (s.one_digit) {
        if (is_last) break;
      } else if (is_last) {
        each(block.thread_rank(), Threads, [&](int i, int at) {
          const std::uint32_t to = s.to[digit(key[i])] + static_cast<std::uint32_t>(at);
          keys_out[to] = key[i];
          if constexpr (has_values) v.put(to, value[i]);
        });
        return;
      } else {
        each(block.thread_rank(), Threads, [&](int i, int at) {
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
      each(in_warp, warp_size, [&](int i, int at) {
        key[i] = s.key[at];
        if constexpr (has_values) value[i] = s.value[at];
      });
    }
    each(block.thread_rank(), Threads, [&](int i, int at) {
      keys_out[begin + at] = key[i];
      if constexpr (has_values) v.put(begin + at, value[i]);
    });
  }

 private:
  static UPSWEEP_DEVICE std::uint32_t of_digit(const typename rank::counts* c, int digit) {
    return rank::half_of(reinterpret_cast<const std::uint32_t*>(c)[rank::word_of(static_cast<std::uint32_t>(digit))],
                         static_cast<std::uint32_t>(digit));
  }

  /// Fills s.to and s.one_digit, from the totals of all blocks. Holds the barriers before its results are used; a
  /// barrier must stand between the call and the next one.
  template <class Ctx, class Totals>
  static UPSWEEP_DEVICE void place_digits(Ctx& block, temp_storage& s, const Totals& totals, int n, int part,
                                          bool is_last) {
    const int d = block.thread_rank();
    std::uint32_t in_front = 0, total = 0, up_to = 0;
    if (d < rank::radix) {
      for (int b = 0; b < block.cluster_blocks(); ++b) {
        if (b == block.cluster_rank()) in_front = total;
        total += of_digit(totals[b], d);
      }
      up_to = warp_inclusive_scan(block, total, plus{});
      if (block.lane() == warp_size - 1) s.warp_sum[block.warp()] = up_to;
    }
    const bool all = block.barrier_or(static_cast<int>(total) == n);
    if (d == 0) s.one_digit = all;
    if (d < rank::radix) {
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
