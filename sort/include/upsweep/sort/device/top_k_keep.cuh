// Keeps the items up to a threshold, in one trip of the keys: each tile notes the its own places in order, in slots of
// its own or, where they are many, in slots that it reserves; no tile waits for another. The last block to be done
// finds out how many are kept before each tile, by which the kept items are an array in the order of their places.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/rank_select.cuh"
#include "upsweep/sort/device/top_k_threshold.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Where the kept items of each tile are.
struct kept_directory {
  static constexpr int own_slots = 32;  // of a tile

  std::uint32_t* count;       // of a tile
  std::uint64_t* first;       // how many are kept before the tile
  std::uint64_t* slot;        // where its places begin
  std::uint16_t* in_tile;     // places in their tile, by slot: those of tiles, then those that are reserved
  std::int64_t reserved_at;   // where these begin
  const std::int64_t* tiles;  // how many there are

  /// The place of the kept item number j, in the order of places.
  template <int TileItems>
  UPSWEEP_DEVICE std::int64_t place(std::int64_t j) const {
    return place<TileItems>(j, 0, *tiles);
  }
  /// Its tile is in [begin, end).
  template <int TileItems>
  UPSWEEP_DEVICE std::int64_t place(std::int64_t j, std::int64_t begin, std::int64_t end) const {
    const std::int64_t tile = last_up_to(first, j, begin, end);
    return tile * TileItems + in_tile[slot[tile] + (static_cast<std::uint64_t>(j) - first[tile])];
  }

  /// The last index in [begin, end) whose number is not above j, if that of `begin` is not.
  template <class Index>
  static UPSWEEP_DEVICE Index last_up_to(const std::uint64_t* number, std::int64_t j, Index begin, Index end) {
    while (end - begin > 1) {
      const Index middle = begin + (end - begin) / 2;
      if (number[middle] <= static_cast<std::uint64_t>(j)) {
        begin = middle;
      } else {
        end = middle;
      }
    }
    return begin;
  }
};

template <class Key, class Digits, class Tiles>
struct top_k_keep_kernel {
  using code_of_key = order_code<Digits>;
  using code = typename code_of_key::code;
  using item = ranked_item<code, std::uint64_t>;
  static constexpr int block_threads = Tiles::keep_threads;
  static constexpr int blocks_per_multiprocessor = Tiles::keep_blocks;
  static constexpr bool lets_next_begin = true;
  static constexpr int items = Tiles::template keep_items<Key>;
  static constexpr int tile_items = block_threads * items;
  static constexpr int warps = block_threads / warp_size;
  static_assert(tile_items <= 1 << 16 && items <= 32,
                "places in a tile are of 16 bits, and an item is a bit of a mask");
  using select = rank_select<code, std::uint64_t, block_threads>;

  struct temp_storage {
    typename select::temp_storage select_storage;
    std::uint32_t of_warp[warps];
    std::uint64_t reserved;  // the first of a tile's slots
    bool is_last;
  };

