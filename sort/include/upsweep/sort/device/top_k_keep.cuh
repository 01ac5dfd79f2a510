// Keeps the items up to a threshold, in one trip of the keys: each tile notes the places of its own in order, in slots
// that it reserves for them; no tile waits for another. The last block to be done finds out how many are kept before
// each tile, by which the kept items are an array in the order of their places.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

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
  std::uint32_t* count;      // of a tile
  std::uint64_t* first;      // how many are kept before the tile
  std::uint64_t* slot;       // where its places begin
  std::uint16_t* in_tile;    // places in their tile, by slot
  const std::int64_t* tiles; // how many there are

  /// The place of the kept item number j, in the order of places.
  template <int TileItems>
  UPSWEEP_DEVICE std::int64_t place(std::int64_t j) const {
    std::int64_t begin = 0, end = *tiles;  // the tile is in [begin, end)
    while (end - begin > 1) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (first[middle] <= static_cast<std::uint64_t>(j)) {
        begin = middle;
      } else {
        end = middle;
      }
    }
    return begin * TileItems + in_tile[slot[begin] + (static_cast<std::uint64_t>(j) - first[begin])];
  }
};

template <class Key, class Digits, class Tiles>
struct top_k_keep_kernel {
  using code_of_key = order_code<Digits>;
  using code = typename code_of_key::code;
  using item = ranked_item<code>;
  static constexpr int block_threads = Tiles::keep_threads;
  static constexpr int blocks_per_multiprocessor = Tiles::keep_blocks;
  static constexpr bool lets_next_begin = true;
  static constexpr int items = Tiles::template keep_items<Key>;
  static constexpr int tile_items = block_threads * items;
  static constexpr int warps = block_threads / warp_size;
  static_assert(tile_items <= 1 << 16 && items <= 32, "places in a tile are of 16 bits, and an item is a bit of a mask");
  using select = rank_select<code, block_threads, std::uint64_t>;

