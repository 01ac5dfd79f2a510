// The first pass of a sort over two ranks: items are split by ranges of their codes, in one trip that counts the digits
// of each range, too. Tiles put their items in order of the ranges, learn by look-back where those of each go, and
// store runs of hundreds of items, at the speed of memory.
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
  const std::uint64_t* before;    ///< how many items of each range the portions in front have
  std::uint64_t* after;           ///< the same with those of this one
};

/// `Passes` digits of 8 bits are counted for each range, from the lowest on; 0: none. Stable where IsStable; else tiles
/// take the next places that are free, by what is in `after`, and wait for no other.
template <class Key, class Value, class Digit, int Passes, int Threads, int Items, int Blocks, bool IsStable>
struct range_split_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int tile_items = Threads * Items;
  static constexpr int warps = Threads / warp_size;
  static constexpr bool is_stable = IsStable;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr int radix = 256;
  using Code = typename key_codec<Key>::code;
  using ranges_type = code_ranges<Code>;
  static constexpr int ranges = ranges_type::count, padding = ranges;
  using lookback = digit_lookback<ranges + 1>;
  static_assert(tile_items <= 1 << 16, "places in a tile are numbers of 16 bits");

  struct temp_storage {
    std::int64_t tile;  // that comes next
    ranges_type cuts;
    std::uint32_t before[warps][ranges + 1];  // items of each range: of a warp, then of those in front of it
    std::uint32_t first[ranges + 1];          // where those of a range begin in the tile
    std::int64_t to[ranges];                  // item i of the tile in order goes to to[its range] + i
    bool fits[ranges];
    range_places places;
    std::uint32_t count[Passes > 0 ? Passes : 1][Passes > 0 ? ranges : 1][radix];
    union {  // in order
      uninitialized_array<Key, tile_items> key;
      uninitialized_array<std::conditional_t<has_values, Value, Key>, tile_items> value;
    };
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
    std::int64_t tile = IsStable ? take_ticket(block, s, p) : block.block_index();
    block.barrier();  // the counters are clear, and the tables are there
    const ranges_type in_registers = s.cuts;
    Key key[Items];
    if (tile < tiles) load(block, keys, p, tile, key);
    while (tile < tiles) {
      std::uint32_t place[Items];
      const std::uint32_t mine = rank_tile(block, s, key, digit, in_registers, p, tile, place);
      put_in_order(block, s, key, place);
      if (block.warp() == 0) find_places(block, s, p, tile, mine);
      block.barrier();  // the tile is in order, and where its ranges go is known
      std::int64_t next = tile + block.num_blocks();
      if constexpr (!IsStable) {
        if (next < tiles) load(block, keys, p, next, key);  // on their way while this tile leaves
      }
      store_runs(block, s, s.key.data(), keys_to);
      if constexpr (has_values) {
        block.barrier();  // s.key has been read
        put_values_in_order(block, s, values + p.begin + tile * tile_items, items_of_tile(p, tile), place);
        block.barrier();  // the values are in order
        store_runs(block, s, s.value.data(), values_to);
      }
      if constexpr (IsStable) {
        next = take_ticket(block, s, p);
        if (next < tiles) load(block, keys, p, next, key);
      }
      tile = next;
    }
    block.barrier();  // all have counted
    for (int i = block.thread_rank(); i < counters; i += Threads) {
      if (counter[i] != 0) block.atomic_add(counts + i, std::uint64_t{counter[i]});
    }
  }

 private:
  /// A range in the low bits of a word, and a number of items above.
  static constexpr int range_bits = 5;
  static_assert(ranges < 1 << range_bits && 1 << range_bits == warp_size);

  /// The next tile of the launch. It is told as soon as it is counted, so no block takes one before it is done with
  /// another. Holds a barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE std::int64_t take_ticket(Ctx& block, temp_storage& s, const range_portion& p) {
    if (block.thread_rank() == 0) s.tile = ordered_tile_id{p.ticket}.take_alone(block);
    block.barrier();  // s.tile is written
    return s.tile;
  }
  static UPSWEEP_DEVICE lookback look_back_of(const range_portion& p) { return lookback(p.words, 0, 0); }
  static UPSWEEP_DEVICE int items_of_tile(const range_portion& p, std::int64_t tile) {
    const std::int64_t left = p.items - tile * tile_items;
    return left < tile_items ? static_cast<int>(left) : tile_items;
  }
  /// The caller's item i stands there in the tile as it came.
  template <class Ctx>
  static UPSWEEP_DEVICE int position(Ctx& block, int i) {
    return (block.warp() * Items + i) * warp_size + block.lane();
  }
  template <class Ctx>
  static UPSWEEP_DEVICE void load(Ctx& block, const Key* keys, const range_portion& p, std::int64_t tile,
                                  Key (&key)[Items]) {
    const Key* const from = keys + p.begin + tile * tile_items;
    const int valid = items_of_tile(p, tile);
    if (valid == tile_items) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) key[i] = from[position(block, i)];
    } else {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) key[i] = from[position(block, i) < valid ? position(block, i) : 0];
    }
  }

  /// place: of each item, its range and how many of that its warp has in front. s.first and s.before are written then,
  /// and the first warp's lane r gets how many items of range r the tile has.
  template <class Ctx>
  static UPSWEEP_DEVICE std::uint32_t rank_tile(Ctx& block, temp_storage& s, const Key (&key)[Items], Digit digit,
                                                const ranges_type& cuts, const range_portion& p, std::int64_t tile,
                                                std::uint32_t (&place)[Items]) {
    const int valid = items_of_tile(p, tile);
    if (valid == tile_items) {
      rank_items<true>(block, s, key, digit, cuts, valid, place);
    } else {
      rank_items<false>(block, s, key, digit, cuts, valid, place);
    }
    block.barrier();  // s.before has the warps' sums, and the tile before has left
    std::uint32_t mine = 0;
    if (block.warp() == 0) {
      const int r = block.lane();
      if (r <= ranges) {
        UPSWEEP_UNROLL
        for (int w = 0; w < warps; ++w) {
          const std::uint32_t of_warp = s.before[w][r];
          s.before[w][r] = mine;
          mine += of_warp;
        }
      }
      if constexpr (IsStable) {
        if (r < ranges) look_back_of(p).tell(block, tile, r, mine);
      }
      std::uint32_t sum = mine;
      UPSWEEP_UNROLL
      for (int d = 1; d <= ranges; d *= 2) {
        const std::uint32_t in_front = block.shuffle_up(sum, d);
        if (r >= d) sum += in_front;
      }
      if (r <= ranges) s.first[r] = sum - mine;
    }
    block.barrier();  // s.before has what is in front, and s.first is written
    return mine;
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
  static UPSWEEP_DEVICE void put_values_in_order(Ctx& block, temp_storage& s, const Value* values, int valid,
                                                 const std::uint32_t (&place)[Items]) {
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      s.value[static_cast<int>(place[i])] = values[position(block, i) < valid ? position(block, i) : 0];
    }
  }

  /// By the first warp, whose lane r has the tile's items of range r: where they go.
  template <class Ctx>
  static UPSWEEP_DEVICE void find_places(Ctx& block, temp_storage& s, const range_portion& p, std::int64_t tile,
                                         std::uint32_t mine) {
    const int r = block.lane();
    if (r >= ranges) return;
    std::uint64_t before = 0;
    if constexpr (IsStable) {
      before = p.before[r];
      if (tile > 0) before += look_back_of(p).sum_before(block, tile, r, mine);
      if (tile == ceil_div(p.items, tile_items) - 1) p.after[r] = before + mine;
    } else {
      before = block.atomic_add(p.after + r, std::uint64_t{mine});
    }
    s.to[r] = s.places.begin[r] + static_cast<std::int64_t>(before) - s.first[r];
    s.fits[r] = before + mine <= static_cast<std::uint64_t>(s.places.room[r]);
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
      const bool here = IsFull || position(block, i) < valid;
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
          const std::uint32_t of_pass = (static_cast<std::uint32_t>(code >> d * 8) & (radix - 1)) | range << 8;
          block.atomic_add(&s.count[d][0][0] + of_pass, 1u, block_scope);
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
      if (!s.fits[r]) continue;
      const int first = static_cast<int>(s.first[r]), end = static_cast<int>(s.first[r + 1]);
      T* const to = out + s.to[r];
      const int behind_line = static_cast<int>(reinterpret_cast<std::uintptr_t>(to + first) / sizeof(T) % warp_size);
      for (int at = first - behind_line + block.thread_rank(); at < end; at += Threads) {
        if (at >= first) to[at] = items[at];
      }
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
