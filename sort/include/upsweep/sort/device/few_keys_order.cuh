// Where each key of a block goes by one digit, stably.
//
// A warp counts its keys by shared atomics, and what an atomic returns is a key's rank among those of the warp. That is
// the order of the keys if the lanes that meet at a counter are served from the lowest to the highest, one instruction
// after the other. Nothing promises that: whoever uses the places looks whether the order came out, and where it did
// not, asks again with `certain`, by which lanes with equal digits find each other and their leader counts for all (the
// warp multi-split of Ashkiani et al., "GPU Multisplit", 2016). A few warps then scan all counters.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The keys of a warp are neighbours: with `items` a thread, a multiple of Step, item i of a lane is the block's key
/// number warp * 32 * items + i * 32 + lane. Counters have 16 bits, two in a word.
template <int Threads, int Items, int Step>
struct few_keys_order {
  static_assert(Items % Step == 0 && Threads * Items < 1 << 15);
  static constexpr int radix_bits = 8;
  static constexpr int radix = 1 << radix_bits;
  static constexpr int words = radix / 2;
  static constexpr int warps = Threads / warp_size;
  /// So many warps scan the counters, each lane those of `lane_words` words.
  static constexpr int scan_warps = warps >= 4 ? 4 : warps >= 2 ? 2 : 1;
  static constexpr int lane_words = words / warp_size / scan_warps;
  static constexpr warp_group scanning{1, 0, scan_warps};
  /// The digit of what comes after the last key, and stays there: it is not counted.
  static constexpr std::uint32_t padding = radix;
  using counts = vector_of<std::uint32_t, lane_words>;

  struct temp_storage {
    /// How many keys of a warp have digits d and d + words; then where the first of them go.
    alignas(16) std::uint32_t count[warps][words];
    std::uint32_t warp_sum[scan_warps];
  };

  template <class Ctx>
  static UPSWEEP_DEVICE int first_item(Ctx& block, int items) {
    return block.warp() * warp_size * items + block.lane();
  }
  /// body(i) for the items that a thread has. Those of a step are under one condition, so that what they wait for comes
  /// at once.
  template <class Body>
  static UPSWEEP_DEVICE void each(int items, Body body) {
    UPSWEEP_UNROLL
    for (int step = 0; step < Items; step += Step) {
      if (step < items) {
        UPSWEEP_UNROLL
        for (int i = step; i < step + Step; ++i) body(i);
      }
    }
  }
  static UPSWEEP_DEVICE std::uint32_t half_of(std::uint32_t word, std::uint32_t digit) {
    return word >> shift_of(digit) & 0xffff;
  }
  static UPSWEEP_DEVICE int word_of(std::uint32_t digit) { return static_cast<int>(digit % words); }

  /// place[i] = where item i goes, if digit_of(i) is its digit. For every word w, some thread calls see(w, total,
  /// first) with a multiple of lane_words: how many keys of the block have digits w + k and w + k + words, and where
  /// the first ones go. All threads call. A warp_sync of each warp must come between two calls.
  template <class Ctx, class DigitOf, class See>
  static UPSWEEP_DEVICE void places(Ctx& block, temp_storage& s, int items, bool certain, DigitOf digit_of,
                                    std::uint32_t (&place)[Items], See see) {
    std::uint32_t* const count = s.count[block.warp()];
    constexpr int a_lane = words / warp_size;
    block.template store_vector<a_lane>(count + block.lane() * a_lane, vector_of<std::uint32_t, a_lane>{});
    block.warp_sync();  // count is clear
    std::uint32_t digit[Items];
    if (!certain) {
      rank_by_atomics(block, count, items, digit_of, digit, place);
    } else {
      rank_by_matching(block, count, items, digit_of, digit, place);
    }
    block.barrier();  // every warp has counted
    if (block.warp() < scan_warps) scan_counts(block, s, see);
    block.barrier();  // the counts are places
    const int first = first_item(block, items);
    each(items, [&](int i) {
      const std::uint32_t of_key = place[i] + half_of(count[word_of(digit[i])], digit[i]);
      place[i] = digit[i] == padding ? static_cast<std::uint32_t>(first + i * warp_size) : of_key;
    });
  }

 private:
  static UPSWEEP_DEVICE int shift_of(std::uint32_t digit) { return digit < words ? 0 : 16; }

