// Sort of many segments, balanced by the device: short segments by warps, those that fit a block by blocks, and large
// ones by passes of onesweep over the tiles of all of them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/onesweep.cuh"
#include "upsweep/sort/device/segment_classes.cuh"
#include "upsweep/sort/device/segment_lists.cuh"
#include "upsweep/sort/device/segment_rows.cuh"
#include "upsweep/sort/device/segments_onesweep.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A segmented sort as its method sees it. Without values_in the values are places, counted from the segment's begin.
template <class Key, class Value, class Digits, class Count, class Segments, class Begins, class Ends>
struct segmented_sort_request {
  Digits digits;
  bit_range bits;  ///< `end` resolved; {0, 0} where it is empty
  Count n;
  Segments segments;
  Begins begins;
  Ends ends;
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;
  Value* values_out;
};

/// The method. Every launch depends on the bounds of n and of the number of segments alone.
template <class Classes = segments_tuned>
struct segmented_radix_sort {
  /// Of more items, segments that overlap could have more tiles than segment_lists counts.
  static constexpr std::int64_t max_items = std::int64_t{1} << 34;

  template <class Key, class Value>
  static std::size_t workspace_bytes(std::int64_t n, std::int64_t segments) {
    return n <= 0 || segments <= 0 ? 0 : layout_plan<Key, Value>(n, segments).layout.bytes();
  }

