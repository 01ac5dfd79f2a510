// A sort over two ranks that reach each other's memory, by ranges of codes: a sample says where the sorted whole is
// cut, each rank splits its keys in one trip that counts all digits, too (range_split.cuh), and sorts the ranges that
// it takes one after the other, while those after come from the other rank by the copy engine. So keys cross from GPU
// to GPU beside the passes, and there is one trip more than one GPU has.
//
// A sample does not tell exactly where the ranks' parts meet: the range around that place is sorted on both ranks, and
// each takes its part of it. Stable, since equal codes are in one range, there those of rank 0 come first, and split
// and sort are stable. Where the sample does not fit the keys (many are equal, or it was chance), the ranks find that
// by the same numbers, and merge (merge_across.cuh).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/exchange_across.cuh"
#include "upsweep/sort/device/pull_items.hpp"
#include "upsweep/sort/device/range_cuts.cuh"
#include "upsweep/sort/device/range_split.cuh"
#include "upsweep/sort/device/ranges_across_plan.hpp"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a rank has for such a sort in its workspace.
template <class Local, std::int64_t SampleItems, class Key, class Value>
struct ranges_across_plan {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using Code = typename key_codec<Key>::code;
  /// Of codes of more bits, the sorts count the digits themselves: they are less of the time there.
  static constexpr int passes = key_codec<Key>::bits <= 32 ? key_codec<Key>::bits / 8 : 0;
  static constexpr int digits = passes * 256;
  static constexpr std::int64_t samples = SampleItems;
  static constexpr std::size_t width = has_values ? (std::max)(sizeof(Key), sizeof(Value)) : sizeof(Key);
  /// Keys and values of a tile lie beside each other in shared memory; older GPUs have less of that.
  static constexpr int items_per_thread(bool by_bulk) {
    return (width <= 4 ? 16 : width <= 8 ? 8 : 4) / (by_bulk || !has_values ? 1 : 2);
  }
  static constexpr int tile_items = 512 * items_per_thread(false);
  template <class Digit, bool ByBulk>
  using split = range_split_kernel<Key, Value, Digit, passes, 512, items_per_thread(ByBulk), 2,
                                   !keys_tell_order<Key, Value, Digit> || std::is_floating_point_v<Key>, ByBulk>;
  static constexpr bool moves_by_bulk = 16 % sizeof(Key) == 0 && (!has_values || 16 % sizeof(Value) == 0);
  /// Whether a tile has room in shared memory.
  static constexpr bool fits = width <= 16;
  static constexpr int sums = rank_ranges::count + 1;
  static constexpr std::int64_t counted = sums + std::int64_t{rank_ranges::count} * digits;

  workspace_layout layout;
  // Zero before the split: of each portion and range, how many items are before; after them the digits.
  workspace_layout::slot<std::uint64_t> tables;
  workspace_layout::slot<std::uint32_t> tickets, words;
  workspace_layout::slot<std::uint64_t> counted_of_all, of_range;
  workspace_layout::slot<range_counts> items;
  workspace_layout::slot<sampled_cuts<Code>> cuts;
  workspace_layout::slot<Key> sample, sample_in_order, samples_of_all;
  workspace_layout::slot<Key> keys;
  workspace_layout::slot<Value> values;
  std::int64_t portions;
  std::size_t bytes;

  /// Of split items, where the other rank has about as many: what rooms_of_ranges gives at the most for so many samples
  /// in eleven parts, of which those of the border are there twice.
  static std::int64_t room_of(std::int64_t n, std::int64_t n_out) {
    const std::int64_t stride = (std::max)(n, n_out) / SampleItems + 1;
    return n + n_out + stride * (static_cast<std::int64_t>(27 * std::sqrt(static_cast<double>(SampleItems))) + 128);
  }
  /// Of one range.
  static std::int64_t most_sorted_of(std::int64_t n_out) { return n_out / 4 * 3 + 1024; }

