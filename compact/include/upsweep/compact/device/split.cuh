// Stable split into buckets, of which a functor gives each element one: a histogram of each tile, a scan of all counts
// (bucket by bucket, in each the tiles in order), and a pass in which each tile ranks its elements by bucket and moves
// them there. It is one pass of a radix sort (Merrill & Grimshaw, "High performance and scalable radix sorting", 2011)
// whose digit is the bucket. The functor runs twice an element, and once more for each further 16 arrays, which are
// read once and written once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/block/bucket_count.cuh"
#include "upsweep/compact/device/moved_arrays.cuh"
#include "upsweep/compact/device/onesweep_split.cuh"
#include "upsweep/compact/device/split_tiles.cuh"
#include "upsweep/compact/request.hpp"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/scan/spine.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Moves the elements of all arrays to their buckets.
template <class Offset>
struct split_kernel : split_tile {
  using tile_places = split_places<Offset>;
  /// Elements of one word and up to so many bytes are read through shared memory, so that both their ways are
  /// coalesced; others fill separate sectors.
  static constexpr std::uint32_t staged_bytes = 8;
  static constexpr int blocks_per_multiprocessor = 4;

  struct temp_storage {
    typename tile_places::temp_storage places;
    alignas(16) unsigned char staged[staged_bytes * tile_items];
  };

  template <class Ctx, class Count, class BucketOf>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count count, bucket_count buckets, BucketOf bucket_of,
                                 const Offset* counts, std::int64_t* offsets, move_batch arrays) const {
    const std::int64_t n = items_of(count), first = block.block_index() * tile_items;
    const int valid = valid_items(n, first);
    const int moved = tile_places::find(block, s.places, n, buckets, bucket_of, counts, offsets);
    for (int a = 0; a < arrays.size; ++a) {
      element_array array = arrays.array[a];  // a copy: a reference would keep all of `arrays` in memory
      array.in = static_cast<const unsigned char*>(array.in) + first * array.words * array.word_bytes;
      with_word(array.word_bytes, [&](auto word) {
        using Word = decltype(word);
        const auto* const in = static_cast<const Word*>(array.in);
        auto* const out = static_cast<Word*>(array.out);
        const auto move = [&](auto words, const Word* from) {
          const auto rank = static_cast<std::uint32_t>(block.thread_rank());
          move_words<block_threads, 4, 1>(rank, words, route{s.places, moved}, [&](int) {
            return word_array<Word>{from, out};
          });
        };
        if constexpr (sizeof(Word) <= staged_bytes) {
          if (array.words == 1) {
            Word* const staged = reinterpret_cast<Word*>(s.staged);
            UPSWEEP_UNROLL
            for (int i = 0; i < items_per_thread; ++i) {
              const int at = block.thread_rank() + i * block_threads;
              if (at < valid) staged[at] = in[at];
            }
            block.barrier();  // s.staged is written
            move(one_word{}, staged);
            return block.barrier();  // s.staged has been read
          }
        }
        move(array.words, in);
      });
    }
  }

 private:
  /// From places in the tile, or what is staged of it, to the buckets.
  struct route {
    const typename tile_places::temp_storage& s;
    int count;
    UPSWEEP_DEVICE int from(int i) const { return s.source_at[i]; }
    UPSWEEP_DEVICE Offset to(int i) const { return s.to[s.bucket_at[i]] + static_cast<Offset>(i); }
  };
};

/// Calls move(i, bucket, k) for every element i, number k of its bucket.
template <class Offset>
struct split_each_kernel : split_tile {
  using places = split_places<Offset>;
  using temp_storage = typename places::temp_storage;

  template <class Ctx, class Count, class BucketOf, class Move>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Count n, bucket_count buckets, BucketOf bucket_of,
                                 const Offset* counts, std::int64_t* offsets, Move move) const {
    const int moved = places::find(block, s, items_of(n), buckets, bucket_of, counts, offsets);
    const std::int64_t first = block.block_index() * tile_items;
    for (int at = block.thread_rank(); at < moved; at += block_threads) {
      const int b = s.bucket_at[at];
      const Offset to = s.to[b] + static_cast<Offset>(at);
      move(first + s.source_at[at], b, static_cast<std::int64_t>(to - counts[b * block.num_blocks()]));
    }
  }
};