  template <class Executor, class Key, class Value, class Digits, class... Others>
  static status run(Executor& ex, workspace w, const segmented_sort_request<Key, Value, Digits, Others...>& r) {
    const std::int64_t n = bound_of(r.n), segments = bound_of(r.segments);
    if (n > max_items) return status::not_supported;
    const layout_plan<Key, Value> p(n, segments);
    std::uint64_t* const counters = p.layout.at(w, p.counters);
    const bool by_all_bits = r.bits.begin == 0 && r.bits.end == Digits::bits;
    segment_lists lists{};
    bool has_block[segment_lists::of_blocks] = {};
    each_block_sort<Key, Value, Digits>(by_all_bits, [&]<class Sort>(int l, Sort, bool by_codes) {
      // One without that before it would have more segments than its list has room for.
      has_block[l] = p.listed[l].count > 0 && Classes::has_block(l, n, n / segments, by_codes) &&
                     (l < 2 || ex.template can_run<listed_segments_kernel<Sort>>()) && (l == 0 || has_block[l - 1]);
      if (l < 2 || has_block[l]) lists.longest[l] = Sort::tile_items;
    });
    int after = 0;  // the last launch of a list
    for (int l = 0; l < segment_lists::of_blocks; ++l) {
      // A list without a block has no length of its own.
      if (l > 0 && lists.longest[l] == 0) lists.longest[l] = lists.longest[l - 1];
      lists.list[l] = p.layout.at(w, p.listed[l]);
      lists.room[l] = static_cast<std::int64_t>(p.listed[l].count);
      lists.count[l] = counters + l;
      if (has_block[l]) after = l;
    }
    const bool may_be_large = n > lists.longest[segment_lists::of_blocks - 1];
    lists.large = p.layout.at(w, p.large);
    lists.large_room = static_cast<std::int64_t>(p.large.count);
    if constexpr (has_wide_tiles<Key, Value, Digits>) {
      lists.has_wide_tiles = has_block[2] && by_all_bits && n >= Classes::items_of_wide_tiles &&
                             !Classes::are_one_launch(n, segments, max_passes<Key>) && runs_wide_tiles<Key, Digits>(ex);
    }
    lists.tile_room = lists.has_wide_tiles ? p.wide_tiles : p.tiles;
    lists.large_count = counters + segment_lists::of_blocks;
    lists.digit_counts = p.layout.at(w, p.count);
    lists.wide_counts = p.layout.at(w, p.first);
    lists.digit_counts_of_a_segment = max_passes<Key> * radix<Key, Value>;
    lists.tiles_done = p.layout.at(w, p.tiles_done);
    const carried_values<Value> values{r.values_in, r.values_out};
    status s = ex.clear(counters, p.tickets.end() - p.counters.offset);
    if (s != status::success) return s;
    using listing =
        segment_lists_kernel<Key, Value, Digits, Classes::short_lanes, static_cast<int>(tile_items<Key, Value>),
                             static_cast<int>(wide_tile_items<Key, Value, Digits>), Classes::threads>;
    const std::int64_t warps = std::int64_t{ex.multiprocessors()} * Classes::short_warps_per_multiprocessor;
    int segments_of_warp = warp_size;
    while (segments_of_warp > 1 && segments < warps * segments_of_warp) segments_of_warp /= 2;
    warps_left left{};
    if constexpr (listing::has_rows) {
      segments_of_warp = segments_in_rows(n, segments, warps, segments_of_warp);
    } else if constexpr (has_rows_of_pairs<Key, Value, Digits>) {
      const int in_a_row = segments_in_rows(n, segments, warps, segments_of_warp);
      if (n >= Classes::items_of_more_launches && n / segments <= Classes::average_in_rows &&
          r.bits.begin < r.bits.end && ceil_div(segments, in_a_row) <= static_cast<std::int64_t>(p.warps_left.count)) {
        using in_rows = segment_rows_kernel<Key, Value, Digits, Classes::threads>;
        segments_of_warp = in_a_row;
        left = {p.layout.at(w, p.warps_left), counters + segment_lists::of_blocks + 1};
        s = ex.launch(before_next(ceil_div(segments, in_rows::warps * segments_of_warp), true), in_rows{},
                      typename in_rows::rows{{r.digits, r.bits, r.keys_in, r.keys_out, values}}, r.n, r.segments,
                      r.begins, r.ends, left, segments_of_warp);
        if (s != status::success) return s;
        segments_of_warp = (std::min)(segments_of_warp, warp_size);
      }
    }
    s = ex.launch(before_next(ceil_div(segments, listing::warps * segments_of_warp), has_block[0]), listing{},
                  typename listing::short_sort{r.digits, r.bits, r.keys_in, r.keys_out, values}, r.n, r.segments,
                  r.begins, r.ends, lists, segments_of_warp, left);
    each_block_sort<Key, Value, Digits>(by_all_bits, [&]<class Sort>(int l, Sort, bool) {
      using kernel = listed_segments_kernel<Sort>;
      if (s != status::success || !has_block[l]) return;
      s = ex.launch(before_next(blocks_for(ex, lists.room[l], kernel::block_threads), l < after || may_be_large),
                    kernel{}, r.digits, r.bits, lists.list[l], static_cast<const std::uint64_t*>(lists.count[l]),
                    lists.room[l], r.keys_in, r.keys_out, values);
    });
    if (s != status::success || !may_be_large) return s;
    using tile = typename Classes::template tile<Key, Value>;
    if constexpr (has_wide_tiles<Key, Value, Digits>) {
      if (lists.has_wide_tiles) return sort_large<typename Classes::template wide_tile<Key>, true>(ex, w, r, p, lists);
    }
    return sort_large<tile, false>(ex, w, r, p, lists);
  }

 private:
  template <class Key, class Value, class Digits>
  static constexpr bool has_rows_of_pairs = !std::is_same_v<Value, no_value> && one_word_keys<Key, Digits>;

  /// How many a warp has where it sorts rows: those with which rows are as full as can be, but `at_least`, of `warps`
  /// in all. More where more than one warp comes.
  static int segments_in_rows(std::int64_t n, std::int64_t segments, std::int64_t warps, int at_least) {
    int best = at_least;
    std::int64_t best_items = 0, best_rows = 1;
    for (int j = 1; j <= 4; ++j) {
      const std::int64_t items = warp_size * j * n / segments, rows = ceil_div(items, most_items_of_a_row);
      if (at_least < warp_size || segments < warps * warp_size * j || items > Classes::items_of_a_warp) break;
      if (items * best_rows >= best_items * rows) best = warp_size * j, best_items = items, best_rows = rows;
    }
    return best;
  }