  static ranges_across_plan of(std::int64_t n, std::int64_t n_out) {
    ranges_across_plan p{};
    p.portions = ceil_div(n, range_portion::most_items);
    const auto room = static_cast<std::size_t>(room_of(n, n_out));
    p.tables = p.layout.template add<std::uint64_t>(static_cast<std::size_t>(sums * p.portions + counted));
    p.tickets = p.layout.template add<std::uint32_t>(static_cast<std::size_t>(p.portions));
    p.words = p.layout.template add<std::uint32_t>(
        static_cast<std::size_t>((ceil_div(n, tile_items) + p.portions) * (rank_ranges::count + 1)));
    p.counted_of_all = p.layout.template add<std::uint64_t>(2 * static_cast<std::size_t>(counted));
    p.of_range = p.layout.template add<std::uint64_t>(std::size_t{rank_ranges::own} * digits);
    p.items = p.layout.template add<range_counts>(1);
    p.cuts = p.layout.template add<sampled_cuts<Code>>(1);
    p.sample = p.layout.template add<Key>(SampleItems);
    p.sample_in_order = p.layout.template add<Key>(SampleItems);
    p.samples_of_all = p.layout.template add<Key>(2 * SampleItems);
    p.keys = p.layout.template add<Key>(room);
    p.values = p.layout.template add<Value>(has_values ? room : 0);
    p.bytes = p.layout.bytes() + (std::max)(sort_workspace_of<Key, Value>(Local{}, most_sorted_of(n_out), false),
                                            sort_workspace_of<Key, no_value>(Local{}, SampleItems, false));
    return p;
  }
};

/// How many items a rank has, and how many it gets.
struct items_of_rank {
  std::int64_t n, n_out;
};

/// One rank's sort by ranges.
template <class Plan, class Local, class Communicator, class Key, class Value, class Digits>
struct ranges_of_rank {
  using Code = typename Plan::Code;
  using Digit = decltype(std::declval<const Digits&>().at(0, 1));

  const sort_across_call<Communicator, Key, Value, Digits>& call;
  const Plan& plan;
  items_of_rank sizes[2];
  items_at<const Key, const Value> of_other;  ///< the split ones

  decltype(executor_of(call.stream)) ex = executor_of(call.stream);
  std::int64_t meet = sizes[0].n_out;  // where the parts of the ranks meet
  range_sample sample = range_sample::of(sizes[0].n, sizes[1].n, Plan::samples);
  sampled_cuts<Code> cuts{};
  range_layout layouts[2]{};  // of both ranks
  range_counts items{};
  bool has_sorted = false;

  /// Where has_sorted is false then, the output is as it was, and the keys are to be sorted in another way.
  status run() {
    status s = find_cuts();
    if (s != status::success || !lay_out()) return s;
    s = split_and_count();
    if (s != status::success || !are_as_sampled()) return s;
    has_sorted = true;
    std::int64_t at = rank() == 0 ? 0 : items.before(rank_ranges::own) - meet;
    for (int i = 0; i < rank_ranges::own && s == status::success; ++i) {
      const int range = rank_ranges::taken(rank(), i);
      if (range == rank_ranges::border) {
        s = sort_border();
      } else {
        s = sort_range(range, i, at);
        at += items.items(range);
      }
    }
    return s;
  }

 private:
  int rank() const { return call.comm.rank(); }
  std::int64_t smaller_part() const { return (std::min)(sizes[0].n_out, sizes[1].n_out); }

