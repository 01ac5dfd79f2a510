// The top k of each of many segments. Of many long ones a block takes a segment each, in one trip of the keys:
// candidates are gathered until there is no more room for them, then they are sorted and the first k stay, the last of
// which is the threshold for all that follow. (A bounded list of candidates, as in Johnson, Douze & Jégou,
// "Billion-scale similarity search with GPUs", 2017.) Others are sorted.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/device/bounded_segments.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/carried_values.hpp"
#include "upsweep/sort/device/segmented_radix_sort.cuh"
#include "upsweep/sort/device/single_block_sort.cuh"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/order_code.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// One top k of segments as a method sees it. No keys_out: the keys are not needed. No values_in: the values are
/// the places of the keys in their segments.
template <class Key, class Value, class Digits, class Count, class Segments, class K, class Begins, class Ends>
struct segmented_top_k_request {
  Digits digits;
  bit_range bits;     ///< `end` resolved
  Count n;            ///< bound_of(n) > 0
  Segments segments;  ///< bound_of(segments) > 0
  K k;                ///< bound_of(k) > 0
  Begins begins;
  Ends ends;
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
};

/// Room for the candidates of each block, in the workspace. Places are of a segment; there are none where keys alone
/// are wanted.
template <class Key>
struct top_k_candidates {
  Key* keys;
  std::int64_t* places;
  std::uint32_t* order;  ///< the numbers of candidates in their order
};

/// Sort sorts the candidates of a block. A tile of keys has half as many, so that there is room for it beside k of
/// them.
template <class Key, class Value, class Digits, class Sort>
struct segmented_top_k_kernel {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr int block_threads = Sort::block_threads;
  static constexpr int warps = block_threads / warp_size;
  static constexpr int blocks_per_multiprocessor = 2;
  static constexpr int most_candidates = Sort::tile_items;
  static constexpr int tile_items = most_candidates / 2;
  static constexpr int most_k = most_candidates - tile_items;
  static constexpr int least_sampled = 4 * tile_items;  // so many keys of a segment are worth it
  static constexpr int items = tile_items / block_threads;
  static_assert(items * block_threads == tile_items && items <= 32,
                "whole items for each thread, a bit of a mask each");
  using code_of_key = order_code<Digits>;
  using code = typename code_of_key::code;
  using place = std::conditional_t<has_values, std::uint32_t, no_value>;

  struct temp_storage {
    typename Sort::temp_storage sort;
    uninitialized_array<std::uint32_t, warps> of_warp;
  };