/// Whether an array is of the items of which bucket_of tells the buckets: it then has of_item, and `in`, where they
/// are.
template <class BucketOf>
constexpr bool tells_items = requires(const BucketOf& of) {
  of.of_item(*of.in);
};

/// The method. `Scan` is a scan policy, or a spine (upsweep/scan/spine.cuh). Up to `Narrow` elements are
/// placed by 32-bit numbers, more by 64-bit ones.
template <class Scan = default_scan, std::int64_t Narrow = 0xffffffff>
class histogram_split {
 public:
  using Spine = spine_of_t<Scan>;

  explicit histogram_split(Spine spine = {}) : spine_(spine) {}

  std::size_t workspace_bytes(std::int64_t n, int buckets) const {
    if (n <= 0 || buckets <= 0 || buckets > max_buckets) return 0;
    return wide(n) ? bytes_of<std::uint64_t>(n, buckets) : bytes_of<std::uint32_t>(n, buckets);
  }

  /// Moves element i of all arrays to bucket bucket_of(i), and writes where each bucket begins, and the last one ends.
  template <class Executor, class Count, class BucketOf>
  status run(Executor& ex, workspace w, std::span<const soa_array> arrays, Count n, int buckets, BucketOf bucket_of,
             std::int64_t* offsets) const {
    if (!is_right(w, arrays, n, buckets, bucket_of, offsets)) return status::invalid_value;
    return with_counts(ex, w, n, buckets, bucket_of, offsets, [&](auto offset, auto launch) {
      return in_batches<moved_array>(
          arrays, [](const soa_array& a) { return in_words(a.in, a.out, a.element_bytes); },
          [&](const move_batch& batch, bool) { return launch(split_kernel<decltype(offset)>{}, batch); });
    });
  }

  /// Calls move(i, bucket, k) on the device for every element i, number k of its bucket. `offsets` may be null.
  template <class Executor, class Count, class BucketOf, class Move>
  status run_each(Executor& ex, workspace w, Count n, int buckets, BucketOf bucket_of, std::int64_t* offsets,
                  Move move) const {
    return with_counts(ex, w, n, buckets, bucket_of, offsets,
                       [&](auto offset, auto launch) { return launch(split_each_kernel<decltype(offset)>{}, move); });
  }

 protected:
  /// Whether the arguments of run() can be: of any workspace that is large enough for this method.
  template <class Count, class BucketOf>
  bool is_right(const workspace& w, std::span<const soa_array> arrays, Count n, int buckets, const BucketOf& bucket_of,
                const std::int64_t* offsets) const {
    const std::int64_t bound = bound_of(n);
    for (const soa_array& a : arrays) {
      if (a.in == a.out && bound > 0) return false;
      if (a.rejected != nullptr) return false;
    }
    const auto required = read_by(bucket_of, bound);
    return bound >= 0 && buckets >= 1 && buckets <= max_buckets && offsets != nullptr && !is_null(place_of(n)) &&
           can_be_moved(arrays, {bound, bound}) && std::ranges::none_of(required, &memory_use::is_missing) &&
           is_apart(arrays, {bound, bound}, required,
                    std::array{use_of(offsets, buckets + 1, true), use_of(place_of(n), 1, false)}) &&
           (bound == 0 || (w.data != nullptr && w.bytes >= workspace_bytes(bound, buckets)));
  }

 private:
  template <class Offset>
  struct layout_plan {
    std::int64_t tiles;
    workspace_layout layout;
    workspace_layout::slot<Offset> counts;

    layout_plan(std::int64_t n, int buckets)
        : tiles(ceil_div(n, split_tile::tile_items)), counts(layout.add<Offset>(tiles * buckets + 1)) {}
  };

  static bool wide(std::int64_t n) { return n > Narrow; }

  template <class Offset>
  std::size_t bytes_of(std::int64_t n, int buckets) const {
    const layout_plan<Offset> p(n, buckets);
    return p.layout.bytes() + spine_.template workspace_bytes<Offset>(p.tiles * buckets + 1);
  }

