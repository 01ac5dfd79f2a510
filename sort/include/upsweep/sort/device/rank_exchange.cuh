// The pass of a sort over several ranks that moves keys to other ranks: tiles rank their keys by bucket, as any pass
// does, and store the runs where they belong, in their own memory or straight in that of a peer.
//
// Buckets are stretches of codes, in order: those between two cuts, and the code of each cut alone. With `digit_bits`
// the highest bits of a code tell more buckets. So a cut goes through a bucket only where all its keys are equal, and
// there rank and index decide: a key's place in the sorted whole is the bucket's begin, the keys of the ranks before,
// and those before it on its rank; and the rank that it goes to is that of the place.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/block_scan.cuh"
#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/scan/block/stable_rank.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/sort/device/global_cuts.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Numbers the buckets. A code's number is that of its highest digit and, for each cut, 1 from its code on and 1 after
/// it: no two stretches have the same, and few numbers have none.
struct bucket_numbers {
  int cuts, code_bits, digit_bits;

  UPSWEEP_HOST_DEVICE int digits() const { return 1 << digit_bits; }
  UPSWEEP_HOST_DEVICE int count() const { return digits() + 2 * cuts; }

  template <class Code>
  UPSWEEP_DEVICE int digit_of(Code code) const {
    return digit_bits == 0 ? 0 : static_cast<int>(code >> (code_bits - digit_bits));
  }
  /// `at` is the first cut whose code is not below `code`.
  template <class Code>
  UPSWEEP_DEVICE int number(const Code* cut, int at, Code code) const {
    return digit_of(code) + 2 * at + (at < cuts && cut[at] == code ? 1 : 0);
  }
};

/// begins[rank * (count + 1) + b] = how many keys of the rank are in buckets before b. Block r does rank r.
template <class Code>
struct begin_buckets_kernel {
  static constexpr int block_threads = 512;
  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  using digit_scan = block_scan<std::uint64_t, warp_scans<block_threads>>;
  struct temp_storage {
    std::uint64_t begin[block_threads + 1];
    uninitialized_array<Code, most_ranks> cut;
    typename digit_scan::temp_storage scan;
  };

  /// `counts` are those of the first round, `below` and `equal` what take_digits_kernel left.
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, bucket_numbers buckets, const global_cut<Code>* cuts,
                                 const std::uint64_t* counts, int count_bits, const std::uint64_t* below,
                                 const std::uint64_t* equal, rank_table<std::int64_t> sizes,
                                 std::uint64_t* begins) const {
    const int rank = static_cast<int>(block.block_index()), t = block.thread_rank(), count = buckets.count();
    if (t < buckets.cuts) s.cut[t] = cuts[t].prefix;
    for (int b = t; b <= count; b += block_threads) s.begin[b] = nothing;
    // Nobody asks what comes after the last digit: where there is but one, none of its 4096 bins are added up.
    const std::int64_t bins = t + 1 < buckets.digits() ? std::int64_t{1} << (count_bits - buckets.digit_bits) : 0;
    const std::uint64_t* const of_digit = counts + (std::int64_t{rank} << count_bits) + t * bins;
    std::uint64_t keys = 0;
    for (std::int64_t bin = 0; bin < bins; ++bin) keys += of_digit[bin];
    const std::uint64_t before = digit_scan::exclusive_scan(block, s.scan, keys, std::uint64_t{0}, plus{});
    block.barrier();  // the cuts are there, and no bucket has begun
    if (t < buckets.digits()) begin_digit(s, buckets, t, before);
    if (t < buckets.cuts && (t == 0 || s.cut[t - 1] != s.cut[t])) {
      const std::int64_t at = std::int64_t{rank} * buckets.cuts + t;
      const int here = buckets.number(s.cut.data(), t, s.cut[t]);
      int same = t;
      while (same < buckets.cuts && s.cut[same] == s.cut[t]) ++same;
      s.begin[here] = below[at];
      // Where the next code is a cut, or begins a digit, its own number is another, and this one has no keys.
      s.begin[buckets.digit_of(s.cut[t]) + 2 * same] = below[at] + equal[at];
    }
    if (t == 0) s.begin[count] = static_cast<std::uint64_t>(sizes[rank]);
    block.barrier();  // what begins somewhere has begun
    for (int b = t; b <= count; b += block_threads) {
      int from = b;
      while (s.begin[from] == nothing) ++from;
      begins[std::int64_t{rank} * (count + 1) + b] = s.begin[from];
    }
  }

 private:
  /// A cut at the first code of a digit begins there itself.
  static UPSWEEP_DEVICE void begin_digit(temp_storage& s, const bucket_numbers& buckets, int digit,
                                         std::uint64_t before) {
    const Code code = buckets.digit_bits == 0
                          ? Code{0}
                          : static_cast<Code>(static_cast<Code>(digit) << (buckets.code_bits - buckets.digit_bits));
    const int at = first_cut_from(s.cut.data(), buckets.cuts, code);
    if (at < buckets.cuts && s.cut[at] == code) return;
    s.begin[digit + 2 * at] = before;
  }
};

