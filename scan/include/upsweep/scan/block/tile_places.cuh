// The place of each key of a tile in the stable order by one digit.
//
// A warp takes its keys' places from its own counters, one shared atomic a key. That gives the stable order if the
// lanes that meet at a counter are served from the lowest to the highest. GPUs do so, but nothing promises it: whoever
// takes places looks afterwards whether they are in order, and takes them again by matching lanes (the warp multi-split
// of Ashkiani et al., "GPU Multisplit", 2016) where they are not.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles are warp-striped: item i of a lane is at warp_striped<Items>(block, i). All threads call each method,
/// and all have Items items: where a warp has fewer keys, what comes after them has a digit that is no lower than any
/// of the tile's, and so the last places. A warp without keys counts and takes nothing. With HasNone digits from radix
/// on are those of keys that are counted nowhere and have no place.
template <int Threads, int Items, int RadixBits, bool HasNone = false>
struct tile_places {
  static constexpr int radix = 1 << RadixBits;
  static constexpr int warps = Threads / warp_size;
  static_assert(Threads >= radix, "thread d sums up digit d");
  using digit_scan = block_scan<std::uint32_t, warp_scans<Threads>>;

  struct temp_storage {
    std::uint32_t count[warps][radix];  // each warp's keys of a digit; then the place of the next one
    typename digit_scan::temp_storage scan;
  };

  /// Of a warp, found by count(): lanes take places each for itself, or those with one digit together.
  struct shared_digit {
    bool together;
    std::uint32_t digit;  ///< that of a good part of the warp's keys; radix: of lane 0, as neighbours often have one
  };

  template <class Ctx>
  static UPSWEEP_DEVICE int position(Ctx& block, int i) {
    return warp_striped<Items>(block, i);
  }

  /// Counts digit_of(i), the digit of the caller's item i. A barrier follows.
  template <class Ctx, class DigitOf>
  static UPSWEEP_DEVICE shared_digit count(Ctx& block, temp_storage& s, bool has_keys, bool has_padding,
                                           DigitOf digit_of) {
    std::uint32_t* const count = s.count[block.warp()];
    for (int d = block.lane(); d < radix; d += warp_size) count[d] = 0;
    if (!has_keys) return {false, 0};
    block.warp_sync();  // count is clear
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t digit = digit_of(i);
      if (is_some(digit)) block.atomic_add(&count[digit], 1u, block_scope);
    }
    block.warp_sync();  // all lanes have counted

