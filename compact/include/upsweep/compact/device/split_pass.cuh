// One pass of a stable split of items into buckets, where it is known where each bucket begins: each tile puts its
// items in the order of their buckets, learns by look-back where those of each bucket go, and stores them. It is a pass
// of an onesweep radix sort (Adinets & Merrill, "Onesweep", 2022) whose digit is the bucket.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/tile_places.cuh"
#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Ranks of the items of a tile, by place in the order of buckets: the bucket of an item and, in the 16 bits below,
/// where it was in the tile. In words they take one store each.
template <int TileItems>
struct ranks_in_words {
  uninitialized_array<std::uint32_t, TileItems> rank;

  UPSWEEP_DEVICE std::uint32_t operator[](int at) const { return rank[at]; }
  UPSWEEP_DEVICE void put(int at, std::uint32_t bucket, int source) {
    rank[at] = bucket << 16 | static_cast<std::uint32_t>(source);
  }
};

/// The same in 3 bytes each, and two stores.
template <int TileItems>
struct ranks_in_bytes {
  uninitialized_array<std::uint8_t, TileItems> bucket_at;
  uninitialized_array<std::uint16_t, TileItems> source_at;

  UPSWEEP_DEVICE std::uint32_t operator[](int at) const { return std::uint32_t{bucket_at[at]} << 16 | source_at[at]; }
  UPSWEEP_DEVICE void put(int at, std::uint32_t bucket, int source) {
    bucket_at[at] = static_cast<std::uint8_t>(bucket);
    source_at[at] = static_cast<std::uint16_t>(source);
  }
};

/// How large tiles are and how they keep ranks. A multiprocessor has room for so many blocks.
struct split_shape {
  int threads, items, blocks_per_multiprocessor;
  bool has_ranks_in_words;

  /// By the size of an item, as measured on an H200; of less than 4 bytes and of more than 12, on an H100. Groups,
  /// whose items have 8 bytes, have no other way, so their block must fit the 64 KiB of compute capability 7.5.
  static constexpr split_shape of(std::size_t item_bytes) {
    if (item_bytes < 4) return {320, 20, 4, false};
    if (item_bytes == 4) return {384, 20, 3, true};
    if (item_bytes <= 8) return {384, 12, 3, false};
    if (item_bytes <= 12) return {384, 8, 3, true};
    return {320, 6, 4, false};
  }
  constexpr int tile_items() const { return threads * items; }
};

/// Items are placed by numbers of type Offset. A multiprocessor has room for `Blocks` blocks. Items come from a pointer
/// or iterator, and go to one.
template <class T, class Offset, int Threads, int Items, int Blocks, bool RanksInWords, class Lookback>
struct split_items_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int tile_items = Threads * Items;
  static_assert(tile_items <= 1 << 16, "places in the tile are numbers of 16 bits");
  using places = tile_places<Threads, Items, 8, true>;
  static_assert(places::radix == max_buckets);
  static constexpr int needs_sm = 0;

  struct temp_storage {
    typename places::temp_storage places_storage;
    ordered_tile_id::temp_storage ticket;
    Offset to[max_buckets];  // where the tile's items of a bucket go, less their first place in the tile
    int moved;               // how many items of the tile have a bucket
    // By place in the order of buckets.
    std::conditional_t<RanksInWords, ranks_in_words<tile_items>, ranks_in_bytes<tile_items>> ranks;
    uninitialized_array<T, tile_items> item_at;
  };

  template <class Ctx, class In, class Out, class Count, class BucketOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Count count, bucket_count buckets,
                                 BucketOf bucket_of, lookback_portion portion) const {
    const std::int64_t n = portion.share_of(items_of(count));
    const std::int64_t tiles = ceil_div(n > 0 ? n : 0, tile_items);
    if (block.block_index() >= tiles) return;
    const std::int64_t tile = ordered_tile_id{portion.ticket}.take(block, s.ticket), in_tile = n - tile * tile_items;
    const int valid = in_tile < tile_items ? static_cast<int>(in_tile) : tile_items;
    const In from = in + (portion.begin + tile * tile_items);
    const auto number = [&](const T& x) { return buckets.number(bucket_of.of_item(x)); };
    const auto item_again = [&](int i) { return from[places::position(block, i)]; };

    uninitialized_array<T, Items> item;
    const bool has_items = block.any(places::position(block, 0) < valid);
    const bool has_padding = block.any(places::position(block, Items - 1) >= valid);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = places::position(block, i);
      item[i] = from[at < valid ? at : 0];
    }
    const auto number_of = [&](int i) {
      return has_padding && places::position(block, i) >= valid ? no_bucket : number(item[i]);
    };
    const auto shared = places::count(block, s.places_storage, has_items, has_padding, number_of);
    block.barrier();  // the items are counted

    const int b = block.thread_rank();
    const Lookback states(portion.words, tiles, 0, buckets.buckets);
    const std::uint32_t mine = b < max_buckets ? places::keys_of_digit(block, s.places_storage) : 0;
    if (b < buckets.buckets) states.tell(block, tile, b, mine);
    const std::uint32_t first = places::begin(block, s.places_storage, mine);
    if (b == max_buckets - 1) s.moved = static_cast<int>(first + mine);
    block.barrier();  // the warps' first places and s.moved are known
    const auto put = [&](int i, const T& x, int place) {
      s.ranks.put(place, number(x), places::position(block, i));
      s.item_at[place] = x;
    };
    if (has_items) {
      if (shared.together) {
        places::take_together(block, s.places_storage, shared, item_again, number, put);
      } else {
        places::take_each(block, s.places_storage, number_of, [&](int i, int place) { put(i, item[i], place); });
      }
    }
    if (b < buckets.buckets) {
      std::uint64_t to = portion.first[b];
      if (tile > 0) to += states.sum_before(block, tile, b, mine);
      if (tile == tiles - 1 && portion.next != nullptr) portion.next[b] = to + mine;
      s.to[b] = static_cast<Offset>(to - first);
    }
    block.barrier();  // the tile is in order, and where its buckets go is known
    UPSWEEP_NO_UNROLL
    for (bool stores = !takes_items_in_order(out);; stores = true) {
      const bool in_order = !block.barrier_or(!store_items(block, s, out, stores));
      if (in_order && stores) return;
      if (in_order) continue;
      places::begin_again(block, s.places_storage, first);
      block.barrier();  // the warps' first places are known again
      places::take_in_order(block, s.places_storage, valid, item_again, number, put);
      block.barrier();  // the tile is in order
    }
  }

 private:
  /// Whether `out` may not be given an item at the place of another first, as an array may: where it goes on from there
  /// depends on the item.
  template <class Out>
  static UPSWEEP_DEVICE bool takes_items_in_order(const Out& out) {
    if constexpr (requires { out.takes_items_in_order(); }) return out.takes_items_in_order();
    return false;
  }

  /// Runs of one bucket leave in order: neighbouring threads write neighbouring places. False when items of one bucket
  /// are not in order. Without `stores` it only looks.
  template <class Ctx, class Out>
  static UPSWEEP_DEVICE bool store_items(Ctx& block, const temp_storage& s, const Out& out, bool stores) {
    bool in_order = true;
    const int moved = s.moved;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = block.thread_rank() + i * Threads;
      const std::uint32_t rank = at < moved ? s.ranks[at] : ~0u, before = block.shuffle_up(rank, 1);
      if (before > rank) in_order = false;
      if (stores && at < moved) out[s.to[rank >> 16] + static_cast<Offset>(at)] = s.item_at[at];
    }
    // From the last item of each warp to the first of the next.
    for (int at = (block.thread_rank() + 1) * warp_size; at < moved; at += Threads * warp_size) {
      if (s.ranks[at - 1] > s.ranks[at]) in_order = false;
    }
    return in_order;
  }
};