  template <class Ctx, class KeyIn, class Count, class K>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, KeyIn keys, Count count, K k_count, code_of_key code_of,
                                 top_k_control<code>* control, std::int64_t room, kept_directory kept) const {
    const std::int64_t n = items_of(count), k = k_of(k_count, n);
    const std::int64_t tiles = k == 0 ? 0 : ceil_div(n, tile_items);
    item threshold = control->threshold;
    std::int64_t first = block.block_index(), step = block.num_blocks();
    UPSWEEP_NO_UNROLL
    for (bool is_certain = false;; is_certain = true) {
      UPSWEEP_NO_UNROLL
      for (std::int64_t tile = first; tile < tiles; tile += step) {
        keep_tile(block, s, keys, n, tile, code_of, threshold, control, room, kept);
      }
      block.barrier();  // the block's tiles are done
      if (!is_certain && !ends_last(block, s, control)) return;
      const std::uint64_t all = count_before(block, s, tiles, kept);
      if (is_certain || (all >= static_cast<std::uint64_t>(k) && all <= static_cast<std::uint64_t>(room))) {
        if (block.thread_rank() == 0) {
          control->kept = all;
          control->tiles = tiles;
        }
        return;
      }
      // The sample was misleading, which happens once in many millions of calls. This block looks at all keys.
      threshold = exact(block, s, keys, n, k, code_of);
      if (block.thread_rank() == 0) {
        control->reserved = 0;
        control->threshold = threshold;
      }
      first = 0;
      step = 1;
    }
  }

 private:
  /// Whether all other blocks have kept what they had to. Ends with a barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE bool ends_last(Ctx& block, temp_storage& s, top_k_control<code>* control) {
    if (block.thread_rank() == 0) {
      block.fence();  // releases the block's places and counts
      s.is_last = block.atomic_add(&control->keep_ticket, 1u) == static_cast<std::uint32_t>(block.num_blocks() - 1);
      block.fence();  // acquires those of the blocks before
    }
    block.barrier();  // s.is_last is known
    return s.is_last;
  }

  /// The k-th item of all.
  template <class Ctx, class KeyIn>
  static UPSWEEP_DEVICE item exact(Ctx& block, temp_storage& s, KeyIn keys, std::int64_t n, std::int64_t k,
                                   const code_of_key& code_of) {
    int place_bits = 1;
    while (n >> place_bits != 0) ++place_bits;
    return select::select(block, s.select_storage, code_of.bits.end, place_bits, static_cast<std::uint64_t>(k - 1),
                          [&](auto body) {
                            UPSWEEP_NO_UNROLL
                            for (std::int64_t i = block.thread_rank(); i < n; i += block_threads) {
                              body(item{code_of(keys[i]), static_cast<std::uint64_t>(i)});
                            }
                          });
  }

  /// Notes the places of the tile's items that come before the threshold or are it. In most tiles no code is as low as
  /// the threshold's, and no more is looked at.
  template <class Ctx, class KeyIn>
  static UPSWEEP_DEVICE void keep_tile(Ctx& block, temp_storage& s, KeyIn keys, std::int64_t n, std::int64_t tile,
                                       const code_of_key& code_of, const item& threshold, top_k_control<code>* control,
                                       std::int64_t room, const kept_directory& kept) {
    const std::int64_t begin = tile * tile_items, left = n - begin;
    const int mine = block.warp() * items * warp_size + block.lane();  // the thread's first item
    const int valid = static_cast<int>(left < tile_items ? left : tile_items);
    Key key[items];
    bool any = false;
    const auto look_at = [&](auto is_there) {
      UPSWEEP_UNROLL
      for (int i = 0; i < items; ++i) key[i] = keys[begin + (is_there(i) ? mine + i * warp_size : 0)];
      UPSWEEP_UNROLL
      for (int i = 0; i < items; ++i) any = any | (is_there(i) & (code_of(key[i]) <= threshold.code));
    };
    if (valid == tile_items) {
      look_at([](int) { return true; });
    } else {
      look_at([&](int i) { return mine + i * warp_size < valid; });
    }
    if (block.barrier_or(any)) {
      note_places(block, s, key, begin, mine, valid, tile, code_of, threshold, control, room, kept);
    } else if (block.thread_rank() == 0) {
      kept.count[tile] = 0;
    }
  }

  template <class Ctx>
  static UPSWEEP_DEVICE void note_places(Ctx& block, temp_storage& s, const Key (&key)[items], std::int64_t begin,
                                         int mine, int valid, std::int64_t tile, const code_of_key& code_of,
                                         const item& threshold, top_k_control<code>* control, std::int64_t room,
                                         const kept_directory& kept) {
    // Of the items with the threshold's code, those at the places before its own and there.
    const auto last = static_cast<std::int64_t>(threshold.id) - begin;
    const int ties = threshold.id == ~std::uint64_t{0} || last >= tile_items ? tile_items
                     : last < 0                                              ? 0
                                                                             : static_cast<int>(last) + 1;
    std::uint32_t is_kept = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < items; ++i) {
      const int at = mine + i * warp_size;
      const code c = code_of(key[i]);
      if (at < valid && (c < threshold.code || (c == threshold.code && at < ties))) is_kept |= 1u << i;
    }
    const auto of_warp = block.reduce_add(static_cast<std::uint32_t>(count_lanes(is_kept)));
    if (block.lane() == 0) s.of_warp[block.warp()] = of_warp;
    block.barrier();  // s.of_warp is written
    std::uint32_t before = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w == block.warp()) before = all;
      all += s.of_warp[w];
    }
    std::int64_t slot = tile * kept_directory::own_slots;
    std::int64_t end = slot + kept_directory::own_slots;
    if (all > kept_directory::own_slots) {
      if (block.thread_rank() == 0) s.reserved = block.atomic_add(&control->reserved, std::uint64_t{all});
      block.barrier();  // s.reserved is written
      slot = kept.reserved_at + static_cast<std::int64_t>(s.reserved);
      end = kept.reserved_at + room;
    }
    if (block.thread_rank() == 0) {
      kept.slot[tile] = static_cast<std::uint64_t>(slot);
      kept.count[tile] = all;
    }
    if (of_warp == 0) return;
    slot += before;
    UPSWEEP_NO_UNROLL
    for (int i = 0; i < items; ++i) {
      const lane_mask lanes = block.ballot((is_kept >> i & 1u) != 0);
      const std::int64_t at = slot + count_lanes(lanes & ((1u << block.lane()) - 1));
      if ((is_kept >> i & 1u) != 0 && at < end) kept.in_tile[at] = static_cast<std::uint16_t>(mine + i * warp_size);
      slot += count_lanes(lanes);
    }
  }

  /// Finds kept.first of all tiles, by one block, and gives how many are kept in all. Ends with a barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE std::uint64_t count_before(Ctx& block, temp_storage& s, std::int64_t tiles,
                                                   const kept_directory& kept) {
    constexpr int a_thread = 16;
    std::uint64_t before = 0;
    UPSWEEP_NO_UNROLL
    for (std::int64_t chunk = 0; chunk < tiles; chunk += block_threads * a_thread) {
      const std::int64_t mine = chunk + block.thread_rank() * a_thread;
      std::uint32_t count[a_thread], sum = 0;
      UPSWEEP_UNROLL
      for (int i = 0; i < a_thread; ++i) {
        count[i] = mine + i < tiles ? kept.count[mine + i] : 0;
        sum += count[i];
      }
      const std::uint32_t up_to = warp_inclusive_scan(block, sum, plus{});
      if (block.lane() == warp_size - 1) s.of_warp[block.warp()] = up_to;
      block.barrier();  // s.of_warp is written
      std::uint64_t first = before + (up_to - sum);
      for (int w = 0; w < warps; ++w) {
        if (w < block.warp()) first += s.of_warp[w];
        before += s.of_warp[w];
      }
      UPSWEEP_UNROLL
      for (int i = 0; i < a_thread; ++i) {
        if (mine + i < tiles) kept.first[mine + i] = first;
        first += count[i];
      }
      block.barrier();  // s.of_warp is read
    }
    return before;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