  /// Block b has the segments b, b + num_blocks, and so on. Their results have `stride` places each.
  template <class Ctx, class Count, class Segments, class K, class Begins, class Ends>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, Digits digits, bit_range bits, Count count,
                                 code_of_key code_of, Segments segment_count, K k_count, std::int64_t stride,
                                 Begins begins, Ends ends, const Key* keys_in, Key* keys_out, const Value* values_in,
                                 Value* values_out, top_k_candidates<Key> room) const {
    const std::int64_t n = items_of(count), segments = items_of(segment_count), wanted = items_of(k_count);
    room.keys += block.block_index() * most_candidates;
    if constexpr (has_values) {
      room.places += block.block_index() * most_candidates;
      room.order += block.block_index() * most_candidates;
    }
    for (std::int64_t segment = block.block_index(); segment < segments; segment += block.num_blocks()) {
      const auto [begin, length] = segment_range::of(begins, ends, segment, n);
      const int k = static_cast<int>(wanted < length ? wanted : length);
      if (k <= 0) continue;
      const std::int64_t to = segment * stride;
      carried_values<Value> values{};
      if constexpr (has_values) values = {values_in == nullptr ? nullptr : values_in + begin, values_out + to};
      const auto take = [&](std::int64_t i, const Key& key, std::int64_t from) {
        if (keys_out != nullptr) keys_out[to + i] = key;
        if constexpr (has_values) values.out[i] = values.value_at(from);
      };
      if (bits.begin == bits.end) {
        for (std::int64_t i = block.thread_rank(); i < k; i += block_threads) take(i, keys_in[begin + i], i);
        continue;
      }
      find(block, s, digits, bits, code_of, keys_in + begin, length, k, room);
      for (int i = block.thread_rank(); i < k; i += block_threads) {
        std::int64_t from = 0;
        if constexpr (has_values) from = room.places[i];
        take(i, room.keys[i], from);
      }
    }
  }

 private:
  /// The first k of a segment become the first candidates, sorted. Begins, before a candidate is written, and ends
  /// with a barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE void find(Ctx& block, temp_storage& s, const Digits& digits, bit_range bits,
                                  const code_of_key& code_of, const Key* keys, std::int64_t length, int k,
                                  const top_k_candidates<Key>& room) {
    int kept = 0;  // candidates
    bool has_bound =
        false;      // then keys count whose codes are below it: of those that are as good as the k-th candidate,
    code bound{};   // k came earlier
    int tiles = 0;  // since the last sort
    bool is_sampled = false;
    const int mine = block.warp() * items * warp_size + block.lane();  // the thread's first item
    UPSWEEP_NO_UNROLL
    for (std::int64_t first = 0;;) {
      const std::int64_t left = length - first;
      const bool has_room = kept <= most_candidates - tile_items;
      if (left > 0 && has_room) {
        Key key[items];
        UPSWEEP_UNROLL
        for (int i = 0; i < items; ++i) {
          const int at = mine + i * warp_size;
          key[i] = keys[first + (at < left ? at : 0)];
        }
        std::uint32_t is_kept = 0;
        UPSWEEP_UNROLL
        for (int i = 0; i < items; ++i) {
          if (mine + i * warp_size < left && (!has_bound || code_of(key[i]) < bound)) is_kept |= 1u << i;
        }
        if (block.barrier_or(is_kept != 0)) kept += add(block, s, is_kept, key, first + mine, kept, room);
        first += tile_items;
        ++tiles;
      } else {
        // Where keys get better and better, each tile would be a sort. So, once, the candidates are forgotten, and the
        // segment begins again with the k-th of keys from all over it: no fewer than k are as good.
        const bool samples = has_bound && tiles == 1 && !is_sampled && left >= least_sampled;
        if (samples) {
          each_place(block, most_candidates, [&](int, int at) { room.keys[at] = keys[at * length / most_candidates]; });
          block.barrier();  // the sample is written
        }
        sort_candidates(block, s, digits, bits, samples ? most_candidates : kept, samples ? 0 : kept, room);
        if (left <= 0) return;
        bound = code_of(room.keys[k - 1]);
        has_bound = true;
        kept = k;
        tiles = 0;
        if (samples) {
          has_bound = bound != static_cast<code>(~code{0});
          ++bound;  // or as good
          kept = 0;
          first = 0;
          is_sampled = true;
        }
      }
    }
  }

  /// Adds the tile's candidates after the `kept` ones, in the order of their places; returns how many. Ends with a
  /// barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE int add(Ctx& block, temp_storage& s, std::uint32_t is_kept, const Key (&key)[items],
                                std::int64_t first, int kept, const top_k_candidates<Key>& room) {
    const std::uint32_t of_warp = block.reduce_add(static_cast<std::uint32_t>(count_lanes(is_kept)));
    if (block.lane() == 0) s.of_warp[block.warp()] = of_warp;
    block.barrier();  // s.of_warp is written
    std::uint32_t before = 0, all = 0;
    for (int w = 0; w < warps; ++w) {
      if (w == block.warp()) before = all;
      all += s.of_warp[w];
    }
    int row = kept + static_cast<int>(before);
    UPSWEEP_UNROLL
    for (int i = 0; i < items; ++i) {
      const bool is_mine = (is_kept >> i & 1u) != 0;
      const lane_mask lanes = block.ballot(is_mine);
      if (is_mine) {
        const int at = row + count_lanes(lanes & ((1u << block.lane()) - 1));
        room.keys[at] = key[i];
        if constexpr (has_values) room.places[at] = first + i * warp_size;
      }
      row += count_lanes(lanes);
    }
    block.barrier();  // the candidates are written, and s.of_warp has been read
    return static_cast<int>(all);
  }

  /// Equal candidates are in the order of their places, before the call and after it. Ends with a barrier.
  template <class Ctx>
  static UPSWEEP_DEVICE void sort_candidates(Ctx& block, temp_storage& s, const Digits& digits, bit_range bits,
                                             int count, [[maybe_unused]] int with_place,
                                             const top_k_candidates<Key>& room) {
    carried_values<place> order{};
    if constexpr (has_values) order.out = room.order;
    // The sort has read all keys before it writes one.
    Sort{}(block, s.sort, digits, bits, std::int64_t{count}, static_cast<const Key*>(room.keys), room.keys, order);
    block.barrier();  // room is written, s.sort has been read
    if constexpr (has_values) {
      std::int64_t of[2 * items];
      each_place(block, with_place, [&](int i, int at) { of[i] = room.places[room.order[at]]; });
      block.barrier();  // the places have been read
      each_place(block, with_place, [&](int i, int at) { room.places[at] = of[i]; });
      block.barrier();  // the places are written
    }
  }
  template <class Ctx, class Body>
  static UPSWEEP_DEVICE void each_place(Ctx& block, int count, Body body) {
    UPSWEEP_UNROLL
    for (int i = 0; i < 2 * items; ++i) {
      const int at = i * block_threads + block.thread_rank();
      if (at < count) body(i, at);
    }
  }
};