  struct temp_storage {
    typename select::temp_storage select_storage;
    std::uint32_t of_warp[warps];
    std::uint64_t slot;  // the tile's first
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
      if (is_certain) {
        block.barrier();  // kept.count is written
        break;
      }
      if (!ends_last(block, s, control)) return;
      const std::uint64_t reserved = control->reserved;
      if (reserved >= static_cast<std::uint64_t>(k) && reserved <= static_cast<std::uint64_t>(room)) break;
      // The sample was misleading, which happens once in many millions of calls. This block looks at all keys.
      threshold = exact(block, s, keys, n, k, code_of);
      if (block.thread_rank() == 0) control->reserved = 0;
      first = 0;
      step = 1;
    }
    count_before(block, s, tiles, kept);
    if (block.thread_rank() == 0) {
      control->kept = control->reserved;
      control->tiles = tiles;
    }
  }

 private:
  /// Whether all other blocks have kept what they had to. Ends with a barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE bool ends_last(Ctx& block, temp_storage& s, top_k_control<code>* control) {
    block.barrier();  // the block's tiles are done
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
    return select::select(block, s.select_storage, code_of.bits.end - code_of.bits.begin, place_bits, n,
                          static_cast<std::uint64_t>(k - 1), [&](std::int64_t i) {
                            return item{code_of(keys[i]), static_cast<std::uint64_t>(i)};
                          });
  }

  /// Notes the places of the tile's items that come before the threshold or are it.
  template <class Ctx, class KeyIn>
  static UPSWEEP_DEVICE void keep_tile(Ctx& block, temp_storage& s, KeyIn keys, std::int64_t n, std::int64_t tile,
                                       const code_of_key& code_of, const item& threshold, top_k_control<code>* control,
                                       std::int64_t room, const kept_directory& kept) {
    const std::int64_t begin = tile * tile_items, left = n - begin;
    const int in_tile = block.warp() * items * warp_size + block.lane();  // of the thread's first item
    const std::uint32_t mine = left >= tile_items
                                   ? look<true>(keys, begin, in_tile, tile_items, code_of, threshold)
                                   : look<false>(keys, begin, in_tile, static_cast<int>(left), code_of, threshold);
    if (!block.barrier_or(mine != 0)) {
      if (block.thread_rank() == 0) kept.count[tile] = 0;
      return;
    }
    const auto of_warp = block.reduce_add(static_cast<std::uint32_t>(count_lanes(mine)));
    if (block.lane() == 0) s.of_warp[block.warp()] = of_warp;
    block.barrier();  // s.of_warp is written
    std::uint32_t before = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w == block.warp()) before = all;
      all += s.of_warp[w];
    }
    if (block.thread_rank() == 0) {
      s.slot = block.atomic_add(&control->reserved, std::uint64_t{all});
      kept.slot[tile] = s.slot;
      kept.count[tile] = all;
    }
    block.barrier();  // s.slot is known, and s.of_warp read
    std::uint64_t slot = s.slot + before;
    UPSWEEP_NO_UNROLL
    for (int i = 0; i < items; ++i) {
      const bool is_kept = (mine >> i & 1u) != 0;
      const lane_mask lanes = block.ballot(is_kept);
      const std::uint64_t at = slot + static_cast<std::uint64_t>(count_lanes(lanes & ((1u << block.lane()) - 1)));
      if (is_kept && at < static_cast<std::uint64_t>(room)) {
        kept.in_tile[at] = static_cast<std::uint16_t>(in_tile + i * warp_size);
      }
      slot += static_cast<std::uint64_t>(count_lanes(lanes));
    }
  }

  /// Bit i says whether item i of the thread is kept. `valid` items of the tile are there.
  template <bool Full, class KeyIn>
  static UPSWEEP_DEVICE std::uint32_t look(KeyIn keys, std::int64_t begin, int in_tile, int valid,
                                           const code_of_key& code_of, const item& threshold) {
    Key key[items];
    UPSWEEP_UNROLL
    for (int i = 0; i < items; ++i) {
      const int at = in_tile + i * warp_size;
      key[i] = keys[begin + (Full || at < valid ? at : 0)];
    }
    std::uint32_t kept = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < items; ++i) {
      const int at = in_tile + i * warp_size;
      const item x{code_of(key[i]), static_cast<std::uint64_t>(begin + at)};
      if ((Full || at < valid) && x.comes_before_or_is(threshold)) kept |= 1u << i;
    }
    return kept;
  }

  /// kept.first of all tiles, by one block.
  template <class Ctx>
  static UPSWEEP_DEVICE void count_before(Ctx& block, temp_storage& s, std::int64_t tiles, const kept_directory& kept) {
    constexpr int a_thread = 8;
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
  }
};

/// The keys of the kept items, in the order of their places.
template <class KeyIn, int TileItems>
struct kept_keys {
  KeyIn keys;
  kept_directory kept;
  UPSWEEP_HOST_DEVICE auto operator[](std::int64_t j) const { return keys[kept.template place<TileItems>(j)]; }
};

/// Where the items came from that were sorted: of all, or of those that were kept.
struct sorted_place {
  const std::uint32_t* places;
  UPSWEEP_DEVICE std::int64_t operator()(std::int64_t i) const { return places[i]; }
};
template <int TileItems>
struct kept_place {
  const std::uint32_t* places;
  kept_directory kept;
  UPSWEEP_DEVICE std::int64_t operator()(std::int64_t i) const { return kept.template place<TileItems>(places[i]); }
};
/// Nothing was sorted.
struct same_place {
  UPSWEEP_DEVICE std::int64_t operator()(std::int64_t i) const { return i; }
};

/// The first k of the keys, and the values of their places, which are the places themselves where values_in is null.
struct top_k_take_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx, class Count, class K, class KeyIn, class Key, class Value, class PlaceOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Count count, K k, KeyIn keys, Key* keys_out,
                                 const Value* values_in, Value* values_out, PlaceOf place_of) const {
    const std::int64_t i = block.block_index() * block_threads + block.thread_rank();
    if (i >= k_of(k, items_of(count))) return;
    if (keys_out != nullptr) keys_out[i] = keys[i];
    if constexpr (!std::is_same_v<Value, no_value>) {
      const std::int64_t place = place_of(i);
      if constexpr (std::is_integral_v<Value>) {
        if (values_in == nullptr) {
          values_out[i] = static_cast<Value>(place);
          return;
        }
      }
      values_out[i] = values_in[place];
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
