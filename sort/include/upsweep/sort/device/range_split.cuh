// The first pass of a sort over two ranks: items are split by ranges of their codes, in one trip that counts the digits
// of each range, too. Tiles learn by look-back where their items of each range go, put them in order of the ranges in
// shared memory, and leave as runs of hundreds of items. From sm_90 on, bulk copies take those out while the block
// ranks its next tile: instructions bound the pass, and stores by its threads are a sixth of them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Seven ranges of codes, in order: range r has those from cut[r - 1] on that are below cut[r]. Number 7 has nothing
/// but what pads a tile.
template <class Code>
struct code_ranges {
  static constexpr int count = 7, cuts = count - 1;
  Code cut[cuts];
};

/// Where the items of each range go: at most `room` from `begin` on. What finds no room is counted, and not stored.
struct range_places {
  std::int64_t begin[code_ranges<std::uint32_t>::count], room[code_ranges<std::uint32_t>::count];
};

/// What one launch splits.
struct range_portion {
  static constexpr std::int64_t most_items = std::int64_t{1} << 29;
  std::int64_t begin, items;
  std::uint32_t *ticket, *words;  ///< of its tiles, and of their look-back; zero before
  const std::uint64_t* before;    ///< how many items of each range the earlier portions have
  std::uint64_t* after;           ///< the same with those of this one
};

/// `Passes` digits of 8 bits are counted for each range, from the lowest on; 0: none. Stable where IsStable; else tiles
/// take the next places that are free, by what is in `after`, and wait for no other. ByBulk: by bulk copies, for
/// outputs that begin at multiples of 16 bytes.
template <class Key, class Value, class Digit, int Passes, int Threads, int Items, int Blocks, bool IsStable,
          bool ByBulk>
struct range_split_kernel {
  static constexpr int needs_sm = ByBulk ? 90 : 0;
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int tile_items = Threads * Items;
  static constexpr int warps = Threads / warp_size;
  static constexpr bool is_stable = IsStable;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr int radix = 256;
  using Code = typename key_codec<Key>::code;
  using ranges_type = code_ranges<Code>;
  static constexpr int ranges = ranges_type::count;
  using lookback = digit_lookback<ranges + 1>;
  static_assert(tile_items <= 1 << 16, "places in a tile are numbers of 16 bits");
  using Moved = std::conditional_t<has_values, Value, Key>;
  static_assert(!ByBulk || (16 % sizeof(Key) == 0 && 16 % sizeof(Moved) == 0), "a bulk copy moves 16 bytes or more");
  static_assert(!ByBulk || warps >= 3, "three warps have separate parts of that");
  /// A run begins in shared memory where it begins in the output modulo so many items, of 16 bytes or more.
  static constexpr int group =
      ByBulk ? 16 / static_cast<int>(sizeof(Key) < sizeof(Moved) ? sizeof(Key) : sizeof(Moved)) : 1;
  static constexpr int room = tile_items + (ByBulk ? 2 * (ranges + 1) * group : 0);

  struct temp_storage {
    std::int64_t tile;  // that comes next
    ranges_type cuts;
    std::uint32_t before[warps][ranges + 1];  // items of each range: of a warp, then of those before it
    std::uint32_t first[ranges + 1];          // where those of a range begin in the tile in order
    std::uint32_t end[ranges + 1];            // and end; what has no room in the output ends where it begins
    std::int64_t to[ranges];                  // item i of the tile in order goes to to[its range] + i
    range_places places;
    std::uint32_t count[Passes > 0 ? Passes : 1][Passes > 0 ? ranges : 1][radix];
    alignas(16) uninitialized_array<Key, room> key;  // in order
    alignas(16) uninitialized_array<Moved, has_values ? room : 1> value;
  };