  /// The counts and their scan; then move(Offset, launch), which launches kernels that take n, buckets, bucket_of,
  /// counts and offsets, and what it gives them.
  template <class Executor, class Count, class BucketOf, class Move>
  status with_counts(Executor& ex, workspace w, Count n, int buckets, BucketOf bucket_of, std::int64_t* offsets,
                     Move move) const {
    const std::int64_t bound = bound_of(n);
    if (bound < 0 || buckets < 1 || buckets > max_buckets || is_null(place_of(n))) return status::invalid_value;
    if (bound == 0) {
      const auto bytes = static_cast<std::size_t>(buckets + 1) * sizeof(std::int64_t);
      return offsets == nullptr ? status::success : ex.fill(offsets, 0, bytes);
    }
    if (w.data == nullptr || w.bytes < workspace_bytes(bound, buckets)) return status::invalid_value;
    const auto run = [&](auto offset) {
      using Offset = decltype(offset);
      const layout_plan<Offset> p(bound, buckets);
      const std::int64_t counted = p.tiles * buckets + 1;
      if (!spine_.takes(counted)) return status::not_supported;
      Offset* const counts = p.layout.at(w, p.counts);
      const bucket_count numbers = bucket_count::of(buckets);
      status s = ex.launch(p.tiles, bucket_histogram_kernel<Offset>{}, count_argument(n), numbers, bucket_of,
                           bucket_counters::copies_log2_of(buckets), counts);
      if (s != status::success) return s;
      s = spine_.exclusive_sum(ex, p.layout.rest(w), counts, counted);
      if (s != status::success) return s;
      return move(offset, [&](const auto& kernel, auto argument) {
        return ex.launch(p.tiles, kernel, count_argument(n), numbers, bucket_of, static_cast<const Offset*>(counts),
                         offsets, argument);
      });
    };
    return wide(bound) ? run(std::uint64_t{}) : run(std::uint32_t{});
  }

  Spine spine_;
};
template <class Scan>
histogram_split(Scan) -> histogram_split<Scan>;

/// Items that tell their buckets themselves by one pass where there are many, all else by a histogram_split, whose pass
/// is faster for few buckets, and its launches for few items. `ByOnePass`: whatever they are.
template <class OneSweep = onesweep_split<>, bool ByOnePass = false>
class default_split : public histogram_split<> {
 public:
  default_split() : histogram_split<>() {}

  std::size_t workspace_bytes(std::int64_t n, int buckets) const {
    return (std::max)(histogram_split<>::workspace_bytes(n, buckets), OneSweep::workspace_bytes(n, buckets));
  }

  /// As that of histogram_split.
  template <class Executor, class Count, class BucketOf>
  status run(Executor& ex, workspace w, std::span<const soa_array> arrays, Count n, int buckets, BucketOf bucket_of,
             std::int64_t* offsets) const {
    if (w.bytes < workspace_bytes(bound_of(n), buckets)) return status::invalid_value;
    if constexpr (tells_items<BucketOf>) {
      using T = std::remove_cvref_t<decltype(*bucket_of.in)>;
      if constexpr (OneSweep::template moves<T>) {
        if ((ByOnePass ? bound_of(n) > 0 : are_many(bound_of(n), buckets)) && arrays.size() == 1 &&
            arrays[0].in == bucket_of.in && aligned_to(arrays[0].in, alignof(T)) &&
            aligned_to(arrays[0].out, alignof(T))) {
          if (!is_right(w, arrays, n, buckets, bucket_of, offsets)) return status::invalid_value;
          const status s =
              OneSweep::run(ex, w, bucket_of.in, static_cast<T*>(arrays[0].out), n, buckets, bucket_of, offsets);
          if (s != status::not_supported) return s;
        }
      }
    }
    return histogram_split<>::run(ex, w, arrays, n, buckets, bucket_of, offsets);
  }

 private:
  /// As measured on an H200 with items of 4 and 8 bytes.
  static bool are_many(std::int64_t n, int buckets) {
    return buckets > 4 && n > std::int64_t{1} << (buckets > 64 ? 19 : 23);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