  template <class Tile>
  static constexpr std::int64_t items_of_tile = std::int64_t{Tile::block_threads} * Tile::items_per_thread;
  template <class Key, class Value>
  static constexpr std::int64_t tile_items = items_of_tile<typename Classes::template tile<Key, Value>>;
  template <class Key, class Value>
  static constexpr int radix = 1 << Classes::template tile<Key, Value>::radix_bits;
  /// Tiles of a launch, of which there are several where there are more.
  template <std::int64_t TileItems>
  static constexpr std::int64_t portion_tiles = Classes::portion_items / TileItems;
  /// Passes of the widest code of a key.
  template <class Key>
  static constexpr int max_passes = static_cast<int>(ceil_div(8 * sizeof(Key),
                                                              Classes::template tile<Key, no_value>::radix_bits));

  template <class Key, class Value, class Digits>
  static constexpr bool has_code_blocks = std::is_same_v<Value, no_value> &&
                                          sizeof(Key) <= 4 && keys_told_by_codes<Key, Digits>;
  /// visit(l, Sort{}, by_codes) for the sorts by one block, by rising length.
  template <class Key, class Value, class Digits, class Visit>
  static void each_block_sort(bool by_all_bits, Visit visit) {
    if constexpr (has_code_blocks<Key, Value, Digits>) {
      if (by_all_bits) {
        int l = 0;
        std::apply([&](auto... sort) { (visit(l++, sort, true), ...); }, typename Classes::template code_blocks<Key>{});
        return;
      }
    }
    visit(0, typename Classes::template small_block<Key, Value>{}, false);
    visit(1, typename Classes::template middle_block<Key, Value>{}, false);
    using wide_block = typename Classes::template wide_block<Key, Value>;
    // Where keys have codes, these have the longer blocks, and others go by passes.
    if constexpr (!has_code_blocks<Key, Value, Digits> &&
                  !std::is_same_v<wide_block, typename Classes::template middle_block<Key, Value>>) {
      visit(2, wide_block{}, false);
    }
  }

  template <class Digits>
  using digit_type = decltype(std::declval<const Digits&>().at(0, 1));
  /// Whether the workspace has room for wide tiles: it is asked for by types, without the digits of a call.
  template <class Key, class Value>
  static constexpr bool may_have_wide_tiles = std::is_same_v<Value, no_value>&& std::is_arithmetic_v<Key> &&
                                              sizeof(Key) == 4;
  template <class Key, class Value, class Digits>
  static constexpr bool has_wide_tiles =
      may_have_wide_tiles<Key, Value>&& keys_tell_order<Key, Value, digit_type<Digits>>;
  template <class Key, class Value, class Digits>
  static constexpr std::int64_t wide_tile_items = [] {
    if constexpr (has_wide_tiles<Key, Value, Digits>) return items_of_tile<typename Classes::template wide_tile<Key>>;
    return tile_items<Key, Value>;
  }();
  template <class Key, class Digits, class Executor>
  static bool runs_wide_tiles(const Executor& ex) {
    return ex.template can_run<pass_of<typename Classes::template wide_tile<Key>, true, Key, no_value, Digits>>();
  }
  template <class Tile, bool ByKeys, class Key, class Value, class Digits>
  using pass_of = segments_pass_kernel<onesweep_pass_kernel<Key, Value, digit_type<Digits>, Tile, ByKeys>, Key, Value,
                                       digit_type<Digits>, max_passes<Key>, false>;

  template <class Key, class Value>
  struct layout_plan {
    workspace_layout layout;
    std::int64_t tiles, wide_tiles;  // the latter where there is a wide block
    workspace_layout::slot<std::uint64_t> counters;
    workspace_layout::slot<std::uint32_t> tickets;
    workspace_layout::slot<listed_segment> listed[segment_lists::of_blocks], large;
    workspace_layout::slot<std::uint32_t> warps_left, count, tiles_done, segment_of_tile, words;
    workspace_layout::slot<std::uint64_t> first, first_of_portion;  // the latter of those after the first, in turns
    workspace_layout::slot<sort_pass> passes;
    workspace_layout::slot<Key> keys_a, keys_b;
    workspace_layout::slot<Value> values_a, values_b;