/// From what comes before each bucket on every rank: places[b], where this rank's keys of bucket b begin in the
/// sorted whole; and of the part that comes to this rank, segments[b], where bucket b begins in it, up to its end. One
/// block. With `by_source`, places are those in this rank's own keys.
struct place_buckets_kernel {
  static constexpr int block_threads = 512;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int count, int rank, int ranks, std::int64_t part_begin,
                                 std::int64_t part_end, bool by_source, const std::uint64_t* begins,
                                 std::uint64_t* places, std::int64_t* segments) const {
    const std::int64_t stride = count + 1;
    for (int b = block.thread_rank(); b <= count; b += block_threads) {
      std::uint64_t begin = 0, in_front = 0;
      for (int r = 0; r < ranks; ++r) {
        begin += begins[r * stride + b];
        if (r < rank && b < count) in_front += begins[r * stride + b + 1] - begins[r * stride + b];
      }
      if (b < count) places[b] = by_source ? begins[rank * stride + b] : begin + in_front;
      const auto at = static_cast<std::int64_t>(begin);
      segments[b] = at < part_begin ? 0 : at > part_end ? part_end - part_begin : at - part_begin;
    }
  }
};

/// How many of this rank's keys go to each rank, for those that send them. One block.
struct count_sent_kernel {
  static constexpr int block_threads = 128;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int count, int rank, int ranks,
                                 rank_table<std::int64_t> parts, const std::uint64_t* begins,
                                 std::int64_t* sent) const {
    const int to = block.thread_rank();
    if (to >= ranks) return;
    const std::int64_t stride = count + 1;
    std::int64_t sum = 0;
    for (int b = 0; b < count; ++b) {
      std::uint64_t begin = 0;
      for (int r = 0; r < ranks; ++r) begin += begins[r * stride + b + (r < rank ? 1 : 0)];
      const std::uint64_t mine = begins[rank * stride + b + 1] - begins[rank * stride + b];
      const auto first = static_cast<std::int64_t>(begin), last = first + static_cast<std::int64_t>(mine);
      const std::int64_t from = first > parts[to] ? first : parts[to],
                         end = last < parts[to + 1] ? last : parts[to + 1];
      if (from < end) sum += end - from;
    }
    sent[to] = sum;
  }
};

/// Where places of the sorted whole lie: those from parts[r] on in the arrays of rank r.
template <class Key, class Value>
struct rank_arrays {
  rank_table<std::int64_t> parts;
  rank_table<Key*> keys;
  rank_table<Value*> values;
  int ranks;
};

/// A tile of up to so many buckets, at most as many as it has threads.
template <int Threads, int Items, int MostBuckets>
struct rank_exchange_tile {
  static constexpr int block_threads = Threads;
  static constexpr int items_per_thread = Items;
  static constexpr int tile_items = Threads * Items;
  static constexpr int most_buckets = MostBuckets;
};
/// Those of a sort. A warp ranks its items one after the other, so many warps of few items hide that best.
template <class Key, int MostBuckets>
using tile_of_buckets = rank_exchange_tile<512, (sizeof(Key) <= 8 ? 8 : 4), MostBuckets>;

/// Values that are the numbers of their keys on this rank.
template <class Value>
struct own_numbers {
  UPSWEEP_DEVICE Value operator[](std::int64_t i) const { return static_cast<Value>(i); }
};

/// Stable.
template <class Key, class Value, class Digit, class Code, class Tile>
struct rank_exchange_kernel : Tile {
  using Tile::block_threads, Tile::items_per_thread, Tile::tile_items;
  static constexpr int blocks_per_multiprocessor = 2;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr std::int64_t portion_items = (std::int64_t{1} << 30) / tile_items * tile_items;
  using rank = stable_rank<block_threads, items_per_thread, Tile::most_buckets>;
  using lookback = digit_lookback<0>;
  /// Wider values fill separate sectors, and go straight to their places.
  static constexpr bool stages_values = has_values && sizeof(Value) <= 8;
  using staged_value = std::conditional_t<stages_values, Value, no_value>;

  struct temp_storage {
    typename rank::temp_storage rank_storage;
    ordered_tile_id::temp_storage ticket;
    std::int64_t to[Tile::most_buckets];  // where the tile's keys of a bucket go, less their first place in the tile
    std::int64_t part[most_ranks + 1];
    uninitialized_array<Key*, most_ranks> keys;
    uninitialized_array<Value*, most_ranks> values;
    uninitialized_array<Code, most_ranks> cut;
    uninitialized_array<std::uint16_t, tile_items> bucket;  // of each key in order
    union {
      uninitialized_array<Key, tile_items> key;
      uninitialized_array<staged_value, tile_items> value;
    };
  };

  /// What a launch sends: keys [begin, begin + items). places[b], where its first key of bucket b goes; the last tile
  /// writes those of the next launch.
  struct portion {
    std::int64_t begin, items;
    std::uint32_t *ticket, *words;  ///< zero before
    const std::uint64_t* places;
    std::uint64_t* next;
  };