  template <class Ctx, class DigitOf>
  static UPSWEEP_DEVICE void rank_by_atomics(Ctx& block, std::uint32_t* count, int items, DigitOf digit_of,
                                             std::uint32_t (&digit)[Items], std::uint32_t (&rank)[Items]) {
    UPSWEEP_UNROLL
    for (int group = 0; group < Items; group += Step) {
      if (group < items) {
        UPSWEEP_UNROLL
        for (int i = group; i < group + Step; ++i) digit[i] = digit_of(i);
        UPSWEEP_UNROLL
        for (int i = group; i < group + Step; ++i) {
          // Padding adds nothing, so that no lane branches, and each lane to its own word, so that none waits.
          const bool is_key = digit[i] != padding;
          std::uint32_t* const counter = count + (is_key ? word_of(digit[i]) : block.lane());
          rank[i] = half_of(block.atomic_add(counter, is_key ? 1u << shift_of(digit[i]) : 0u, block_scope), digit[i]);
        }
      }
    }
  }

  template <class Ctx, class DigitOf>
  static UPSWEEP_DEVICE void rank_by_matching(Ctx& block, std::uint32_t* count, int items, DigitOf digit_of,
                                              std::uint32_t (&digit)[Items], std::uint32_t (&rank)[Items]) {
    const lane_mask lanes_below = (1u << block.lane()) - 1;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i < items) {
        digit[i] = digit_of(i);
        const lane_mask peers = block.match_any(digit[i]);
        rank[i] =
            half_of(count[word_of(digit[i])], digit[i]) + static_cast<std::uint32_t>(count_lanes(peers & lanes_below));
        block.warp_sync();  // all peers have read
        if ((peers & lanes_below) == 0 && digit[i] != padding) {
          const auto found = static_cast<std::uint32_t>(count_lanes(peers));
          block.atomic_add(&count[word_of(digit[i])], found << shift_of(digit[i]), block_scope);
        }
        block.warp_sync();  // the next item's peers read
      }
    }
  }

  /// By scan_warps warps. Sums of both halves are taken at once: none exceeds 16 bits.
  template <class Ctx, class See>
  static UPSWEEP_DEVICE void scan_counts(Ctx& block, temp_storage& s, See see) {
    const int mine = block.thread_rank() * lane_words;
    const auto of_warp = [&](int w) { return block.template load_vector<lane_words>(&s.count[w][mine]); };
    const auto add = [](counts& sum, const counts& c) {
      UPSWEEP_UNROLL
      for (int k = 0; k < lane_words; ++k) sum.item[k] += c.item[k];
    };
    constexpr bool keeps = warps * lane_words <= 16;  // in registers, until they are written
    counts kept[keeps ? warps : 1];
    counts total{};
    if constexpr (keeps) {
      UPSWEEP_UNROLL
      for (int w = 0; w < warps; ++w) kept[w] = of_warp(w);
    }
    UPSWEEP_UNROLL
    for (int w = 0; w < warps; ++w) add(total, keeps ? kept[keeps ? w : 0] : of_warp(w));
    std::uint32_t of_lane = 0;
    UPSWEEP_UNROLL
    for (int k = 0; k < lane_words; ++k) of_lane += total.item[k];
    const std::uint32_t up_to_lane = warp_inclusive_scan(block, of_lane, plus{});
    if (block.lane() == warp_size - 1) s.warp_sum[block.warp()] = up_to_lane;
    if constexpr (scan_warps > 1) {
      block.group_sync(scanning);  // s.warp_sum is written
    } else {
      block.warp_sync();
    }
    std::uint32_t before = 0, all = 0;
    UPSWEEP_UNROLL
    for (int w = 0; w < scan_warps; ++w) {
      if (w == block.warp()) before = all;
      all += s.warp_sum[w];
    }
    counts first;
    first.item[0] = before + up_to_lane - of_lane + (all << 16);  // those of the high digits come after all low ones
    UPSWEEP_UNROLL
    for (int k = 1; k < lane_words; ++k) first.item[k] = first.item[k - 1] + total.item[k - 1];
    see(mine, total, first);
    UPSWEEP_UNROLL
    for (int w = 0; w < warps; ++w) {
      const counts c = keeps ? kept[keeps ? w : 0] : of_warp(w);
      block.template store_vector<lane_words>(&s.count[w][mine], first);
      add(first, c);
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
