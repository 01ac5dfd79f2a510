// Scan of segments with separate begins and ends. The items of all segments (bounded_segments.cuh) are cut into some
// spans of as many whole tiles. The sum of what each span hands to the next is made first, from the begin of the
// segment that goes on there; a block scans them; then each block scans the tiles of a span, one after the other. So no
// block waits for another, sums are the same in every run, and the workspace depends on the number of segments alone.
// 2n items moved where segments are short; of a segment of many spans, 3n (reduce_then_scan.cuh).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/block/block_io.cuh"
#include "upsweep/scan/block/tile_scan.cuh"
#include "upsweep/scan/block/warp_scans.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/device/bounded_segments.cuh"
#include "upsweep/scan/device/decoupled_lookback.cuh"
#include "upsweep/scan/device/segment_heads.cuh"
#include "upsweep/scan/device/single_block.cuh"
#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The items of span number `span` of `spans`: as many whole tiles as every other has, but for the last that has any.
template <int TileItems>
struct item_span {
  std::int64_t begin, end;

  UPSWEEP_DEVICE item_span(std::int64_t items, std::int64_t spans, std::int64_t span) {
    const std::int64_t length = of_each(items, spans);
    begin = span * length;
    end = begin + length < items ? begin + length : items;
  }
  UPSWEEP_DEVICE bool is_empty() const { return begin >= end; }

  static UPSWEEP_DEVICE std::int64_t of_each(std::int64_t items, std::int64_t spans) {
    const std::int64_t tiles = (items + TileItems - 1) / TileItems;
    return (tiles + spans - 1) / spans * TileItems;
  }
};

/// sums[span] becomes what the span hands on: the sum of its last segment's items, after init where that begins in the
/// span. Of a span that ends with a segment the sum is not needed, and that counts as one with a head.
template <class T, class Block, int Items>
struct sum_spans_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr bool begins_early = true;
  using in_tile = tile_scan<T, Block, Items>;
  using temp_storage = typename in_tile::temp_storage;

  template <class Ctx, class In, class Begins, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Begins begins, numbered_segments segments, Op op,
                                 carry<T> init, segment_sum<T>* sums) const {
    block.wait_for_previous();
    const item_span<in_tile::tile_items> span(segments.items(), block.num_blocks(), block.block_index());
    if (span.is_empty()) return;
    const std::int64_t last = segments.find(block, span.end - 1, 0), start = segments.starts[last];
    segment_sum<T> sum{T{}, true};
    if (segments.starts[last + 1] > span.end) {
      sum.has_head = start >= span.begin;
      const std::int64_t first = sum.has_head ? start : span.begin, count = span.end - first;
      const auto from = in + (static_cast<std::int64_t>(begins[last]) + (first - start));
      sum.value = in_tile::reduce(block, s, from, count, 0, op);
      for (std::int64_t tile = 1; tile * in_tile::tile_items < count; ++tile) {
        block.barrier();  // s has been read
        sum.value = op(sum.value, in_tile::reduce(block, s, from, count, tile, op));
      }
      if (sum.has_head) sum.value = init.then(sum.value, op);
    }
    if (block.thread_rank() == 0) sums[block.block_index()] = sum;
  }
};

/// Replaces what each of the spans with items hands on by what all up to it do. One block, a tile of spans.
template <class T, class Block, int SpansPerThread, int TileItems>
struct scan_sums_of_spans_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr bool begins_early = true;
  using in_tile = tile_scan<segment_sum<T>, Block, SpansPerThread>;
  using temp_storage = typename in_tile::temp_storage;

  template <class Ctx, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, numbered_segments segments, std::int64_t spans, Op op,
                                 segment_sum<T>* sums) const {
    block.wait_for_previous();
    const std::int64_t items = segments.items();
    if (items == 0) return;
    const std::int64_t of_each = item_span<TileItems>::of_each(items, spans);
    in_tile::template scan<scan_kind::inclusive>(block, s, sums, sums, (items + of_each - 1) / of_each, 0,
                                                 segment_op<Op>{op}, [](const segment_sum<T>&) {
                                                   return carry<segment_sum<T>>{{}, false};
                                                 });
  }
};

