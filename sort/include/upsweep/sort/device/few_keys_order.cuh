// Where each key of a block goes by one digit, stably.
//
// A warp counts its keys by shared atomics, and what an atomic returns is a key's rank among those of the warp. That is
// the order of the keys if the lanes that meet at a counter are served from the lowest to the highest, one instruction
// behind the other. Nothing promises that: whoever uses the places looks whether the order came out, and where it did
// not, asks again with `certain`, by which lanes with equal digits find each other and their leader counts for all (the
// warp multi-split of Ashkiani et al., "GPU Multisplit", 2016). One warp then scans all counters.
#pragma once

#include <cstdint>

#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

/// The keys of a warp are neighbours: with `items` a thread, a multiple of Step, item i of a lane is the block's key
/// number warp * 32 * items + i * 32 + lane. Counters have 16 bits, two in a word.
template <int Threads, int Items, int Step>
struct few_keys_order {
  static_assert(Items % Step == 0 && Threads * Items < 1 << 15);
  static constexpr int radix_bits = 8;
  static constexpr int radix = 1 << radix_bits;
  static constexpr int words = radix / 2;
  static constexpr int warps = Threads / warp_size;
  static constexpr int lane_words = words / warp_size;
  /// The digit of what stands behind the last key, and stays there: it is not counted.
  static constexpr std::uint32_t padding = radix;
  using counts = vector_of<std::uint32_t, lane_words>;

  struct temp_storage {
    /// How many keys of a warp have digits d and d + words; then where the first of them go.
    alignas(sizeof(counts)) std::uint32_t count[warps][words];
  };

  template <class Ctx>
  static UPSWEEP_DEVICE int first_item(Ctx& block, int items) {
    return block.warp() * warp_size * items + block.lane();
  }
  static UPSWEEP_DEVICE std::uint32_t half_of(std::uint32_t word, std::uint32_t digit) {
    return word >> shift_of(digit) & 0xffff;
  }
  static UPSWEEP_DEVICE int word_of(std::uint32_t digit) { return static_cast<int>(digit % words); }

  /// place[i] = where item i goes, if digit_of(i) is its digit. The lanes of warp 0 call see(total, first): how many
  /// keys of the block have digits 4 lane + k and 4 lane + k + words, and where the first ones go. All threads call. A
  /// warp_sync of each warp must stand between two calls.
  template <class Ctx, class DigitOf, class See>
  static UPSWEEP_DEVICE void places(Ctx& block, temp_storage& s, int items, bool certain, DigitOf digit_of,
                                    std::uint32_t (&place)[Items], See see) {
    std::uint32_t* const count = s.count[block.warp()];
    block.template store_vector<lane_words>(count + block.lane() * lane_words, counts{});
    block.warp_sync();  // count is clear
    std::uint32_t digit[Items];
    if (!certain) {
      rank_by_atomics(block, count, items, digit_of, digit, place);
    } else {
      rank_by_matching(block, count, items, digit_of, digit, place);
    }
    block.barrier();  // every warp has counted
    if (block.warp() == 0) scan_counts(block, s, see);
    block.barrier();  // the counts are places
    const int first = first_item(block, items);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i / Step * Step < items) {
        const std::uint32_t of_key = place[i] + half_of(count[word_of(digit[i])], digit[i]);
        place[i] = digit[i] == padding ? static_cast<std::uint32_t>(first + i * warp_size) : of_key;
      }
    }
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
          const std::uint32_t one = 1u << shift_of(digit[i]);
          std::uint32_t before = 0;
          if (digit[i] != padding) before = block.atomic_add(&count[word_of(digit[i])], one, block_scope);
          rank[i] = half_of(before, digit[i]);
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

  /// By one warp, each lane for `lane_words` words. Sums of both halves are taken at once: none exceeds 16 bits.
  template <class Ctx, class See>
  static UPSWEEP_DEVICE void scan_counts(Ctx& block, temp_storage& s, See see) {
    const int mine = block.lane() * lane_words;
    const auto of_warp = [&](int w) { return block.template load_vector<lane_words>(&s.count[w][mine]); };
    const auto add = [](counts& sum, const counts& c) {
      UPSWEEP_UNROLL
      for (int k = 0; k < lane_words; ++k) sum.item[k] += c.item[k];
    };
    constexpr bool keeps = warps <= 16;  // in registers, until they are written
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
    const std::uint32_t of_low_digits = block.shuffle(up_to_lane, warp_size - 1) & 0xffff;
    counts first;
    first.item[0] = up_to_lane - of_lane + (of_low_digits << 16);
    UPSWEEP_UNROLL
    for (int k = 1; k < lane_words; ++k) first.item[k] = first.item[k - 1] + total.item[k - 1];
    see(total, first);
    UPSWEEP_UNROLL
    for (int w = 0; w < warps; ++w) {
      const counts c = keeps ? kept[keeps ? w : 0] : of_warp(w);
      block.template store_vector<lane_words>(&s.count[w][mine], first);
      add(first, c);
    }
  }
};

}  // namespace upsweep