    /// Segments that do not overlap are at most as many as the shortest of their kind fit n items.
    layout_plan(std::int64_t n, std::int64_t segments) {
      constexpr std::int64_t shorter = Classes::short_lanes * short_segment_items_per_lane,
                             than_small = Classes::template small_block<Key, Value>::tile_items,
                             than_middle = Classes::template middle_block<Key, Value>::tile_items,
                             than_wide = Classes::template wide_block<Key, Value>::tile_items;
      const auto most = [&](std::int64_t longer_than) { return (std::min)(n / (longer_than + 1), segments); };
      const std::int64_t all_large = most(than_middle), of_digits = all_large * max_passes<Key> * radix<Key, Value>;
      tiles = all_large == 0 ? 0 : n / tile_items<Key, Value> + all_large;
      constexpr std::int64_t of_tile = tile_items<Key, Value>;
      std::int64_t items = tiles * of_tile, portions = ceil_div(tiles, portion_tiles<of_tile>), most_tiles = tiles;
      wide_tiles = 0;
      if constexpr (may_have_wide_tiles<Key, Value>) {
        constexpr std::int64_t of_wide = items_of_tile<typename Classes::template wide_tile<Key>>;
        const std::int64_t large = most(than_wide);
        wide_tiles = large == 0 ? 0 : n / of_wide + large;
        items = (std::max)(items, wide_tiles * of_wide);
        portions = (std::max)(portions, ceil_div(wide_tiles, portion_tiles<of_wide>));
        most_tiles = (std::max)(tiles, wide_tiles);
      }
      const std::int64_t with_values = std::is_same_v<Value, no_value> ? 0 : items;
      counters = layout.add<std::uint64_t>(segment_lists::of_blocks + 2);
      tickets = layout.add<std::uint32_t>(max_passes<Key> * (std::max<std::int64_t>)(portions, 1));
      warps_left = layout.add<std::uint32_t>(
          std::is_same_v<Value, no_value>
              ? 0
              : (std::min)(segments, ceil_div(segments, warp_size) + Classes::warps_of_few_segments));
      // Those of codes are no shorter.
      const std::int64_t shorter_than[] = {shorter, than_small, than_middle, than_wide};
      for (int l = 0; l < segment_lists::of_blocks; ++l) {
        const bool is_there = l < 2 || than_wide > than_middle;
        listed[l] = layout.add<listed_segment>(is_there ? most(shorter_than[l]) : 0);
      }
      large = layout.add<listed_segment>(all_large);
      count = layout.add<std::uint32_t>(of_digits);
      tiles_done = layout.add<std::uint32_t>(all_large);
      segment_of_tile = layout.add<std::uint32_t>(most_tiles);
      first = layout.add<std::uint64_t>(of_digits);
      first_of_portion = layout.add<std::uint64_t>(portions > 1 ? 2 * radix<Key, Value> : 0);
      passes = layout.add<sort_pass>(all_large * max_passes<Key>);
      words = layout.add<std::uint32_t>(most_tiles * radix<Key, Value>);
      keys_a = layout.add<Key>(items);
      keys_b = layout.add<Key>(items);
      values_a = layout.add<Value>(with_values);
      values_b = layout.add<Value>(with_values);
    }
  };

  /// A launch of the call with another one after it, which is on the GPU early, or without.
  static grid before_next(std::int64_t blocks, bool has_next) {
    grid g(blocks);
    g.overlaps_next = has_next;
    return g;
  }

  /// Blocks that go over so many segments or tiles, one after the other.
  template <class Executor>
  static std::int64_t blocks_for(const Executor& ex, std::int64_t all, int threads) {
    const int warps = Classes::warps_per_multiprocessor, warps_of_block = threads / warp_size;
    const std::int64_t most = ex.multiprocessors() * std::int64_t{warps < warps_of_block ? 1 : warps / warps_of_block};
    return all < most ? all : most;
  }

