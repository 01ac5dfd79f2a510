// The stable order of a tile's keys by one digit, as the list of the places from which they come.
//
// A warp takes its keys' places from counters of its own, one shared atomic a key. That is the order of the keys when
// the lanes that meet at a counter are served from the lowest to the highest. Nothing promises that, so whoever reads
// the list checks it, and has the tile listed by matching lanes (the warp multi-split of Ashkiani et al., "GPU
// Multisplit", 2016) where it does not hold.
#pragma once

#include <cstdint>

#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep {

/// Tiles are warp-striped: item i of a lane stands at warp * 32 * Items + i * 32 + lane. All threads call each method,
/// one after the other in the order in which they stand here.
template <int Threads, int Items, int RadixBits>
struct tile_order {
  static constexpr int radix = 1 << RadixBits;
  static constexpr int warps = Threads / warp_size;
  static constexpr int tile_items = Threads * Items;
  static_assert(Threads >= radix, "thread d sums up digit d");
  static_assert(tile_items <= 1 << 16, "places are numbers of 16 bits");
  using digit_scan = block_scan<std::uint32_t, warp_scans<Threads>>;

  struct temp_storage {
    std::uint32_t count[warps][radix];  // each warp's keys of a digit; then the place of the warp's next one
    typename digit_scan::temp_storage scan;
    uninitialized_array<std::uint16_t, tile_items> source;  // the key at place i of the order stands at source[i]
  };

  template <class Ctx>
  static UPSWEEP_DEVICE int place(Ctx& block, int i) {
    return block.warp() * warp_size * Items + i * warp_size + block.lane();
  }

  /// Counts digit_of(i), the digit of the caller's item i, for the items in front of `valid`. A barrier follows.
  template <bool Full, class Ctx, class DigitOf>
  static UPSWEEP_DEVICE void count(Ctx& block, temp_storage& s, int valid, DigitOf digit_of) {
    std::uint32_t* const count = s.count[block.warp()];
    for (int d = block.lane(); d < radix; d += warp_size) count[d] = 0;
    block.warp_sync();  // count is clear
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (Full || place(block, i) < valid) block.atomic_add(&count[digit_of(i)], 1u, block_scope);
    }
  }

  /// How many keys of the tile have digit `thread_rank`; for threads below radix, behind a barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE std::uint32_t keys_of_digit(Ctx& block, const temp_storage& s) {
    std::uint32_t total = 0;
    UPSWEEP_UNROLL
    for (int w = 0; w < warps; ++w) total += s.count[w][block.thread_rank()];
    return total;
  }

  /// From the keys of each digit (0 for threads beyond radix) to the places of each warp's first ones. Returns the
  /// first place of digit `thread_rank` in the tile. A barrier follows.
  template <class Ctx>
  static UPSWEEP_DEVICE std::uint32_t begin_places(Ctx& block, temp_storage& s, std::uint32_t keys) {
    const std::uint32_t first = digit_scan::exclusive_scan(block, s.scan, keys, 0u, plus{});
    if (block.thread_rank() < radix) {
      std::uint32_t next = first;
      UPSWEEP_UNROLL
      for (int w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = s.count[w][block.thread_rank()];
        s.count[w][block.thread_rank()] = next;
        next += of_warp;
      }
    }
    return first;
  }

  /// Lists the keys. Unless `certain`, equal digits may be out of order, and the caller must look. A barrier follows.
  template <bool Full, class Ctx, class DigitOf>
  static UPSWEEP_DEVICE void list(Ctx& block, temp_storage& s, int valid, bool certain, DigitOf digit_of) {
    std::uint32_t* const next = s.count[block.warp()];
    if (certain) return list_by_matching<Full>(block, s, next, valid, digit_of);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = place(block, i);
      if (!Full && at >= valid) continue;
      const std::uint32_t to = block.atomic_add(&next[digit_of(i)], 1u, block_scope);
      s.source[static_cast<int>(to)] = static_cast<std::uint16_t>(at);
    }
  }

  /// Back to where begin_places left the counters, after a listing and a barrier; `first` as it gave. A barrier
  /// follows.
  template <class Ctx>
  static UPSWEEP_DEVICE void begin_again(Ctx& block, temp_storage& s, std::uint32_t first) {
    const int d = block.thread_rank();
    if (d >= radix) return;
    for (int w = warps - 1; w > 0; --w) s.count[w][d] = s.count[w - 1][d];
    s.count[0][d] = first;
  }

  /// Whether so many of the warp's keys have one digit that its lanes would often meet at a counter. Behind count().
  template <class Ctx>
  static UPSWEEP_DEVICE bool warp_is_crowded(Ctx& block, const temp_storage& s) {
    block.warp_sync();  // all lanes have counted
    std::uint32_t most = 0;
    UPSWEEP_UNROLL
    for (int d = 0; d < radix; d += warp_size) {
      const std::uint32_t c =
          radix >= warp_size || block.lane() < radix ? s.count[block.warp()][d + block.lane() % radix] : 0;
      most = c > most ? c : most;
    }
    return block.any(most > warp_size * Items / crowd);
  }

 private:
  /// A digit with one key in so many makes a warp crowded.
  static constexpr int crowd = 4;

  template <bool Full, class Ctx, class DigitOf>
  static UPSWEEP_DEVICE void list_by_matching(Ctx& block, temp_storage& s, std::uint32_t* next, int valid,
                                              DigitOf digit_of) {
    const lane_mask lanes_below = (1u << block.lane()) - 1;
    for (int i = 0; i < Items; ++i) {
      const int at = place(block, i);
      const bool is_key = Full || at < valid;
      const std::uint32_t digit = is_key ? digit_of(i) : radix;
      const lane_mask peers = block.template match_low_bits < Full ? RadixBits : RadixBits + 1 > (digit);
      if (is_key) {
        const std::uint32_t to = next[digit] + static_cast<std::uint32_t>(count_lanes(peers & lanes_below));
        s.source[static_cast<int>(to)] = static_cast<std::uint16_t>(at);
      }
      block.warp_sync();  // all peers have read
      if (is_key && (peers & lanes_below) == 0) next[digit] += static_cast<std::uint32_t>(count_lanes(peers));
      block.warp_sync();  // the next item's peers read
    }
  }
};

}  // namespace upsweep
