// A sort over two ranks that reach each other's memory: each sorts its own keys, and then merges its part of the whole
// from both of the sorted runs. Where the parts meet, and the pieces that they are merged by, is found by merge path,
// exactly and by some thirty reads; so keys cross from GPU to GPU once, no counts are taken, and no distribution is
// better or worse than another. What comes from the other rank is copied piece by piece, by the copy engine, while the
// previous piece is merged. Stable, since of equal keys those of the first rank come first.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/partition_point.cuh"
#include "upsweep/simt/communicator.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/merge_path.cuh"
#include "upsweep/sort/device/pull_items.hpp"
#include "upsweep/sort/key_order.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Part of a sorted whole, from place `begin` on, in pieces of about the same size.
struct merged_pieces {
  static constexpr int most = 16;

  std::int64_t begin, items;
  int count;

  /// Pieces of `least` items or more, if there are so many.
  static merged_pieces of(std::int64_t begin, std::int64_t end, std::int64_t least) {
    const std::int64_t items = end - begin;
    return {begin, items, static_cast<int>(std::clamp<std::int64_t>(items / least, 1, most))};
  }
  /// Where piece p begins, for p = count where the last one ends.
  UPSWEEP_HOST_DEVICE std::int64_t place(int p) const { return begin + items / count * p + items % count * p / count; }
};

/// of_first[p] = how many of the items before piece p are of the first run. A block for each piece, and one for the end
/// of the last.
struct find_pieces_kernel {
  static constexpr int block_threads = warp_size;
  struct temp_storage {};

  template <class Ctx, class Keys, class Less>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, Keys runs, merged_pieces pieces, std::int64_t* of_first,
                                 Less less) const {
    const int p = static_cast<int>(block.block_index());
    const std::int64_t found = runs.split(runs.count_a, runs.count_b, pieces.place(p), less,
                                          [&](std::int64_t low, std::int64_t high, const auto& is_before) {
                                            return partition_point_by_warp(block, low, high, is_before);
                                          });
    if (block.lane() == 0) of_first[p] = found;
  }
};

/// What a rank has for such a sort in its workspace: the run, before what sorting and merging take in turns.
template <class Local, class Key, class Value>
struct merge_across_plan {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  using merge = merge_path<>;

  workspace_layout layout;
  workspace_layout::slot<std::int64_t> of_first;
  workspace_layout::slot<std::uint64_t> met;
  workspace_layout::slot<Key> keys;
  workspace_layout::slot<Value> values;
  workspace_layout merging;  // of the rest
  workspace_layout::slot<Key> keys_came;
  workspace_layout::slot<Value> values_came;
  std::size_t bytes;

  static merge_across_plan of(std::int64_t n, std::int64_t n_out) {
    const auto has = static_cast<std::size_t>(n), gets = static_cast<std::size_t>(n_out);
    merge_across_plan p{};
    p.of_first = p.layout.template add<std::int64_t>(merged_pieces::most + 1);
    p.met = p.layout.template add<std::uint64_t>(3);
    p.keys = p.layout.template add<Key>(has);
    p.values = p.layout.template add<Value>(has_values ? has : 0);
    p.keys_came = p.merging.template add<Key>(gets);
    p.values_came = p.merging.template add<Value>(has_values ? gets : 0);
    const std::size_t sorts = n == 0 ? 0 : sort_workspace_of<Key, Value>(Local{}, n, false);
    p.bytes = p.layout.bytes() + (std::max)(sorts, p.merging.bytes() + merge::template workspace_bytes<Key>(n_out));
    return p;
  }
};

/// A sorted run, and how many items it has.
template <class Key, class Value>
struct sorted_run {
  const Key* keys;
  const Value* values;
  std::int64_t n;

  sorted_run from(std::int64_t begin, std::int64_t count) const {
    return {keys + begin, values == nullptr ? nullptr : values + begin, count};
  }
};

/// One rank's merge of its part of both runs, once these are sorted: at least one item.
template <class Plan, class Communicator, class Key, class Value, class Digits>
struct merge_of_rank {
  Communicator& comm;
  const Plan& plan;
  workspace w;
  sorted_run<Key, Value> runs[2];  ///< of the first rank and of the second
  merged_pieces pieces;
  Key* keys_out;
  Value* values_out;
  const Digits& digits;
  typename Communicator::stream_type stream;

  decltype(executor_of(stream)) ex = executor_of(stream);

  status run() {
    std::int64_t of_first[merged_pieces::most + 1];
    status s = find_pieces(of_first);
    const int other = 1 - comm.rank();
    const sorted_run<Key, Value> came{at(plan.keys_came), Plan::has_values ? at(plan.values_came) : nullptr, 0};
    std::int64_t came_items = 0;
    for (int p = 0; p < pieces.count && s == status::success; ++p) {
      sorted_run<Key, Value> of[2];
      for (int r = 0; r < 2; ++r) {
        const auto begin = [&](int q) { return r == 0 ? of_first[q] : pieces.place(q) - of_first[q]; };
        of[r] = runs[r].from(begin(p), begin(p + 1) - begin(p));
      }
      const std::int64_t count = of[other].n;
      s = comm.checked(pull_items(comm, {at(plan.keys_came), at(plan.values_came)}, came_items,
                                  items_at<const Key, const Value>{of[other].keys, of[other].values}, 0, count,
                                  stream));
      of[other] = came.from(came_items, count);
      came_items += count;
      if (s == status::success) s = comm.checked(merge_piece(of, pieces.place(p) - pieces.begin));
    }
    return s;
  }

 private:
  workspace rest() const { return plan.layout.rest(w); }
  template <class T>
  T* at(workspace_layout::slot<T> slot) const {
    return plan.merging.at(rest(), slot);
  }

  /// The host waits for them: a copy takes its size from there.
  status find_pieces(std::int64_t* of_first) {
    std::int64_t* const found = plan.layout.at(w, plan.of_first);
    const sorted_pair<Key, const Key*, const Key*, std::int64_t, std::int64_t> whole{runs[0].keys, runs[1].keys,
                                                                                     runs[0].n, runs[1].n};
    const int places = pieces.count + 1;
    status s = comm.checked(ex.launch(places, find_pieces_kernel{}, whole, pieces, found, in_front_of<Key>(digits)));
    if (s != status::success) return s;
    return copy_to_host(comm, ex, of_first, found, static_cast<std::size_t>(places) * sizeof(std::int64_t), stream);
  }

  status merge_piece(const sorted_run<Key, Value> (&of)[2], std::int64_t at) {
    const std::int64_t n = of[0].n + of[1].n;
    if (n == 0) return status::success;
    const sorted_pair<Key, const Key*, const Key*, std::int64_t, std::int64_t> keys{of[0].keys, of[1].keys, of[0].n,
                                                                                    of[1].n};
    const auto less = in_front_of<Key>(digits);
    const workspace splits = plan.merging.rest(rest());
    using merge = typename Plan::merge;
    if constexpr (Plan::has_values) {
      const merged_values<Value, const Value*, const Value*, Value*> values{of[0].values, of[1].values,
                                                                            values_out + at};
      return merge::run(ex, splits, keys, keys_out + at, values, n, less);
    } else {
      return merge::run(ex, splits, keys, keys_out + at, no_merged_values{}, n, less);
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
