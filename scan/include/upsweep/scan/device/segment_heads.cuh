// Where segments begin: one bit an item, 32 items a word. A warp of a tile has the words of its items, lane i word i;
// from those each thread gets the bits of its own.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/prefetch.cuh"
#include "upsweep/scan/block/thread_io.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The items that are scanned, among those of the arrays.
struct item_range {
  std::int64_t first, count;
};

/// The bits of the calling thread's N items, lowest first, from the words of its warp's items.
template <int N, class Ctx>
UPSWEEP_DEVICE lane_mask heads_of_thread(Ctx& block, lane_mask word) {
  static_assert(N <= warp_size, "the heads of a thread's items are one mask, and a lane has no more than one word");
  const int first = block.lane() * N;
  const lane_mask low = block.shuffle(word, first / warp_size);
  const lane_mask high = block.shuffle(word, (first + N - 1) / warp_size);
  const std::uint64_t both = static_cast<std::uint64_t>(high) << warp_size | low;
  return static_cast<lane_mask>(both >> first % warp_size) & full_warp >> (warp_size - N);
}

/// Segments by key: an item whose key differs from the one before is a head, and so is item 0.
template <class Keys, class Equal>
struct key_heads {
  using key = typename std::iterator_traits<Keys>::value_type;
  /// Row i has the keys of items 32 i to 32 i + 31 of the warp, `front` that before them all, in lane 0.
  template <int N>
  struct loaded {
    key row[N], front;
  };

  Keys keys;
  mutable Equal equal;  // its call need not be const
  std::int64_t n;
  const key* last_keys;  ///< of each tile; null where the array of the keys stays as it is

  UPSWEEP_DEVICE item_range items() const { return {0, n}; }

  template <int TileItems, class Ctx>
  UPSWEEP_DEVICE void prefetch(Ctx& block, std::int64_t tile) const {
    prefetch_tile<TileItems>(block, keys, n, tile);
  }

  /// Of a tile of `valid` items from `first` on.
  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE loaded<N> load(Ctx& block, std::int64_t first, int valid) const {
    const int of_warp = block.warp() * warp_size * N;
    const auto from = keys + first;
    loaded<N> k;
    UPSWEEP_UNROLL
    for (int i = 0; i < N; ++i) {
      const int at = of_warp + i * warp_size + block.lane();
      k.row[i] = Full || at < valid ? static_cast<key>(from[at]) : key{};
    }
    k.front = key{};
    if (block.lane() == 0 && first + of_warp > 0 && (Full || of_warp < valid)) {
      const bool is_kept = of_warp == 0 && last_keys != nullptr;
      k.front = is_kept ? last_keys[first / (Ctx::threads * N) - 1] : static_cast<key>(from[of_warp - 1]);
    }
    return k;
  }

  /// The words of the warp's items.
  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE lane_mask word(Ctx& block, loaded<N> k, std::int64_t first, int valid) const {
    const int of_warp = block.warp() * warp_size * N;
    lane_mask mine = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < N; ++i) {
      const int at = of_warp + i * warp_size + block.lane();
      const key left = block.shuffle(k.row[i], block.lane() + warp_size - 1);  // in lane 0 that of lane 31
      const bool is_head = (Full || at < valid) &&
                           (first + at == 0 || !static_cast<bool>(equal(block.lane() == 0 ? k.front : left, k.row[i])));
      const lane_mask heads = block.ballot(is_head);
      if (block.lane() == i) mine = heads;
      k.front = left;
    }
    return mine;
  }
};

/// The last key of each tile, as an input of copy_items_kernel: what tiles compare with whose scans are written over
/// the keys.
template <class Keys>
struct last_keys_of_tiles {
  Keys keys;
  std::int64_t tile_items;

  UPSWEEP_DEVICE auto operator[](std::int64_t tile) const { return keys[(tile + 1) * tile_items - 1]; }
};

/// Segments by offsets into n items; what offsets name outside of the n items is left out.
template <class Offsets>
struct segment_offsets {
  using offset = typename std::iterator_traits<Offsets>::value_type;

  Offsets offsets;
  std::int64_t segments, n;

  /// Of all n, whatever the offsets are.
  UPSWEEP_DEVICE item_range items() const {
    const std::int64_t first = in_array(offsets[0]), end = in_array(offsets[segments]);
    return {first, end < first ? 0 : end - first};
  }
  UPSWEEP_DEVICE std::int64_t in_array(offset o) const {
    const auto at = static_cast<std::int64_t>(o);
    return at < 0 ? 0 : at < n ? at : n;
  }
  /// Any difference, without an overflow.
  static UPSWEEP_DEVICE std::int64_t distance(std::int64_t from, offset to) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
  }

  template <int TileItems, class Ctx>
  UPSWEEP_DEVICE void prefetch(Ctx&, std::int64_t) const {}
  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE lane_mask word(Ctx&, lane_mask word, std::int64_t, int) const {
    return word;
  }
};