    // Lanes that meet at a counter wait for each other; where padding does, that is shorter than to look for it.
    if (has_padding) return {false, 0};
    std::uint32_t most = 0;
    UPSWEEP_UNROLL
    for (int first = 0; first < radix; first += warp_size) {
      const int d = first + block.lane();
      if (d >= radix) continue;
      const std::uint32_t c = count[d] << RadixBits | static_cast<std::uint32_t>(d);
      most = c > most ? c : most;
    }
    most = block.reduce_max(most);
    if (most >> RadixBits > warp_size * Items / 5) return {true, most % radix};
    return {meet_lane_0(block, digit_of(0)) >= 8 && meet_lane_0(block, digit_of(Items / 2)) >= 8, radix};
  }

  /// How many keys of the tile have digit `thread_rank`; for threads below radix, after a barrier.
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

  /// Back to where begin() left the counters, once all places are taken and after a barrier; `first` as it gave. A
  /// barrier follows.
  template <class Ctx>
  static UPSWEEP_DEVICE void begin_again(Ctx& block, temp_storage& s, std::uint32_t first) {
    const int d = block.thread_rank();
    if (d >= radix) return;
    UPSWEEP_NO_UNROLL
    for (int w = warps - 1; w > 0; --w) s.count[w][d] = s.count[w - 1][d];
    s.count[0][d] = first;
  }

  /// Calls put(i, place) for the caller's items. Equal digits may be out of order, and the caller must look.
  template <class Ctx, class DigitOf, class Put>
  static UPSWEEP_DEVICE void take_each(Ctx& block, temp_storage& s, DigitOf digit_of, Put put) {
    std::uint32_t* const next = s.count[block.warp()];
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t digit = digit_of(i);
      if (is_some(digit)) put(i, static_cast<int>(block.atomic_add(&next[digit], 1u, block_scope)));
    }
  }

  // The others are short loops, in which i is not constant: key(i) is read again, digit_of(key) taken, and
  // put(i, key, place) called.

  /// The same, by lanes together where they share a digit.
  template <class Ctx, class KeyOf, class DigitOf, class Put>
  static UPSWEEP_DEVICE void take_together(Ctx& block, temp_storage& s, shared_digit shared, KeyOf key,
                                           DigitOf digit_of, Put put) {
    take_with_peers<false>(block, s, key, digit_of, put, [&](const auto&, std::uint32_t digit) {
      const std::uint32_t of_lane_0 = block.shuffle(digit, 0);
      return digit == (shared.digit == radix ? of_lane_0 : shared.digit);
    });
  }

  /// The same, those for which is_tied(key) in order for certain; they have one digit.
  template <class Ctx, class KeyOf, class DigitOf, class Tied, class Put>
  static UPSWEEP_DEVICE void take_tied_in_order(Ctx& block, temp_storage& s, KeyOf key, DigitOf digit_of, Tied is_tied,
                                                Put put) {
    take_with_peers<true>(block, s, key, digit_of, put, [&](const auto& k, std::uint32_t) { return is_tied(k); });
  }

  /// The same, all in order for certain, and only for the items before `valid`.
  template <class Ctx, class KeyOf, class DigitOf, class Put>
  static UPSWEEP_DEVICE void take_in_order(Ctx& block, temp_storage& s, int valid, KeyOf key, DigitOf digit_of,
                                           Put put) {
    std::uint32_t* const next = s.count[block.warp()];
    UPSWEEP_NO_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t any = position(block, i) < valid ? digit_of(key(i)) : radix;
      const bool is_key = any < radix;
      const std::uint32_t digit = is_key ? any : radix;
      const lane_mask peers = block.template match_low_bits<RadixBits + 1>(digit);
      const auto behind = static_cast<std::uint32_t>(count_lanes(peers & lanes_below(block)));
      const std::uint32_t place = is_key ? next[digit] + behind : 0;
      block.warp_sync();  // all peers have read
      if (is_key && behind == 0) next[digit] += static_cast<std::uint32_t>(count_lanes(peers));
      block.warp_sync();  // the next item's peers read
      if (is_key) put(i, key(i), static_cast<int>(place));
    }
  }

 private:
  static UPSWEEP_DEVICE bool is_some(std::uint32_t digit) { return !HasNone || digit < radix; }

  template <class Ctx>
  static UPSWEEP_DEVICE lane_mask lanes_below(Ctx& block) {
    return (1u << block.lane()) - 1;
  }

  /// How many lanes have the digit of lane 0.
  template <class Ctx>
  static UPSWEEP_DEVICE int meet_lane_0(Ctx& block, std::uint32_t digit) {
    const std::uint32_t first = block.shuffle(digit, 0);
    return count_lanes(block.ballot(digit == first));
  }

  /// Keys that are read at once.
  static constexpr int batch = Items % 9 == 0 ? 9 : Items % 6 == 0 ? 6 : Items % 4 == 0 ? 4 : Items % 3 == 0 ? 3 : 1;

  /// Lanes that are peers, of one digit, take their places together, the others each. Only with InOrder a warp's steps
  /// come one after the other.
  template <bool InOrder, class Ctx, class KeyOf, class DigitOf, class Put, class Peer>
  static UPSWEEP_DEVICE void take_with_peers(Ctx& block, temp_storage& s, KeyOf key, DigitOf digit_of, Put put,
                                             Peer peer) {
    std::uint32_t* const next = s.count[block.warp()];
    UPSWEEP_NO_UNROLL
    for (int first = 0; first < Items; first += batch) {
      uninitialized_array<std::decay_t<decltype(key(0))>, batch> keys;
      UPSWEEP_UNROLL
      for (int i = 0; i < batch; ++i) keys[i] = key(first + i);
      UPSWEEP_UNROLL
      for (int i = 0; i < batch; ++i) {
        const std::uint32_t digit = digit_of(keys[i]);
        const bool is_peer = peer(keys[i], digit) && is_some(digit);  // all lanes ask
        const lane_mask peers = block.ballot(is_peer);
        const auto behind = static_cast<std::uint32_t>(count_lanes(peers & lanes_below(block)));
        std::uint32_t place = 0;
        if (is_some(digit) && (!is_peer || behind == 0)) {
          const auto taken = is_peer ? static_cast<std::uint32_t>(count_lanes(peers)) : 1u;
          place = block.atomic_add(&next[digit], taken, block_scope);
        }
        const std::uint32_t of_peers = block.shuffle(place, peers != 0 ? lowest_lane(peers) : 0);
        if (is_some(digit)) put(first + i, keys[i], static_cast<int>(is_peer ? of_peers + behind : place));
        if constexpr (InOrder) block.warp_sync();
      }
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
