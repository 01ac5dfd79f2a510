// Stable split of items into buckets in two trips: the first counts the items of each bucket, and in the second each
// tile puts its items in the order of their buckets, learns by look-back where those of each bucket go, and stores
// them. It is one pass of an onesweep radix sort (Adinets & Merrill, "Onesweep", 2022) whose digit is the bucket. The
// functor runs three times an item.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/device/split_tiles.cuh"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/tile_places.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Any number of blocks count the elements of each bucket, each many tiles, in `begins`, which is zero as *ticket is.
/// The last one to be done makes of them where the buckets begin, and writes these places, and where the last bucket
/// ends, to `offsets`, unless that is null. On the way `words` of the look-back are cleared.
struct bucket_totals_kernel : split_tile {
  using scan = block_scan<std::uint64_t, warp_scans<block_threads>>;
  static_assert(block_threads >= max_buckets, "thread b has bucket b");

  struct temp_storage {
    bucket_counters counters;
    typename scan::temp_storage scan_storage;
    bool is_last;
  };

  template <class Ctx, class Count, class BucketOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count count, bucket_count buckets, BucketOf bucket_of,
                                 int copies_log2, std::uint32_t* ticket, std::uint64_t* begins, std::int64_t* offsets,
                                 std::uint32_t* words, std::int64_t num_words) const {
    const std::int64_t n = items_of(count), blocks = block.num_blocks();
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < num_words;
         i += blocks * block_threads) {
      words[i] = 0;
    }
    s.counters.clear(block, buckets, copies_log2);
    block.barrier();  // the counters are clear
    UPSWEEP_NO_UNROLL
    for (std::int64_t first = block.block_index() * tile_items; first < n; first += blocks * tile_items) {
      std::uint32_t bucket[items_per_thread];
      buckets_of_tile(block, n, first, buckets, bucket_of, bucket);
      s.counters.add(block, bucket, copies_log2);
    }
    block.barrier();  // every warp has counted
    s.counters.each_sum(block, buckets, copies_log2, [&](int b, std::uint32_t sum) {
      if (sum != 0) block.atomic_add(begins + b, std::uint64_t{sum});
    });
    block.barrier();  // the sums of the whole block are there
    if (block.thread_rank() == 0) {
      block.fence();  // releases them
      s.is_last = block.atomic_add(ticket, 1u) == static_cast<std::uint32_t>(blocks - 1);
      block.fence();  // acquires those of the blocks before
    }
    block.barrier();  // s.is_last is known
    if (!s.is_last) return;
    const int b = block.thread_rank();
    const std::uint64_t mine = b < buckets.buckets ? begins[b] : 0;
    std::uint64_t all = 0;
    const std::uint64_t before = scan::exclusive_scan(block, s.scan_storage, mine, std::uint64_t{0}, plus{}, all);
    if (b < buckets.buckets) {
      begins[b] = before;
      if (offsets != nullptr) offsets[b] = static_cast<std::int64_t>(before);
    }
    if (b == 0 && offsets != nullptr) offsets[buckets.buckets] = static_cast<std::int64_t>(all);
  }
};

/// What one launch of the pass splits: items from `begin` on, at most `items` of them. Tiles look back over a portion,
/// up to 2^30 items, and learn from the one before it where those of each bucket go on.
struct split_portion {
  std::int64_t begin, items;
  std::uint32_t* ticket;       ///< of its tiles
  std::uint32_t* words;        ///< of its look-back
  const std::uint64_t* first;  ///< where its first item of each bucket goes
  std::uint64_t* next;         ///< becomes that of the next portion; null for the last one
};

/// Items are placed by numbers of type Offset. `Blocks` of a multiprocessor have room.
template <class T, class Offset, int Threads, int Items, int Blocks>
struct split_items_kernel {
  static constexpr int block_threads = Threads;
  static constexpr int blocks_per_multiprocessor = Blocks;
  static constexpr int tile_items = Threads * Items;
  static_assert(tile_items <= 1 << 16, "places in the tile are numbers of 16 bits");
  using places = tile_places<Threads, Items, 8, true>;
  static_assert(places::radix == max_buckets);
  using lookback = digit_lookback<0>;
  static constexpr int needs_sm = 0;