/// Takes the first k of each of the segments that have been sorted elsewhere.
struct take_of_segments_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  /// Result number i of segment s goes to s * stride + i. A thread a result.
  template <class Ctx, class Count, class Segments, class K, class Begins, class Ends, class Key, class Value>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Count count, Segments segment_count, K k_count,
                                 std::int64_t stride, Begins begins, Ends ends, const Key* keys, Key* keys_out,
                                 const Value* values, Value* values_out) const {
    const std::int64_t at = block.block_index() * block_threads + block.thread_rank();
    const std::int64_t segment = at / stride, i = at - segment * stride;
    if (segment >= items_of(segment_count) || i >= items_of(k_count)) return;
    const auto [begin, items] = segment_range::of(begins, ends, segment, items_of(count));
    if (i >= items) return;
    if (keys_out != nullptr) keys_out[at] = keys[begin + i];
    if constexpr (!std::is_same_v<Value, no_value>) values_out[at] = values[begin + i];
  }
};

/// Which segments a block takes each, and how.
struct segmented_top_k_tuned {
  /// Sorts the candidates of a segment.
  template <class Key, class Value>
  using block_sort = single_block_sort_kernel<Key, Value, 512, (sizeof(Key) <= 8 ? 8 : 4), 4>;
  static constexpr std::int64_t most_blocks = 256;
  /// Of fewer segments, of shorter ones on average, or for a larger k, all segments are sorted.
  static constexpr std::int64_t least_segments = 24, least_items = 8192, most_k = 1024;
};

/// The method. Every launch depends on the bounds of n, segments and k alone.
template <class Tiles = segmented_top_k_tuned, class Sort = segmented_radix_sort<>>
struct segmented_top_k_by_blocks {
  template <class Key, class Value>
  using block_sort =
      typename Tiles::template block_sort<Key,
                                          std::conditional_t<std::is_same_v<Value, no_value>, no_value, std::uint32_t>>;

  template <class Key, class Value>
  static std::size_t workspace_bytes(std::int64_t n, std::int64_t segments, std::int64_t k) {
    if (n <= 0 || segments <= 0 || k <= 0) return 0;
    if (!takes_blocks(n, segments, k)) return sort_plan<Key, Value>(n, segments).bytes;
    // What fewer items need too, which are sorted: it never shrinks.
    const std::int64_t sorted = segments * Tiles::least_items - 1;
    const std::size_t of_sort = sorted > 0 ? sort_plan<Key, Value>(sorted, segments).bytes : 0,
                      of_blocks = block_plan<Key, Value>(segments).layout.bytes();
    return of_sort < of_blocks ? of_blocks : of_sort;
  }