/// The pass over items of type T, in portions of `Portion` items, at most 2^30, one after the other. A thread has Items
/// of a tile; 0: by their size.
template <std::int64_t Portion = std::int64_t{1} << 30, int Items = 0, class Lookback = digit_lookback<0>>
struct split_pass {
  static_assert(Portion <= std::int64_t{1} << 30);
  static constexpr split_shape shape_of(std::size_t item_bytes) {
    split_shape shape = split_shape::of(item_bytes);
    if (Items > 0) shape.items = Items;
    return shape;
  }
  template <class T>
  static constexpr int tile_items = shape_of(sizeof(T)).tile_items();
  static constexpr int least_tile_items = shape_of(16).tile_items();
  template <class T, class Offset>
  using kernel = split_items_kernel<T, Offset, shape_of(sizeof(T)).threads, shape_of(sizeof(T)).items,
                                    shape_of(sizeof(T)).blocks_per_multiprocessor,
                                    shape_of(sizeof(T)).has_ranks_in_words, Lookback>;

  /// No fewer than there are of any T.
  static std::int64_t most_portions(std::int64_t n) { return most_portions_of<Portion>(n); }

  /// What `tiles` tiles tell; the portions of a pass need no more than one of all their tiles.
  static constexpr std::int64_t words_of(std::int64_t tiles, int buckets) { return Lookback::words_of(tiles, buckets); }

  struct memory {
    std::uint32_t* tickets;  ///< one a portion; zero
    std::uint32_t* words;    ///< words_of all tiles; zero
    std::uint64_t* turns;    ///< two a bucket, where there are several portions
  };

  template <class T, class Offset, class Executor, class In, class Out, class Count, class BucketOf>
  static bool can_run(Executor& ex, const In&, const Out&, const Count& n, const BucketOf&) {
    return ex.template can_run<kernel<T, Offset>, In, Out, decltype(count_argument(n)), bucket_count, BucketOf,
                               lookback_portion>();
  }

  /// Moves each item to its bucket; `begins` is where the buckets begin.
  template <class T, class Offset, class Executor, class In, class Out, class Count, class BucketOf>
  static status run(Executor& ex, const memory& m, const std::uint64_t* begins, In in, Out out, Count n,
                    bucket_count numbers, BucketOf bucket_of) {
    constexpr std::int64_t items_each = items_of_portion<Portion, tile_items<T>>;
    const std::int64_t bound = bound_of(n), portions = ceil_div(bound, items_each), buckets = numbers.buckets;
    const auto turns = [&](std::int64_t i) { return m.turns + i % 2 * buckets; };
    status s = status::success;
    for (std::int64_t i = 0; i < portions && s == status::success; ++i) {
      const lookback_portion portion{i * items_each,
                                     items_each,
                                     m.tickets + i,
                                     m.words + i * words_of(items_each / tile_items<T>, numbers.buckets),
                                     i == 0 ? begins : turns(i),
                                     i + 1 < portions ? turns(i + 1) : nullptr};
      s = ex.launch(ceil_div(portion.share_of(bound), tile_items<T>), kernel<T, Offset>{}, in, out, count_argument(n),
                    numbers, bucket_of, portion);
    }
    return s;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