  struct temp_storage {
    typename places::temp_storage places_storage;
    ordered_tile_id::temp_storage ticket;
    Offset to[max_buckets];  // where the tile's items of a bucket go, less their first place in the tile
    int moved;               // how many items of the tile have a bucket
    // By place in the order of buckets; source_at is where the item stood in the tile.
    uninitialized_array<std::uint8_t, tile_items> bucket_at;
    uninitialized_array<std::uint16_t, tile_items> source_at;
    uninitialized_array<T, tile_items> item_at;
  };

  template <class Ctx, class Count, class BucketOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const T* in, T* out, Count count, bucket_count buckets,
                                 BucketOf bucket_of, split_portion portion) const {
    const std::int64_t left = items_of(count) - portion.begin, n = left < portion.items ? left : portion.items;
    const std::int64_t tiles = ceil_div(n > 0 ? n : 0, tile_items);
    if (block.block_index() >= tiles) return;
    const std::int64_t tile = ordered_tile_id{portion.ticket}.take(block, s.ticket), in_tile = n - tile * tile_items;
    const int valid = in_tile < tile_items ? static_cast<int>(in_tile) : tile_items;
    const T* const from = in + portion.begin + tile * tile_items;
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
    const lookback states(portion.words, tiles, 0, buckets.buckets);
    const std::uint32_t mine = b < max_buckets ? places::keys_of_digit(block, s.places_storage) : 0;
    if (b < buckets.buckets) states.tell(block, tile, b, mine);
    const std::uint32_t first = places::begin(block, s.places_storage, mine);
    if (b == max_buckets - 1) s.moved = static_cast<int>(first + mine);
    block.barrier();  // the warps' first places and s.moved are known
    const auto put = [&](int i, const T& x, int place) {
      s.bucket_at[place] = static_cast<std::uint8_t>(number(x));
      s.source_at[place] = static_cast<std::uint16_t>(places::position(block, i));
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
    if (!block.barrier_or(!store_items(block, s, out))) return;
    places::begin_again(block, s.places_storage, first);
    block.barrier();  // the warps' first places are known again
    places::take_in_order(block, s.places_storage, valid, item_again, number, put);
    block.barrier();  // the tile is in order
    store_items(block, s, out);
  }

 private:
  static UPSWEEP_DEVICE std::uint32_t rank_at(const temp_storage& s, int at) {
    return std::uint32_t{s.bucket_at[at]} << 16 | s.source_at[at];
  }

  /// Runs of one bucket leave in order: neighbouring threads write neighbouring places. False when items of one bucket
  /// are not in order.
  template <class Ctx>
  static UPSWEEP_DEVICE bool store_items(Ctx& block, const temp_storage& s, T* out) {
    bool in_order = true;
    const int moved = s.moved;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int at = block.thread_rank() + i * Threads;
      const std::uint32_t rank = at < moved ? rank_at(s, at) : ~0u, before = block.shuffle_up(rank, 1);
      if (before > rank) in_order = false;
      if (at < moved) out[s.to[rank >> 16] + static_cast<Offset>(at)] = s.item_at[at];
    }
    // From the last item of each warp to the first of the next.
    for (int at = (block.thread_rank() + 1) * warp_size; at < moved; at += Threads * warp_size) {
      if (rank_at(s, at - 1) > rank_at(s, at)) in_order = false;
    }
    return in_order;
  }
};

/// Of one array of items of at most 16 bytes that tell their buckets themselves. Up to `Narrow` items are placed by
/// 32-bit numbers, more by 64-bit ones; passes go over portions of `Portion` items, at most 2^30, one after the other.
template <std::int64_t Portion = std::int64_t{1} << 30, std::int64_t Narrow = 0xffffffff>
class onesweep_split {
 public:
  static_assert(Portion <= std::int64_t{1} << 30 && Narrow <= 0xffffffff);

  template <class T>
  static constexpr bool moves = sizeof(T) <= 16;

  /// For items of any type that it moves.
  static std::size_t workspace_bytes(std::int64_t n, int buckets) {
    return n <= 0 || buckets <= 0 || buckets > max_buckets ? 0 : plan(n, buckets).layout.bytes();
  }

  /// Moves each item to its bucket, and writes where each bucket begins, and the last one ends. All arguments have been
  /// checked, and n > 0. not_supported, and nothing has happened, where a block of the GPU has too little memory.
  template <class Executor, class Count, class BucketOf, class T>
  static status run(Executor& ex, workspace w, const T* in, T* out, Count n, int buckets, BucketOf bucket_of,
                    std::int64_t* offsets) {
    return bound_of(n) > Narrow ? run_by<std::uint64_t>(ex, w, in, out, n, buckets, bucket_of, offsets)
                                : run_by<std::uint32_t>(ex, w, in, out, n, buckets, bucket_of, offsets);
  }