/// Their words are in global memory, from the first segment's first item on.
template <class Offsets>
struct offset_heads : segment_offsets<Offsets> {
  template <int N>
  using loaded = lane_mask;

  const lane_mask* words;

  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE loaded<N> load(Ctx& block, std::int64_t first, int valid) const {
    const int word = block.warp() * N + block.lane();
    return block.lane() < N && (Full || word * warp_size < valid) ? words[first / warp_size + word] : 0;
  }
};

/// Without words in memory: a warp looks for the first segment among its items, and reads on from there, also the
/// offsets of empty segments. So it is for few segments, and one launch less.
template <class Offsets>
struct searched_heads : segment_offsets<Offsets> {
  template <int N>
  using loaded = lane_mask;
  using segment_offsets<Offsets>::distance;
  using segment_offsets<Offsets>::offsets;
  using segment_offsets<Offsets>::segments;

  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE loaded<N> load(Ctx& block, std::int64_t first, int valid) const {
    const int of_warp = block.warp() * warp_size * N;
    const int count = Full || valid - of_warp >= warp_size * N ? warp_size * N : valid - of_warp;
    if (count <= 0) return 0;
    const std::int64_t begin = this->in_array(offsets[0]) + first + of_warp;  // in the array
    lane_mask word = first + of_warp == 0 && block.lane() == 0 ? 1 : 0;       // a head, whatever the offsets are
    constexpr int rows = 4;                                                   // on their way at once
    int last = -1;                                                            // the head of the segment in front
    for (std::int64_t segment = first_near(block, begin);; segment += rows * warp_size) {
      std::int64_t at[rows];
      UPSWEEP_UNROLL
      for (int row = 0; row < rows; ++row) {
        const std::int64_t mine = segment + row * warp_size + block.lane();
        at[row] = mine < segments ? distance(begin, offsets[mine]) : count;
      }
      UPSWEEP_UNROLL
      for (int row = 0; row < rows; ++row) {
        const bool is_inside = at[row] >= 0 && at[row] < count;
        const int mine = is_inside ? static_cast<int>(at[row]) : -1, left = block.shuffle_up(mine, 1);
        const bool is_first = is_inside && mine != (block.lane() == 0 ? last : left);  // not behind an empty one
        for (lane_mask heads = block.ballot(is_first); heads != 0; heads &= heads - 1) {
          const int head = block.shuffle(mine, lowest_lane(heads));
          if (block.lane() == head / warp_size) word |= lane_mask{1} << head % warp_size;
        }
        if (block.any(at[row] >= count)) return word;
        last = block.shuffle(mine, warp_size - 1);
      }
    }
  }

 private:
  /// A segment, at most warp_size in front of the first one that begins at `begin` or after it, where offsets do not
  /// decrease. From 0 to `segments`, whatever they are.
  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t first_near(Ctx& block, std::int64_t begin) const {
    std::int64_t low = 0, high = segments;
    while (high - low > warp_size) {
      const std::int64_t step = ceil_div(high - low, warp_size), mine = low + (block.lane() + 1) * step - 1;
      const bool is_before = mine < high && distance(begin, offsets[mine]) < 0;
      const std::int64_t before = low + count_lanes(block.ballot(is_before)) * step;
      if (before + step - 1 < high) high = before + step - 1;
      low = before;
    }
    return low;
  }
};

/// The words of a tile's heads, in shared memory.
struct heads_in_shared {
  template <int N>
  using loaded = lane_mask;

  const lane_mask* words;

  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE loaded<N> load(Ctx& block, std::int64_t, int) const {
    return block.lane() < N ? words[block.warp() * N + block.lane()] : 0;
  }
  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE lane_mask word(Ctx&, loaded<N> word, std::int64_t, int) const {
    return word;
  }
};

/// Without words in device memory: each block reads all offsets at once, and sets the bits of those in its tile. For
/// few segments in few tiles, in one trip to memory, whether they are empty or not.
template <class Offsets>
struct listed_heads : segment_offsets<Offsets> {
  using segment_offsets<Offsets>::distance;
  using segment_offsets<Offsets>::offsets;
  using segment_offsets<Offsets>::segments;

  template <int TileItems>
  struct temp_storage {
    static_assert(TileItems % warp_size == 0);
    lane_mask words[TileItems / warp_size];
  };