  /// The host waits for them.
  status find_cuts() {
    Key *const mine = at(plan.sample), *const in_order = at(plan.sample_in_order), *const all = at(plan.samples_of_all);
    const std::int64_t count = sample.of_rank[rank()], most = sample.larger();
    const sample_keys_kernel take;
    status s = call.comm.checked(
        ex.launch(ceil_div(count, take.block_threads), take, call.keys_in, call.n, sample.stride, mine));
    if (s == status::success) {
      s = call.comm.checked(sort_by(Local{}, ex, plan.layout.rest(call.w),
                                    make_sort_request(call.digits, bit_range{}, count, static_cast<const Key*>(mine),
                                                      in_order, no_values_in, no_values_out)));
    }
    const auto bytes = static_cast<std::size_t>(most) * sizeof(Key);
    if (s == status::success) s = call.comm.checked(call.comm.all_gather(in_order, all, bytes, call.stream));
    if (s != status::success) return s;
    s = call.comm.checked(ex.launch(1, cut_samples_kernel{}, static_cast<const Key*>(all), most, sample,
                                    range_cut_places::of(sample, meet), call.digits.at(0, 1), at(plan.cuts)));
    return s == status::success ? copy_to_host(call.comm, ex, &cuts, at(plan.cuts), sizeof cuts, call.stream) : s;
  }

  /// Whether both ranks have room for what the sample says, the parts meet in the border by it, and that is small.
  bool lay_out() {
    const range_counts rooms = rooms_of_ranges(sample, cuts.below);
    const auto below = [&](int cut) { return (cuts.below[0][cut] + cuts.below[1][cut]) * sample.stride; };
    bool fits = 4 * rooms.items(rank_ranges::border) <= smaller_part() && below(rank_ranges::border - 1) <= meet &&
                meet <= below(rank_ranges::border);
    for (int r = 0; r < 2; ++r) {
      layouts[r] = range_layout::of(r, rooms);
      fits = fits && layouts[r].items <= Plan::room_of(sizes[r].n, sizes[r].n_out);
    }
    return fits;
  }

  /// By bulk copies, where the GPU has them.
  status split_all(const code_ranges<Code>& ranges, const range_places& places) {
    if constexpr (Plan::moves_by_bulk) {
      using split = typename Plan::template split<Digit, true>;
      if (ex.template can_run<split, const Key*, const Value*, Digit, code_ranges<Code>, range_places, Key*, Value*,
                              std::uint64_t*, range_portion>()) {
        return split_by<split>(ranges, places);
      }
    }
    return split_by<typename Plan::template split<Digit, false>>(ranges, places);
  }
  template <class Split>
  status split_by(const code_ranges<Code>& ranges, const range_places& places) {
    std::uint64_t *const tables = at(plan.tables), *const last = tables + Plan::sums * plan.portions;
    std::uint32_t *ticket = at(plan.tickets), *words = at(plan.words);
    status s = call.comm.checked(ex.clear(tables, plan.words.end() - plan.tables.offset));
    for (std::int64_t begin = 0, i = 0; begin < call.n && s == status::success;
         begin += range_portion::most_items, ++i) {
      const std::int64_t count = (std::min)(call.n - begin, range_portion::most_items);
      const std::int64_t tiles = ceil_div(count, Split::tile_items);
      const range_portion portion{begin,
                                  count,
                                  ticket + i,
                                  words,
                                  tables + Plan::sums * i,
                                  Split::is_stable ? tables + Plan::sums * (i + 1) : last};
      words += tiles * Plan::sums;
      const std::int64_t blocks = ex.multiprocessors() * Split::blocks_per_multiprocessor;
      s = call.comm.checked(ex.launch((std::min)(tiles, blocks), Split{}, call.keys_in, call.values_in,
                                      call.digits.at(0, 1), ranges, places, at(plan.keys), at(plan.values),
                                      last + Plan::sums, portion));
    }
    return s;
  }

