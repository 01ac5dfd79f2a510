// The place of each key of a tile in the stable order by one digit.
//
// A warp takes its keys' places from counters of its own, one shared atomic a key. That gives the stable order if the
// lanes that meet at a counter are served from the lowest to the highest. GPUs do so, but nothing promises it: whoever
// takes places looks afterwards whether they are in order, and takes them again by matching lanes (the warp multi-split
// of Ashkiani et al., "GPU Multisplit", 2016) where they are not.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// How the lanes of a warp take places.
enum class place_taking {
  each,          ///< each lane for itself
  with_first,    ///< lanes with the digit of lane 0 together: when neighbours often have one digit
  with_dominant  ///< lanes with the digit of a good part of the warp's keys together
};

/// Tiles are warp-striped: item i of a lane stands at warp * 32 * Items + i * 32 + lane. All threads call each method.
template <int Threads, int Items, int RadixBits>
struct tile_places {
  static constexpr int radix = 1 << RadixBits;
  static constexpr int warps = Threads / warp_size;
  static_assert(Threads >= radix, "thread d sums up digit d");
  using digit_scan = block_scan<std::uint32_t, warp_scans<Threads>>;

  struct temp_storage {
    std::uint32_t count[warps][radix];  // each warp's keys of a digit; then the place of the next one
    typename digit_scan::temp_storage scan;
  };

  /// Of a warp, found by count().
  struct crowd {
    place_taking taking;
    std::uint32_t dominant;
  };

  template <class Ctx>
  static UPSWEEP_DEVICE int position(Ctx& block, int i) {
    return block.warp() * warp_size * Items + i * warp_size + block.lane();
  }

  /// Counts digit_of(i), the digit of the caller's item i, for the items in front of `valid`. A barrier follows.
  template <bool Full, class Ctx, class DigitOf>
  static UPSWEEP_DEVICE crowd count(Ctx& block, temp_storage& s, int valid, DigitOf digit_of) {
    std::uint32_t* const count = s.count[block.warp()];
    for (int d = block.lane(); d < radix; d += warp_size) count[d] = 0;
    block.warp_sync();  // count is clear
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (Full || position(block, i) < valid) block.atomic_add(&count[digit_of(i)], 1u, block_scope);
    }
    block.warp_sync();  // all lanes have counted