  /// By passes of `Tile`. ByKeys: see keys_tell_order.
  template <class Tile, bool ByKeys, class Executor, class Request, class Key, class Value>
  static status sort_large(Executor& ex, workspace w, const Request& r, const layout_plan<Key, Value>& p,
                           const segment_lists& lists) {
    using digit = decltype(r.digits.at(0, 1));
    using pass = onesweep_pass_kernel<Key, Value, digit, Tile, ByKeys>;
    constexpr int most = max_passes<Key>;
    static_assert(pass::radix == radix<Key, Value> && Tile::lookback_group == 0,
                  "tiles look back over the tiles of a segment, by digits of one width");
    static_assert(decltype(r.digits)::bits <= Tile::radix_bits * most,
                  "an order of segments has at most as many bits as its key");
    // Of no bits, one pass that need not sort, and so copies.
    const bit_range bits = r.bits.end > r.bits.begin ? r.bits : bit_range{0, 1};
    auto digits = make_pass_digits<most>(r.digits, bits, digit_passes(bits, Tile::radix_bits));
    if (r.bits.end == r.bits.begin) new (digits.digit) auto(r.digits.at(0, 0));
    const std::int64_t all_tiles = lists.tile_room;
    const large_segments large{lists.large,
                               lists.large_count,
                               lists.large_room,
                               all_tiles,
                               pass::tile_items,
                               lists.tiles_done,
                               p.layout.at(w, p.segment_of_tile)};
    std::uint64_t* const first = p.layout.at(w, p.first);
    std::uint32_t* const words = p.layout.at(w, p.words);
    sort_pass* const passes = p.layout.at(w, p.passes);
    const sort_input input{sort_array::in, !std::is_same_v<Value, no_value> && r.values_in == nullptr};
    using histogram = segments_histogram_kernel<onesweep_histogram_kernel<Key, digit, most, Tile::radix_bits>, Key,
                                                digit, most, Classes::threads, pass::has_values ? 4 : 8>;
    status s = ex.launch(before_next(blocks_for(ex, all_tiles, histogram::block_threads), true), histogram{}, r.keys_in,
                         digits, large, onesweep_control{nullptr, lists.digit_counts, first, passes}, input, words);
    if (s != status::success) return s;
    const sort_arrays<Key, Value> arrays{r.keys_in, r.keys_out, nullptr, r.values_in, r.values_out, nullptr};
    const segment_spares<Key, Value> spares{p.layout.at(w, p.keys_a), p.layout.at(w, p.keys_b),
                                            p.layout.at(w, p.values_a), p.layout.at(w, p.values_b)};
    std::uint32_t* ticket = p.layout.at(w, p.tickets);
    const auto pass_over = [&](const auto& kernel, std::int64_t tiles, const auto& of_range, int begin, int end,
                               const segment_tile_range& range) {
      s = ex.launch(blocks_for(ex, tiles, Tile::block_threads), kernel, arrays, spares, large, of_range,
                    pass_range{begin, end, digits.count}, range, static_cast<const std::uint64_t*>(first),
                    static_cast<const sort_pass*>(passes), ordered_tile_id{ticket++}, words);
    };
    if constexpr (!ByKeys) {
      const std::int64_t n = bound_of(r.n);
      if (Classes::are_one_launch(n, bound_of(r.segments), digits.count)) {
        pass_over(segments_pass_kernel<pass, Key, Value, digit, most, true>{}, ceil_div(n, pass::tile_items), digits, 0,
                  digits.count, {0, all_tiles, nullptr, nullptr});
        return s;
      }
    }
    constexpr std::int64_t at_once = portion_tiles<pass::tile_items>;
    std::uint64_t* const turns = p.layout.at(w, p.first_of_portion);
    const auto turn = [&](std::int64_t j) { return turns + j % 2 * pass::radix; };
    for (int i = 0; i < digits.count; ++i) {
      const pass_digits<digit, 1> one{{digits.digit[i]}, 1, digits.bits};
      for (std::int64_t j = 0; j * at_once < all_tiles && s == status::success; ++j) {
        const std::int64_t begin = j * at_once, end = (std::min)(begin + at_once, all_tiles);
        pass_over(pass_of<Tile, ByKeys, Key, Value, decltype(r.digits)>{}, end - begin, one, i, i + 1,
                  {begin, end, turn(j), turn(j + 1)});
      }
    }
    return s;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