template <scan_kind Kind, class T, class Block, int Items>
struct scan_spans_kernel {
  static constexpr int block_threads = Block::threads;
  static constexpr bool begins_early = true;
  static constexpr int blocks_per_multiprocessor = 1024 / block_threads;
  static constexpr int tile_items = block_threads * Items;
  using tile_io = block_io<T, block_threads, Items>;

  struct temp_storage {
    union {
      typename tile_io::temp_storage io;
      typename Block::template temp_storage<segment_sum<T>> scan;
    };
    /// Of each item, from the tile's first segment on: at first of heads alone, one more than that, 0 elsewhere.
    uninitialized_array<std::uint32_t, tile_items> segment;
    uninitialized_array<std::uint32_t, block_threads / warp_size> last_of_warp;  ///< as they are at first; 0: none
  };

  /// Segment s begins at begins[s] of `in` and at out_begins[s] of `out`.
  template <class Ctx, class In, class Out, class Begins, class OutBegins, class Op>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, In in, Out out, Begins begins, OutBegins out_begins,
                                 numbered_segments segments, Op op, carry<T> init, const segment_sum<T>* sums) const {
    block.wait_for_previous();
    const item_span<tile_items> span(segments.items(), block.num_blocks(), block.block_index());
    if (span.is_empty()) return;
    T before = block.block_index() == 0 ? T{} : sums[block.block_index() - 1].value;
    std::int64_t last = 0;
    for (std::int64_t first = span.begin; first < span.end; first += tile_items) {
      const int valid = span.end - first < tile_items ? static_cast<int>(span.end - first) : tile_items;
      const std::int64_t segment = segments.find(block, first, last);
      last = segments.find(block, first + valid - 1, segment);
      const std::int64_t in_place = place_of(begins, segments, segment),
                         out_place = place_of(out_begins, segments, segment);
      T item[Items];
      tile_heads heads{true, 0};
      if (segment == last) {
        if (block.thread_rank() == 0 && segments.starts[segment] == first) heads.word = 1;
      } else {
        heads = find_heads(block, s, begins, out_begins, segments, first, segment, last);
      }
      if (heads.are_side_by_side) {
        tile_io::template load<false>(block, s.io, in + (in_place + first), valid, item);
        before = scan_items(block, s, heads.word, valid, op, init, before, item);
        tile_io::template store<false>(block, s.io, out + (out_place + first), valid, item);
      } else {
        const std::uint32_t* const of_item = s.segment.data();
        tile_io::template load<false>(
            block, s.io, items_of_segments<In, Begins>{in, begins, segments, first, segment, of_item}, valid, item);
        before = scan_items(block, s, heads.word, valid, op, init, before, item);
        tile_io::template store<false>(
            block, s.io, items_of_segments<Out, OutBegins>{out, out_begins, segments, first, segment, of_item}, valid,
            item);
      }
      block.barrier();  // s has been read
    }
  }

 private:
  /// The words of the warp's heads as segment_heads.cuh has them, and whether all items of the tile lie as far from
  /// their numbers as the first one does, in both arrays.
  struct tile_heads {
    bool are_side_by_side;
    lane_mask word;
  };

  /// Where item 0 would lie, were it in the segment.
  template <class Begins>
  static UPSWEEP_DEVICE std::int64_t place_of(Begins begins, const numbered_segments& segments, std::int64_t segment) {
    return static_cast<std::int64_t>(begins[segment]) - segments.starts[segment];
  }

  /// Of the tile whose items begin in segment `from` and end in `last`. Writes s.segment where they are not side by
  /// side.
  template <class Ctx, class Begins, class OutBegins>
  static UPSWEEP_DEVICE tile_heads find_heads(Ctx& block, temp_storage& s, Begins begins, OutBegins out_begins,
                                              const numbered_segments& segments, std::int64_t first, std::int64_t from,
                                              std::int64_t last) {
    for (int at = block.thread_rank(); at < tile_items; at += block_threads) s.segment[at] = 0;
    block.barrier();  // s.segment is 0
    const std::int64_t in_place = place_of(begins, segments, from), out_place = place_of(out_begins, segments, from);
    bool are_side_by_side = true;
    for (std::int64_t segment = from + block.thread_rank(); segment <= last; segment += block_threads) {
      const std::int64_t start = segments.starts[segment];
      if (start < first || segments.starts[segment + 1] == start) continue;
      s.segment[static_cast<int>(start - first)] = static_cast<std::uint32_t>(segment - from) + 1;
      are_side_by_side = are_side_by_side && place_of(begins, segments, segment) == in_place &&
                         place_of(out_begins, segments, segment) == out_place;
    }
    tile_heads heads{block.barrier_and(are_side_by_side), 0};  // s.segment has the heads
    const int of_warp = block.warp() * Items * warp_size + block.lane();
    std::uint32_t latest = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t segment = s.segment[of_warp + i * warp_size];
      const lane_mask of_row = block.ballot(segment != 0);
      if (block.lane() == i) heads.word = of_row;
      latest = segment > latest ? segment : latest;
    }
    if (heads.are_side_by_side) return heads;
    latest = warp_reduce(block, latest, maximum{}, warp_size);
    if (block.lane() == 0) s.last_of_warp[block.warp()] = latest;
    block.barrier();  // s.last_of_warp is written
    std::uint32_t before = 1;
    for (int warp = 0; warp < block.warp(); ++warp) {
      if (s.last_of_warp[warp] > before) before = s.last_of_warp[warp];
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t segment = s.segment[of_warp + i * warp_size];
      const lane_mask so_far = block.ballot(segment != 0) & (full_warp >> (warp_size - 1 - block.lane()));
      const std::uint32_t nearest = block.shuffle(segment, so_far == 0 ? 0 : highest_lane(so_far));
      const std::uint32_t here = so_far == 0 ? before : nearest;
      s.segment[of_warp + i * warp_size] = here - 1;
      before = block.shuffle(here, warp_size - 1);
    }
    block.warp_sync();  // the warp's part of s.segment is written
    return heads;
  }

  /// Scans the tile's items after `before`; returns what comes before the next tile.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE T scan_items(Ctx& block, temp_storage& s, lane_mask word, int valid, Op op,
                                     const carry<T>& init, const T& before, T (&item)[Items]) {
    const thread_segments<Kind, T, Op> mine{heads_of_thread<Items>(block, word), init.value, op};
    const int count = valid - block.thread_rank() * Items;
    if (Kind == scan_kind::inclusive && init.present) {
      UPSWEEP_UNROLL
      for (int i = 0; i < Items; ++i) {
        if (i < count && (mine.heads >> i & 1) != 0) item[i] = op(init.value, item[i]);
      }
    }
    block.barrier();  // s.io has been read; s.scan may begin
    const auto sum =
        Block::scan(block, s.scan, mine.reduce(item, count), segment_op<Op>{op}, (valid + Items - 1) / Items);
    T of_thread = item[0];
    if (count > 0 && (mine.heads & 1) == 0) {
      if (block.thread_rank() == 0) {
        of_thread = before;
      } else {
        of_thread = sum.exclusive.has_head ? sum.exclusive.value : static_cast<T>(op(before, sum.exclusive.value));
      }
    }
    mine.scan(item, count, of_thread);
    block.barrier();  // s.scan has been read
    return sum.aggregate.has_head ? sum.aggregate.value : static_cast<T>(op(before, sum.aggregate.value));
  }
};

