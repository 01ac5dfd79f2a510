// Where each key of a block goes by one digit, stably: lanes with equal digits find each other by ballots, their leader
// advances the warp's counter (the warp multi-split of Ashkiani et al., "GPU Multisplit", 2016), and one warp scans all
// counters. Counters have 16 bits, two in a word, for blocks of at most 2^15 keys.
#pragma once

#include <cstdint>

#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

/// Tiles are warp-striped: item i of a lane stands at warp * 32 * Items + i * 32 + lane. A call ranks the first `items`
/// of each thread, a multiple of Step, as if Items were so many.
template <int Threads, int Items, int Step>
struct few_keys_rank {
  static_assert(Items % Step == 0 && Threads * Items <= 1 << 15);
  static constexpr int radix_bits = 8;
  static constexpr int radix = 1 << radix_bits;
  static constexpr int words = radix / 2;
  static constexpr int warps = Threads / warp_size;
  static constexpr int lane_words = words / warp_size;
  /// Items behind the last key have this digit: they stand behind the keys that have it.
  static constexpr std::uint32_t padding = radix - 1;
  using counts = vector_of<std::uint32_t, lane_words>;

  struct temp_storage {
    /// How many keys of a warp have digits d and d + words; then where the next one of them goes.
    alignas(sizeof(counts)) std::uint32_t count[warps][words];
  };

  static UPSWEEP_DEVICE int word_of(std::uint32_t digit) { return static_cast<int>(digit % words); }
  static UPSWEEP_DEVICE std::uint32_t half_of(std::uint32_t word, std::uint32_t digit) {
    return digit < words ? word & 0xffff : word >> 16;
  }

  /// place[i] = where item i goes, if digit_of(i) is its digit. The lanes of warp 0 call see(total, first): how many
  /// keys of the block have digits 4 lane + k and 4 lane + k + words, and where the first of them goes.
  /// All threads call. A warp_sync of each warp must stand between two calls.
  template <class Ctx, class DigitOf, class See>
  static UPSWEEP_DEVICE void places(Ctx& block, temp_storage& s, int items, DigitOf digit_of,
                                    std::uint32_t (&place)[Items], See see) {
    std::uint32_t* const count = s.count[block.warp()];
    block.template store_vector<lane_words>(count + block.lane() * lane_words, counts{});
    block.warp_sync();  // count is clear

    const lane_mask lanes_below = (1u << block.lane()) - 1;
    UPSWEEP_UNROLL
    for (int first = 0; first < Items; first += Step) {
      if (first < items) {
        std::uint32_t before[Step];
        lane_mask peers[Step];
        UPSWEEP_UNROLL
        for (int i = 0; i < Step; ++i) {
          const std::uint32_t digit = digit_of(first + i);
          peers[i] = peers_of(block, digit);
          before[i] = 0;
          if ((peers[i] & lanes_below) == 0) {
            const auto found = static_cast<std::uint32_t>(count_lanes(peers[i]));
            before[i] = block.atomic_add(&count[word_of(digit)], digit < words ? found : found << 16, block_scope);
          }
          block.warp_sync();  // the next item's leader may be another lane
        }
        UPSWEEP_UNROLL
        for (int i = 0; i < Step; ++i) {
          place[first + i] = half_of(block.shuffle(before[i], lowest_lane(peers[i])), digit_of(first + i)) +
                             static_cast<std::uint32_t>(count_lanes(peers[i] & lanes_below));
        }
      }
    }
    block.barrier();  // every warp has counted
    if (block.warp() == 0) scan_counts(block, s, see);
    block.barrier();  // the counts are places
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i / Step * Step < items) {
        const std::uint32_t digit = digit_of(i);
        place[i] += half_of(count[word_of(digit)], digit);
      }
    }
  }

 private:
  /// The lanes whose digit is the caller's.
  template <class Ctx>
  static UPSWEEP_DEVICE lane_mask peers_of(Ctx& block, std::uint32_t digit) {
    lane_mask others = 0;
    UPSWEEP_UNROLL
    for (int b = 0; b < radix_bits; ++b) {
      const bool bit = (digit >> b & 1) != 0;
      others |= block.ballot(bit) ^ (bit ? full_warp : 0);
    }
    return ~others;
  }

  /// By one warp, each lane for `lane_words` words. Sums of both halves are taken at once: none exceeds 16 bits.
  template <class Ctx, class See>
  static UPSWEEP_DEVICE void scan_counts(Ctx& block, temp_storage& s, See see) {
    const int mine = block.lane() * lane_words;
    counts total{};
    UPSWEEP_UNROLL
    for (int w = 0; w < warps; ++w) {
      const counts of_warp = block.template load_vector<lane_words>(&s.count[w][mine]);
      UPSWEEP_UNROLL
      for (int k = 0; k < lane_words; ++k) total.item[k] += of_warp.item[k];
    }
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
      const counts of_warp = block.template load_vector<lane_words>(&s.count[w][mine]);
      block.template store_vector<lane_words>(&s.count[w][mine], first);
      UPSWEEP_UNROLL
      for (int k = 0; k < lane_words; ++k) first.item[k] += of_warp.item[k];
    }
  }
};

}  // namespace upsweep