  /// counts: of each pass, range and digit; they are added up.
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, const Value* values, Digit digit,
                                 ranges_type cuts, range_places places, Key* keys_to, Value* values_to,
                                 std::uint64_t* counts, range_portion p) const {
    constexpr int counters = Passes * ranges * radix;
    std::uint32_t* const counter = &s.count[0][0][0];
    for (int i = block.thread_rank(); i < counters; i += Threads) counter[i] = 0;
    if (block.thread_rank() == 0) {
      s.places = places;
      s.cuts = cuts;
    }
    const std::int64_t tiles = ceil_div(p.items, tile_items);
    if constexpr (IsStable) {
      if (block.thread_rank() == 0) s.tile = ordered_tile_id{p.ticket}.take_alone(block);
    }
    block.barrier();  // the counters are clear, the tables are there, and the first tile is known
    std::int64_t tile = IsStable ? s.tile : block.block_index();
    const ranges_type in_registers = s.cuts;
    Key key[Items];
    if (tile < tiles) load(block, keys, p, tile, key);
    while (tile < tiles) {
      std::uint32_t place[Items];
      rank_tile(block, s, key, digit, in_registers, p, tile, place);
      put_in_order(block, s, key, place);
      if constexpr (has_values) put_values_in_order(block, s, values, p, tile, place);
      std::int64_t next = tile + block.num_blocks();
      if constexpr (IsStable) {
        if (block.thread_rank() == 0) s.tile = ordered_tile_id{p.ticket}.take_alone(block);
      }
      if constexpr (ByBulk) block.bulk_fence();
      block.barrier();  // the tile is in order, and the next one is known
      if constexpr (IsStable) next = s.tile;
      if (next < tiles) load(block, keys, p, next, key);  // on their way while this tile leaves
      if constexpr (ByBulk) {
        start_runs(block, s, keys_to, values_to);
      } else {
        store_runs(block, s, s.key.data(), keys_to);
        if constexpr (has_values) store_runs(block, s, s.value.data(), values_to);
      }
      tile = next;
    }
    if constexpr (ByBulk) wait_for_runs(block);
    block.barrier();  // all have counted
    for (int i = block.thread_rank(); i < counters; i += Threads) {
      if (counter[i] != 0) block.atomic_add(counts + i, std::uint64_t{counter[i]});
    }
  }

 private:
  /// A range in the low bits of a word, and a number of items above.
  static constexpr int range_bits = 5;
  static_assert(ranges < 1 << range_bits && 1 << range_bits == warp_size);

  static UPSWEEP_DEVICE lookback look_back_of(const range_portion& p) { return lookback(p.words, 0, 0); }
  static UPSWEEP_DEVICE int items_of_tile(const range_portion& p, std::int64_t tile) {
    const std::int64_t left = p.items - tile * tile_items;
    return left < tile_items ? static_cast<int>(left) : tile_items;
  }
  template <class Ctx>
  static UPSWEEP_DEVICE void load(Ctx& block, const Key* keys, const range_portion& p, std::int64_t tile,
                                  Key (&key)[Items]) {
    const Key* const from = keys + p.begin + tile * tile_items;
    const int valid = items_of_tile(p, tile);
    if (valid == tile_items) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) key[i] = from[warp_striped<Items>(block, i)];
    } else {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i)
        key[i] = from[warp_striped<Items>(block, i) < valid ? warp_striped<Items>(block, i) : 0];
    }
  }

  /// place: of each item, its range and how many of that its warp has before it. What s says of the tile's runs is
  /// written then.
  template <class Ctx>
  static UPSWEEP_DEVICE void rank_tile(Ctx& block, temp_storage& s, const Key (&key)[Items], Digit digit,
                                       const ranges_type& cuts, const range_portion& p, std::int64_t tile,
                                       std::uint32_t (&place)[Items]) {
    const int valid = items_of_tile(p, tile);
    if (valid == tile_items) {
      rank_items<true>(block, s, key, digit, cuts, valid, place);
    } else {
      rank_items<false>(block, s, key, digit, cuts, valid, place);
    }
    block.barrier();  // s.before has the warps' sums, and the tile before has left, or is told to
    if (block.warp() == 0) {
      const int r = block.lane();
      std::uint32_t mine = 0;
      if (r <= ranges) {
        UPSWEEP_UNROLL
        for (int w = 0; w < warps; ++w) {
          const std::uint32_t of_warp = s.before[w][r];
          s.before[w][r] = mine;
          mine += of_warp;
        }
      }
      const std::uint64_t before = r < ranges ? count_in_front(block, p, tile, mine) : 0;
      place_runs(block, s, before, mine);
      if constexpr (ByBulk) wait_for_runs(block);
    }
    block.barrier();  // s.before has the sums of earlier warps, and where the runs begin is written
  }

  /// By the first warp's lane of a range, of which the tile has `mine` items: how many come before them.
  template <class Ctx>
  static UPSWEEP_DEVICE std::uint64_t count_in_front(Ctx& block, const range_portion& p, std::int64_t tile,
                                                     std::uint32_t mine) {
    const int r = block.lane();
    if constexpr (IsStable) {
      look_back_of(p).tell(block, tile, r, mine);
      std::uint64_t before = p.before[r];
      if (tile > 0) before += look_back_of(p).sum_before(block, tile, r, mine);
      if (tile == ceil_div(p.items, tile_items) - 1) p.after[r] = before + mine;
      return before;
    } else {
      return block.atomic_add(p.after + r, std::uint64_t{mine});
    }
  }

  /// By the first warp: where the runs begin in the tile, and in the output.
  template <class Ctx>
  static UPSWEEP_DEVICE void place_runs(Ctx& block, temp_storage& s, std::uint64_t before, std::uint32_t mine) {
    const int r = block.lane();
    const bool has_place = r < ranges;
    const std::int64_t to = has_place ? s.places.begin[r] + static_cast<std::int64_t>(before) : 0;
    // Each run has whole groups of the tile, and begins in its first one where it begins in the output.
    const std::uint32_t skew = static_cast<std::uint32_t>(to) % group;
    const std::uint32_t held = r <= ranges ? (skew + mine + group - 1) / group * group : 0;
    std::uint32_t sum = held;
    UPSWEEP_UNROLL
    for (int d = 1; d <= ranges; d *= 2) {
      const std::uint32_t in_front = block.shuffle_up(sum, d);
      if (r >= d) sum += in_front;
    }
    const std::uint32_t first = sum - held + skew;
    if (r <= ranges) s.first[r] = first;
    if (!has_place) return;
    s.end[r] = before + mine <= static_cast<std::uint64_t>(s.places.room[r]) ? first + mine : first;
    s.to[r] = to - first;
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void put_in_order(Ctx& block, temp_storage& s, const Key (&key)[Items],
                                          std::uint32_t (&place)[Items]) {
    const int r = block.lane();
    const std::uint32_t base = r <= ranges ? s.first[r] + s.before[block.warp()][r] : 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      // A lane's number is taken modulo 32, which leaves the range.
      place[i] = block.shuffle(base, static_cast<int>(place[i])) + (place[i] >> range_bits);
      s.key[static_cast<int>(place[i])] = key[i];
    }
  }
  template <class Ctx>
  static UPSWEEP_DEVICE void put_values_in_order(Ctx& block, temp_storage& s, const Value* values,
                                                 const range_portion& p, std::int64_t tile,
                                                 const std::uint32_t (&place)[Items]) {
    const Value* const from = values + p.begin + tile * tile_items;
    const int valid = items_of_tile(p, tile);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      s.value[static_cast<int>(place[i])] =
          from[warp_striped<Items>(block, i) < valid ? warp_striped<Items>(block, i) : 0];
    }
  }

  /// Each warp ranks its items by ballots; a lane adds up how many there are of range lane % 8.
  template <bool IsFull, class Ctx>
  static UPSWEEP_DEVICE void rank_items(Ctx& block, temp_storage& s, const Key (&key)[Items], Digit digit,
                                        const ranges_type& cuts, int valid, std::uint32_t (&place)[Items]) {
    const int lane = block.lane();
    const lane_mask in_front = (lane_mask{1} << lane) - 1;
    const lane_mask without2 = (lane & 4) != 0 ? 0 : full_warp, without1 = (lane & 2) != 0 ? 0 : full_warp,
                    without0 = (lane & 1) != 0 ? 0 : full_warp;
    std::uint32_t sum = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const Code code = digit.code_of(key[i]);
      const bool here = IsFull || warp_striped<Items>(block, i) < valid;
      // The bits of the range's number. Those without an item are in the last one.
      const bool bit2 = !here || code >= cuts.cut[3];
      const bool bit1 = !here || code >= (bit2 ? cuts.cut[5] : cuts.cut[1]);
      const Code last = bit2 ? cuts.cut[4] : bit1 ? cuts.cut[2] : cuts.cut[0];
      const bool bit0 = !here || (!(bit2 && bit1) && code >= last);
      const lane_mask with2 = block.ballot(bit2), with1 = block.ballot(bit1), with0 = block.ballot(bit0);
      const lane_mask not2 = bit2 ? 0 : full_warp, not1 = bit1 ? 0 : full_warp, not0 = bit0 ? 0 : full_warp;
      const std::uint32_t range = (~not2 & 4) | (~not1 & 2) | (~not0 & 1);
      const lane_mask same = (with2 ^ not2) & (with1 ^ not1) & (with0 ^ not0);
      place[i] =
          (block.shuffle(sum, static_cast<int>(range)) + static_cast<std::uint32_t>(count_lanes(same & in_front)))
              << range_bits |
          range;
      sum += static_cast<std::uint32_t>(count_lanes((with2 ^ without2) & (with1 ^ without1) & (with0 ^ without0)));
      if constexpr (Passes > 0) {
        if (!here) continue;
        UPSWEEP_UNROLL
        for (int d = 0; d < Passes; ++d) {
          // In bytes, so that a shift and one operation on bits make an address.
          const std::uint32_t word = static_cast<std::uint32_t>(code);
          const std::uint32_t at = ((d == 0 ? word << 2 : word >> (d * 8 - 2)) & ((radix - 1u) << 2)) | range << 10;
          auto* const of_pass = reinterpret_cast<unsigned char*>(&s.count[d][0][0]);
          block.atomic_add(reinterpret_cast<std::uint32_t*>(of_pass + at), 1u, block_scope);
        }
      }
    }
    if (lane <= ranges) s.before[block.warp()][lane] = sum;
  }

  /// The runs of all ranges leave. Warps begin at whole lines of the output.
  template <class Ctx, class T>
  static UPSWEEP_DEVICE void store_runs(Ctx& block, const temp_storage& s, const T* items, T* out) {
    UPSWEEP_NO_UNROLL
    for (int r = 0; r < ranges; ++r) {
      const int first = static_cast<int>(s.first[r]), end = static_cast<int>(s.end[r]);
      T* const to = out + s.to[r];
      const int behind_line = static_cast<int>(reinterpret_cast<std::uintptr_t>(to + first) / sizeof(T) % warp_size);
      for (int at = first - behind_line + block.thread_rank(); at < end; at += Threads) {
        if (at >= first) to[at] = items[at];
      }
    }
  }

  /// The runs of all ranges begin to leave: the first warp starts copies of whole groups, and others store the words
  /// before those and after.
  template <class Ctx>
  static UPSWEEP_DEVICE void start_runs(Ctx& block, const temp_storage& s, Key* keys_to, Value* values_to) {
    const int r = block.lane();
    if (block.warp() == 0) {
      if (r >= ranges) return;
      const std::uint32_t begin = begin_of_groups(s, r), end = s.end[r] / group * group;
      if (begin < end) {
        const auto start = [&](const auto* items, auto* out) {
          block.bulk_store(out + s.to[r] + begin, items + begin,
                           (end - begin) * static_cast<std::uint32_t>(sizeof *out));
        };
        start(s.key.data(), keys_to);
        if constexpr (has_values) start(s.value.data(), values_to);
      }
      block.bulk_commit();
    } else if (block.warp() == 1) {
      store_ends(block, s, s.key.data(), keys_to);
    } else if (has_values && block.warp() == 2) {
      if constexpr (has_values) store_ends(block, s, s.value.data(), values_to);
    }
  }
  /// By a warp: the items of each run before its whole groups, and after them.
  template <class Ctx, class T>
  static UPSWEEP_DEVICE void store_ends(Ctx& block, const temp_storage& s, const T* items, T* out) {
    for (int i = block.lane(); i < ranges * 2 * group; i += warp_size) {
      const int r = i / (2 * group);
      const auto j = static_cast<std::uint32_t>(i % (2 * group));
      const std::uint32_t first = s.first[r], end = s.end[r], begin = begin_of_groups(s, r),
                          behind = end / group * group;
      const std::uint32_t at = j < group ? first + j : behind + j - group;
      if (j < group ? at < begin && at < end : at >= begin && at < end) out[s.to[r] + at] = items[at];
    }
  }
  static UPSWEEP_DEVICE std::uint32_t begin_of_groups(const temp_storage& s, int r) {
    return (s.first[r] + group - 1) / group * group;
  }
  /// Until the copies that the calling thread has started have read the tile.
  template <class Ctx>
  static UPSWEEP_DEVICE void wait_for_runs(Ctx& block) {
    block.template bulk_wait<0>();
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