/// A policy of scans of segments by begins and ends: tiles of Block::threads x Items words of 4 bytes, and
/// Block::threads x SpansPerThread spans of them.
template <class Block, int Items, int SpansPerThread>
struct segments_by_spans {
  template <class T>
  static constexpr int items = items_that_fit<T, Block::threads, (sizeof(T) > 4 ? (Items + 1) / 2 : Items)>();
  template <class T>
  static constexpr int spans_per_thread = items_that_fit<segment_sum<T>, Block::threads, SpansPerThread>();
  template <class T>
  static constexpr std::int64_t tile_items = std::int64_t{Block::threads} * items<T>;
  template <class T>
  static constexpr std::int64_t spans = std::int64_t{Block::threads} * spans_per_thread<T>;

  /// For segments >= 0.
  template <class T>
  static constexpr std::size_t workspace_bytes(std::int64_t segments) {
    const plan<T> p(segments);
    return p.layout.bytes() +
           many_starts::template workspace_bytes<std::int64_t, std::int64_t*, std::int64_t*>(segments + 1);
  }

  /// Scans the segments of `in` to those of `out` after `init`. Count and Segments: as arguments.hpp says.
  template <scan_kind Kind, class T, class Executor, class In, class Out, class Begins, class Ends, class OutBegins,
            class Count, class Segments, class Op>
  static status run(Executor& ex, workspace w, In in, Out out, Begins begins, Ends ends, OutBegins out_begins, Count n,
                    Segments segments, Op op, carry<T> init) {
    const std::int64_t most = bound_of(segments);
    if (w.data == nullptr || w.bytes < workspace_bytes<T>(most)) return status::invalid_value;
    if (most > UINT32_MAX) return status::not_supported;
    const plan<T> p(most);
    std::int64_t* const starts = p.layout.at(w, p.starts);
    segment_sum<T>* const sums = p.layout.at(w, p.sums);
    const segment_sum<T>* const read_sums = sums;
    const segment_lengths<Begins, Ends, Count, Segments> lengths{begins, ends, n, segments, 0};
    status s = few_starts::takes(most + 1) ? scan_starts<few_starts>(ex, p.layout.rest(w), lengths, starts, most)
                                           : scan_starts<many_starts>(ex, p.layout.rest(w), lengths, starts, most);
    if (s != status::success) return s;
    const numbered_segments numbered{starts, most};
    // Segments that do not overlap have no more than n items.
    const std::int64_t blocks = (std::min)(spans<T>, bound_of(n) / tile_items<T> + 1);
    if (blocks > 1) {
      s = ex.launch(blocks, sum_spans_kernel<T, Block, items<T>>{}, in, begins, numbered, op, init, sums);
      if (s != status::success) return s;
      s = ex.launch(1, scan_sums_of_spans_kernel<T, Block, spans_per_thread<T>, static_cast<int>(tile_items<T>)>{},
                    numbered, blocks, op, sums);
      if (s != status::success) return s;
    }
    return ex.launch(blocks, scan_spans_kernel<Kind, T, Block, items<T>>{}, in, out, begins, out_begins, numbered, op,
                     init, read_sums);
  }

 private:
  using many_starts = decoupled_lookback<Block, 8>;
  struct few_starts : single_block<Block, 8> {
    static constexpr bool takes(std::int64_t n) { return n <= Block::threads * 8; }
  };

  template <class Scan, class Executor, class Lengths>
  static status scan_starts(Executor& ex, workspace w, Lengths lengths, std::int64_t* starts, std::int64_t segments) {
    return Scan::template run<scan_kind::exclusive, std::int64_t>(ex, w, lengths, starts, segments + 1, plus{},
                                                                  carry<std::int64_t>{0, true});
  }

  template <class T>
  struct plan {
    workspace_layout layout;
    workspace_layout::slot<std::int64_t> starts;
    workspace_layout::slot<segment_sum<T>> sums;

    constexpr explicit plan(std::int64_t segments)
        : starts(layout.add<std::int64_t>(segments + 1)), sums(layout.add<segment_sum<T>>(spans<T>)) {}
  };
};

/// The default policy.
using default_bounded_segments_policy = segments_by_spans<warp_scans<256>, 16, 4>;

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