 private:
  template <class T>
  static constexpr int items = sizeof(T) <= 4   ? 20
                               : sizeof(T) <= 8 ? 12
                                                : 6;
  static constexpr int threads = 320, blocks_per_multiprocessor = 4;
  template <class T>
  static constexpr int tile_items = threads* items<T>;
  static constexpr int least_tile_items = threads * 6;
  template <class T>
  static constexpr std::int64_t portion_items =
      Portion < tile_items<T> ? tile_items<T> : Portion / tile_items<T>* tile_items<T>;

  struct layout_plan {
    workspace_layout layout;
    workspace_layout::slot<std::uint32_t> tickets;
    workspace_layout::slot<std::uint64_t> begins;
    workspace_layout::slot<std::uint64_t> first_of_portion;  // of those behind the first one, in turns
    workspace_layout::slot<std::uint32_t> words;
  };

  /// Each adds its counts to those of all: so four tiles or more of a block, unless multiprocessors would have none.
  static std::int64_t counting_blocks(std::int64_t multiprocessors, std::int64_t n) {
    const std::int64_t tiles = ceil_div(n, split_tile::tile_items);
    return (std::min)({tiles, (std::max)(multiprocessors, tiles / 4), multiprocessors * 8});
  }

  static layout_plan plan(std::int64_t n, int buckets) {
    const auto numbers = static_cast<std::size_t>(buckets);
    const std::int64_t portions = ceil_div(2 * n, Portion < 2 ? 2 : Portion);  // none has fewer than half of Portion
    layout_plan p{};
    p.tickets = p.layout.template add<std::uint32_t>(static_cast<std::size_t>(1 + portions));
    p.begins = p.layout.template add<std::uint64_t>(numbers);
    p.first_of_portion = p.layout.template add<std::uint64_t>(portions > 1 ? 2 * numbers : 0);
    p.words = p.layout.template add<std::uint32_t>(static_cast<std::size_t>(ceil_div(n, least_tile_items)) * numbers);
    return p;
  }

  template <class Offset, class Executor, class Count, class BucketOf, class T>
  static status run_by(Executor& ex, workspace w, const T* in, T* out, Count n, int buckets, BucketOf bucket_of,
                       std::int64_t* offsets) {
    using pass = split_items_kernel<T, Offset, threads, items<T>, blocks_per_multiprocessor>;
    const bucket_count numbers = bucket_count::of(buckets);
    const auto count = count_argument(n);
    if (!ex.template can_run<pass, const T*, T*, decltype(count_argument(n)), bucket_count, BucketOf,
                             split_portion>()) {
      return status::not_supported;
    }
    const std::int64_t bound = bound_of(n), tiles = ceil_div(bound, tile_items<T>);
    const layout_plan p = plan(bound, buckets);
    std::uint32_t* const tickets = p.layout.at(w, p.tickets);
    std::uint64_t* const begins = p.layout.at(w, p.begins);
    std::uint32_t* const words = p.layout.at(w, p.words);
    status s = ex.clear(tickets, p.begins.offset + p.begins.bytes() - p.tickets.offset);
    if (s != status::success) return s;
    s = ex.launch(counting_blocks(ex.multiprocessors(), bound), bucket_totals_kernel{}, count, numbers, bucket_of,
                  bucket_counters::copies_log2_of(buckets), tickets, begins, offsets, words, tiles * buckets);

    constexpr std::int64_t items_each = portion_items<T>;
    const std::int64_t portions = ceil_div(bound, items_each);
    const auto turns = [&](std::int64_t i) { return p.layout.at(w, p.first_of_portion) + i % 2 * buckets; };
    for (std::int64_t i = 0; i < portions && s == status::success; ++i) {
      const split_portion portion{i * items_each,
                                  items_each,
                                  tickets + 1 + i,
                                  words + i * (items_each / tile_items<T>)*buckets,
                                  i == 0 ? begins : turns(i),
                                  i + 1 < portions ? turns(i + 1) : nullptr};
      const std::int64_t left = bound - portion.begin;
      s = ex.launch(ceil_div(left < items_each ? left : items_each, tile_items<T>), pass{}, in, out, count, numbers,
                    bucket_of, portion);
    }
    return s;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