    // Lanes that meet at a counter wait for each other.
    std::uint32_t most = 0;
    UPSWEEP_UNROLL
    for (int first = 0; first < radix; first += warp_size) {
      const int d = first + block.lane();
      if (d >= radix) continue;
      const std::uint32_t c = count[d] << RadixBits | static_cast<std::uint32_t>(d);
      most = c > most ? c : most;
    }
    most = block.reduce_max(most);
    if (most >> RadixBits > warp_size * Items / 5) return {place_taking::with_dominant, most % radix};
    const bool neighbours =
        meet_lane_0<Full>(block, valid, digit_of, 0) >= 8 && meet_lane_0<Full>(block, valid, digit_of, Items / 2) >= 8;
    return {neighbours ? place_taking::with_first : place_taking::each, 0};
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
  static UPSWEEP_DEVICE std::uint32_t begin(Ctx& block, temp_storage& s, std::uint32_t keys) {
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

  /// Back to where begin() left the counters, once all places are taken and behind a barrier; `first` as it gave. A
  /// barrier follows.
  template <class Ctx>
  static UPSWEEP_DEVICE void begin_again(Ctx& block, temp_storage& s, std::uint32_t first) {
    const int d = block.thread_rank();
    if (d >= radix) return;
    for (int w = warps - 1; w > 0; --w) s.count[w][d] = s.count[w - 1][d];
    s.count[0][d] = first;
  }

  /// Calls put(i, place) for the caller's items in front of `valid`. Equal digits may be out of order, and the caller
  /// must look.
  template <bool Full, class Ctx, class DigitOf, class Put>
  static UPSWEEP_DEVICE void take(Ctx& block, temp_storage& s, int valid, crowd how, DigitOf digit_of, Put put) {
    std::uint32_t* const next = s.count[block.warp()];
    if (how.taking == place_taking::with_first) {
      return take_together<Full, false>(block, next, valid, digit_of, put,
                                        [&](int, std::uint32_t digit) { return digit == block.shuffle(digit, 0); });
    }
    if (how.taking == place_taking::with_dominant) {
      return take_together<Full, false>(block, next, valid, digit_of, put,
                                        [&](int, std::uint32_t digit) { return digit == how.dominant; });
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (Full || position(block, i) < valid) {
        put(i, static_cast<int>(block.atomic_add(&next[digit_of(i)], 1u, block_scope)));
      }
    }
  }

  /// The same, those for which is_tied(i) in order for certain; they have one digit.
  template <bool Full, class Ctx, class DigitOf, class Tied, class Put>
  static UPSWEEP_DEVICE void take_tied_in_order(Ctx& block, temp_storage& s, int valid, DigitOf digit_of, Tied is_tied,
                                                Put put) {
    take_together<Full, true>(block, s.count[block.warp()], valid, digit_of, put,
                              [&](int i, std::uint32_t digit) { return digit != radix && is_tied(i); });
  }

  /// The same, all in order for certain.
  template <class Ctx, class DigitOf, class Put>
  static UPSWEEP_DEVICE void take_in_order(Ctx& block, temp_storage& s, int valid, DigitOf digit_of, Put put) {
    std::uint32_t* const next = s.count[block.warp()];
    for (int i = 0; i < Items; ++i) {
      const bool is_key = position(block, i) < valid;
      const std::uint32_t digit = is_key ? digit_of(i) : radix;
      const lane_mask peers = block.template match_low_bits<RadixBits + 1>(digit);
      const auto behind = static_cast<std::uint32_t>(count_lanes(peers & lanes_below(block)));
      const std::uint32_t place = is_key ? next[digit] + behind : 0;
      block.warp_sync();  // all peers have read
      if (is_key && behind == 0) next[digit] += static_cast<std::uint32_t>(count_lanes(peers));
      block.warp_sync();  // the next item's peers read
      if (is_key) put(i, static_cast<int>(place));
    }
  }

 private:
  template <class Ctx>
  static UPSWEEP_DEVICE lane_mask lanes_below(Ctx& block) {
    return (1u << block.lane()) - 1;
  }

  /// How many lanes have the digit of lane 0 in item i; 0 where lane 0 has none.
  template <bool Full, class Ctx, class DigitOf>
  static UPSWEEP_DEVICE int meet_lane_0(Ctx& block, int valid, DigitOf digit_of, int i) {
    const std::uint32_t digit = Full || position(block, i) < valid ? digit_of(i) : radix;
    const std::uint32_t first = block.shuffle(digit, 0);
    return count_lanes(block.ballot(digit == first && first != radix));
  }

  /// Lanes that are peers, of one digit, take their places together, the others each. Only with InOrder a warp's steps
  /// come one after the other.
  template <bool Full, bool InOrder, class Ctx, class DigitOf, class Put, class Peer>
  static UPSWEEP_DEVICE void take_together(Ctx& block, std::uint32_t* next, int valid, DigitOf digit_of, Put put,
                                           Peer peer) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const bool is_key = Full || position(block, i) < valid;
      const std::uint32_t digit = is_key ? digit_of(i) : radix;
      const bool is_peer = peer(i, digit);
      const lane_mask peers = block.ballot(is_peer);
      const auto behind = static_cast<std::uint32_t>(count_lanes(peers & lanes_below(block)));
      std::uint32_t place = 0;
      if (is_key && (!is_peer || behind == 0)) {
        place =
            block.atomic_add(&next[digit], is_peer ? static_cast<std::uint32_t>(count_lanes(peers)) : 1u, block_scope);
      }
      const std::uint32_t of_peers = block.shuffle(place, peers != 0 ? lowest_lane(peers) : 0);
      if (is_key) put(i, static_cast<int>(is_peer ? of_peers + behind : place));
      if constexpr (InOrder) block.warp_sync();
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