  /// A request that has been checked, and a workspace of as many bytes.
  template <class Executor, class Key, class Value, class Digits, class... Others>
  static status run(Executor& ex, workspace w, const segmented_top_k_request<Key, Value, Digits, Others...>& r) {
    const std::int64_t n = bound_of(r.n), segments = bound_of(r.segments), k = bound_of(r.k);
    if (!takes_blocks(n, segments, k)) return sort_and_take(ex, w, r);
    using kernel = segmented_top_k_kernel<Key, Value, Digits, block_sort<Key, Value>>;
    static_assert(kernel::most_k >= Tiles::most_k);
    const auto p = block_plan<Key, Value>(segments);
    const top_k_candidates<Key> room{p.layout.at(w, p.keys), p.layout.at(w, p.places), p.layout.at(w, p.order)};
    const bit_range some = r.bits.begin < r.bits.end ? r.bits : bit_range{0, 1};  // of none nothing is compared
    return ex.launch(p.blocks, kernel{}, r.digits, r.bits, r.n, order_code<Digits>{r.digits, some}, r.segments, r.k, k,
                     r.begins, r.ends, r.keys_in, r.keys_out, r.values_in, r.values_out, room);
  }

 private:
  static bool takes_blocks(std::int64_t n, std::int64_t segments, std::int64_t k) {
    return segments >= Tiles::least_segments && n / segments >= Tiles::least_items && k <= Tiles::most_k;
  }

  template <class Executor, class Request>
  static status sort_and_take(Executor& ex, workspace w, const Request& r) {
    using key = std::remove_cvref_t<decltype(*r.keys_out)>;
    using value = std::remove_cvref_t<decltype(*r.values_out)>;
    const std::int64_t n = bound_of(r.n), segments = bound_of(r.segments), k = bound_of(r.k);
    const auto p = sort_plan<key, value>(n, segments);
    key* const keys = p.layout.at(w, p.keys);
    value* const values = p.layout.at(w, p.values);
    const bit_range bits = r.bits.begin < r.bits.end ? r.bits : bit_range{0, 0};
    using sort_request = segmented_sort_request<key, value, decltype(r.digits), decltype(r.n), decltype(r.segments),
                                                decltype(r.begins), decltype(r.ends)>;
    const sort_request of_all{r.digits, bits, r.n, r.segments, r.begins, r.ends, r.keys_in, keys, r.values_in, values};
    const status s = Sort::run(ex, p.layout.rest(w), of_all);
    if (s != status::success) return s;
    const take_of_segments_kernel take;
    return ex.launch(ceil_div(segments * k, take.block_threads), take, r.n, r.segments, r.k, k, r.begins, r.ends,
                     static_cast<const key*>(keys), r.keys_out, static_cast<const value*>(values), r.values_out);
  }

  template <class Key>
  struct candidates_plan {
    workspace_layout layout;
    std::int64_t blocks;
    workspace_layout::slot<Key> keys;
    workspace_layout::slot<std::int64_t> places;
    workspace_layout::slot<std::uint32_t> order;
  };
  template <class Key, class Value>
  static candidates_plan<Key> block_plan(std::int64_t segments) {
    candidates_plan<Key> p{};
    p.blocks = segments < Tiles::most_blocks ? segments : Tiles::most_blocks;
    const auto candidates = static_cast<std::size_t>(p.blocks * block_sort<Key, Value>::tile_items);
    const std::size_t with_places = std::is_same_v<Value, no_value> ? 0 : candidates;
    p.keys = p.layout.template add<Key>(candidates);
    p.places = p.layout.template add<std::int64_t>(with_places);
    p.order = p.layout.template add<std::uint32_t>(with_places);
    return p;
  }

  template <class Key, class Value>
  struct sorted_plan {
    workspace_layout layout;
    workspace_layout::slot<Key> keys;
    workspace_layout::slot<Value> values;
    std::size_t bytes;
  };
  template <class Key, class Value>
  static sorted_plan<Key, Value> sort_plan(std::int64_t n, std::int64_t segments) {
    sorted_plan<Key, Value> p{};
    p.keys = p.layout.template add<Key>(static_cast<std::size_t>(n));
    p.values = p.layout.template add<Value>(std::is_same_v<Value, no_value> ? 0 : static_cast<std::size_t>(n));
    p.bytes = p.layout.bytes() + Sort::template workspace_bytes<Key, Value>(n, segments);
    return p;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