  /// The heads of the tile from item `first` on, in shared memory of the block. All threads call. Holds two barriers.
  template <int TileItems, class Ctx>
  UPSWEEP_DEVICE heads_in_shared in_tile(Ctx& block, temp_storage<TileItems>& s, std::int64_t first) const {
    for (int word = block.thread_rank(); word < TileItems / warp_size; word += Ctx::threads) s.words[word] = 0;
    block.barrier();                                                                     // s.words is 0
    if (first == 0 && block.thread_rank() == 0) block.atomic_or(s.words, lane_mask{1});  // whatever the offsets are
    const std::int64_t begin = this->in_array(offsets[0]) + first;                       // in the array
    constexpr int rows = 4;                                                              // on their way at once
    UPSWEEP_NO_UNROLL
    for (std::int64_t segment = 0; segment < segments; segment += rows * Ctx::threads) {
      std::int64_t at[rows];
      UPSWEEP_UNROLL
      for (int row = 0; row < rows; ++row) {
        const std::int64_t mine = segment + row * Ctx::threads + block.thread_rank();
        at[row] = mine < segments ? distance(begin, offsets[mine]) : -1;
      }
      UPSWEEP_UNROLL
      for (int row = 0; row < rows; ++row) {
        const std::int64_t left = block.shuffle_up(at[row], 1);
        if (at[row] < 0 || at[row] >= TileItems) continue;
        if (block.lane() > 0 && at[row] == left) continue;  // behind an empty one
        const auto head = static_cast<int>(at[row]);
        block.atomic_or(s.words + head / warp_size, lane_mask{1} << head % warp_size);
      }
    }
    block.barrier();  // s.words is written
    return {s.words};
  }
};

/// Segments of `length` items each that fill n.
struct row_heads {
  template <int N>
  using loaded = lane_mask;

  std::int64_t n, length;

  UPSWEEP_DEVICE item_range items() const { return {0, n}; }

  template <int TileItems, class Ctx>
  UPSWEEP_DEVICE void prefetch(Ctx&, std::int64_t) const {}

  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE loaded<N> load(Ctx& block, std::int64_t first, int valid) const {
    const int of_word = (block.warp() * N + block.lane()) * warp_size, left = Full ? warp_size : valid - of_word;
    if (block.lane() >= N || left <= 0) return 0;
    const std::int64_t in_row = (first + of_word) % length;
    lane_mask heads = 0;
    for (std::int64_t at = in_row == 0 ? 0 : length - in_row; at < warp_size && at < left; at += length) {
      heads |= lane_mask{1} << at;
    }
    return heads;
  }
  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE lane_mask word(Ctx&, loaded<N> word, std::int64_t, int) const {
    return word;
  }
};

/// Sets the bit of each segment's first item, and in any case that of the first item that is scanned. The words are 0
/// before. Of segments that begin at the same item, all but the last empty, the first does it; those that begin outside
/// of what is scanned have no bit. A thread has neighbouring segments, and sets the bits of a word at once.
template <int Threads, int Items>
struct mark_heads_kernel {
  static constexpr int block_threads = Threads;
  static constexpr bool begins_early = true;
  static constexpr bool lets_next_begin = true;
  struct temp_storage {};

  template <class Ctx, class Offsets>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Offsets offsets, std::int64_t segments, std::int64_t n,
                                 lane_mask* words) const {
    using offset = typename std::iterator_traits<Offsets>::value_type;
    const std::int64_t of_block = block.block_index() * Threads * Items, left = segments - of_block;
    const int of_thread = block.thread_rank() * Items;
    if (of_thread >= left) return;
    const int valid = left < Threads * Items ? static_cast<int>(left) : Threads * Items;
    offset begin[Items];
    thread_io<offset, Items>::load(block, offsets + of_block, valid, begin);

    const item_range items = segment_offsets<Offsets>{offsets, segments, n}.items();
    const auto from_first = [&](offset o) { return segment_offsets<Offsets>::distance(items.first, o); };
    const std::int64_t segment = of_block + of_thread;
    std::int64_t last = segment > 0 ? from_first(offsets[segment - 1]) : -1, word = 0;
    block.wait_for_previous();  // the words are 0
    lane_mask bits = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::int64_t at = segment + i == 0 ? 0 : from_first(begin[i]);
      if (of_thread + i >= valid || at == last || at < 0 || at >= items.count) continue;
      last = at;
      if (at / warp_size != word) {
        if (bits != 0) block.atomic_or(words + word, bits);
        word = at / warp_size;
        bits = 0;
      }
      bits |= lane_mask{1} << at % warp_size;
    }
    if (bits != 0) block.atomic_or(words + word, bits);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