  /// The host waits for the items of the ranges.
  status split_and_count() {
    const range_layout& l = layouts[rank()];
    range_places places{};
    for (int r = 0; r < rank_ranges::count; ++r) {
      places.begin[r] = l.begin[r];
      places.room[r] = l.room[r];
    }
    code_ranges<Code> ranges{};
    std::copy(std::begin(cuts.code), std::end(cuts.code), std::begin(ranges.cut));
    status s = split_all(ranges, places);
    const std::uint64_t* const last = at(plan.tables) + Plan::sums * plan.portions;
    std::uint64_t* const all = at(plan.counted_of_all);
    constexpr std::size_t bytes = sizeof(std::uint64_t) * static_cast<std::size_t>(Plan::counted);
    if (s == status::success) s = call.comm.checked(call.comm.all_gather(last, all, bytes, call.stream));
    if (s != status::success) return s;
    const add_ranges_kernel add;
    const std::int64_t blocks = 1 + rank_ranges::own * Plan::digits / add.block_threads;
    s = call.comm.checked(ex.launch(blocks, add, static_cast<const std::uint64_t*>(all), Plan::digits, rank(),
                                    at(plan.items), at(plan.of_range)));
    return s == status::success ? copy_to_host(call.comm, ex, &items, at(plan.items), sizeof items, call.stream) : s;
  }

  /// Whether on both ranks all items have found room, and the parts meet inside of the border.
  bool are_as_sampled() const {
    bool fits = items.before(rank_ranges::border) <= meet && meet <= items.before(rank_ranges::own);
    for (int r = 0; r < 2; ++r) {
      for (int range = 0; range < rank_ranges::count; ++range) {
        fits = fits && items.of[r][range] <= layouts[r].room[range] &&
               (!rank_ranges::takes(r, range) || items.items(range) <= Plan::most_sorted_of(sizes[r].n_out));
      }
    }
    return fits && 2 * items.items(rank_ranges::border) <= smaller_part();
  }

  /// The other rank's items come beside this rank's, and all are sorted to place `to` of this rank's part.
  status sort_range(int range, int number, std::int64_t to) {
    const int other = 1 - rank();
    const std::int64_t mine = layouts[rank()].begin[range], count = items.of[other][range];
    const std::int64_t there = rank() == 0 ? mine + items.of[0][range] : mine - count;
    const std::int64_t from = rank() == 0 ? mine : there, all = items.items(range);
    const status s = call.comm.checked(pull_items(call.comm, {at(plan.keys), at(plan.values)}, there, of_other,
                                                  layouts[other].begin[range], count, call.stream));
    if (s != status::success || all == 0) return s;
    const auto request = make_sort_request(
        call.digits, bit_range{0, call.digits.bits}, all, static_cast<const Key*>(at(plan.keys)) + from,
        call.keys_out + to, static_cast<const Value*>(Plan::has_values ? at(plan.values) + from : nullptr),
        Plan::has_values ? call.values_out + to : nullptr);
    if constexpr (Plan::passes > 0) {
      const counted_request<std::remove_const_t<decltype(request)>> counted{request,
                                                                            at(plan.of_range) + number * Plan::digits};
      return call.comm.checked(Local{}.run(ex, plan.layout.rest(call.w), counted));
    } else {
      return call.comm.checked(sort_by(Local{}, ex, plan.layout.rest(call.w), request));
    }
  }

  /// Both ranks sort all of it, where other ranges come later; the part that is this rank's goes to its place.
  status sort_border() {
    const std::int64_t all = items.items(rank_ranges::border), in_front = meet - items.before(rank_ranges::border);
    const bool is_first = rank() == 0;
    const std::int64_t sorted = is_first ? 0 : call.n_out - all, count = is_first ? in_front : all - in_front;
    const std::int64_t from = is_first ? sorted : sorted + in_front, to = is_first ? meet - in_front : 0;
    status s = sort_range(rank_ranges::border, 0, sorted);
    if (s == status::success) {
      s = call.comm.checked(
          ex.copy(call.keys_out + to, call.keys_out + from, static_cast<std::size_t>(count) * sizeof(Key)));
    }
    if constexpr (Plan::has_values) {
      if (s == status::success) {
        s = call.comm.checked(
            ex.copy(call.values_out + to, call.values_out + from, static_cast<std::size_t>(count) * sizeof(Value)));
      }
    }
    return s;
  }

  template <class T>
  T* at(workspace_layout::slot<T> slot) const {
    return plan.layout.at(call.w, slot);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