  /// The lanes with the caller's bucket.
  struct numbered_buckets {
    static constexpr bool finds_all_first = true;
    int buckets;
    template <class Ctx>
    UPSWEEP_DEVICE lane_mask lanes_of(Ctx& block, std::uint32_t bucket) const {
      constexpr int most = Tile::most_buckets, bits = most <= 16 ? 5 : most <= 256 ? 9 : 10;  // of none, all are set
      return block.template match_low_bits<bits>(bucket);
    }
  };

  /// `values`: of all keys, a pointer or own_numbers.
  template <class Ctx, class Values>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, const Key* keys, Values values, Digit digit,
                                 bucket_numbers buckets, const global_cut<Code>* cuts, rank_arrays<Key, Value> to,
                                 portion p) const {
    const int t = block.thread_rank();
    for (int r = t; r <= to.ranks; r += block_threads) s.part[r] = to.parts[r];
    for (int r = t; r < to.ranks; r += block_threads) {
      s.keys[r] = to.keys[r];
      s.values[r] = to.values[r];
    }
    for (int c = t; c < buckets.cuts; c += block_threads) s.cut[c] = cuts[c].prefix;
    const std::int64_t tile = ordered_tile_id{p.ticket}.take(block, s.ticket);  // a barrier: the tables are there
    const std::int64_t tiles = ceil_div(p.items, tile_items), first = p.begin + tile * tile_items;
    const std::int64_t left = p.items - tile * tile_items;
    const int valid = left < tile_items ? static_cast<int>(left) : tile_items;

    uninitialized_array<Key, items_per_thread> key;
    std::uint32_t bucket[items_per_thread], place[items_per_thread];
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = warp_striped<items_per_thread>(block, i);
      if (at < valid) key[i] = keys[first + at];
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      bucket[i] = no_bucket;
      if (warp_striped<items_per_thread>(block, i) >= valid) continue;
      const Code code = static_cast<Code>(digit.code_of(key[i]));
      const int at = first_cut_from(s.cut.data(), buckets.cuts, code);
      bucket[i] = static_cast<std::uint32_t>(buckets.number(s.cut.data(), at, code));
    }
    const int count = buckets.count();
    rank::rank_items(block, s.rank_storage, numbered_buckets{count}, bucket, place);

    if (t < count) {
      const std::uint32_t begin = s.rank_storage.first[t];
      const std::uint32_t end = t + 1 < count ? s.rank_storage.first[t + 1] : static_cast<std::uint32_t>(valid);
      const lookback states(p.words, tiles, 0, count);
      states.tell(block, tile, t, end - begin);
      const std::uint32_t before = tile > 0 ? states.sum_before(block, tile, t, end - begin) : 0;
      const std::uint64_t here = p.places[t] + before;
      if (tile == tiles - 1) p.next[t] = here + (end - begin);
      s.to[t] = static_cast<std::int64_t>(here) - begin;
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      if (bucket[i] == no_bucket) continue;
      s.key[static_cast<int>(place[i])] = key[i];
      s.bucket[static_cast<int>(place[i])] = static_cast<std::uint16_t>(bucket[i]);
    }
    block.barrier();  // the tile is in order, and s.to is written
    UPSWEEP_UNROLL
    for (int i = 0; i < items_per_thread; ++i) {
      const int at = t + i * block_threads;
      if (at >= valid) continue;
      const std::int64_t goes = s.to[s.bucket[at]] + at;
      const int r = rank_of(s, to.ranks, goes);
      s.keys[r][goes - s.part[r]] = s.key[at];
    }
    if constexpr (stages_values) {
      block.barrier();  // s.key has been read
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        if (bucket[i] != no_bucket)
          s.value[static_cast<int>(place[i])] = values[first + warp_striped<items_per_thread>(block, i)];
      }
      block.barrier();  // s.value is written
      UPSWEEP_UNROLL
      for (int i = 0; i < items_per_thread; ++i) {
        const int at = t + i * block_threads;
        if (at >= valid) continue;
        const std::int64_t goes = s.to[s.bucket[at]] + at;
        const int r = rank_of(s, to.ranks, goes);
        s.values[r][goes - s.part[r]] = s.value[at];
      }
    } else if constexpr (has_values) {
      for (int i = 0; i < items_per_thread; ++i) {
        if (bucket[i] == no_bucket) continue;
        const std::int64_t at = s.to[bucket[i]] + place[i];
        const int r = rank_of(s, to.ranks, at);
        s.values[r][at - s.part[r]] = values[first + warp_striped<items_per_thread>(block, i)];
      }
    }
  }

 private:
  /// The rank whose part has the place.
  static UPSWEEP_DEVICE int rank_of(const temp_storage& s, int ranks, std::int64_t place) {
    return partition_point(0, ranks - 1, [&](int r) { return s.part[r + 1] <= place; });
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
