// The workspace of a sort over ranks that begins with an exchange.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/global_cuts.cuh"
#include "upsweep/sort/device/rank_exchange.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/segmented_sort.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What a rank has in its workspace for a sort that begins with an exchange; see sort_across_policy for Local and
/// BucketsFrom.
template <class Local, std::int64_t BucketsFrom, class Key, class Value>
struct exchange_across_plan {
  static constexpr int digit_bits = 8, most_buckets = 512, least_buckets = 16;
  static constexpr std::int64_t most_in_segments = std::int64_t{1} << 30;

  using Code = typename key_codec<Key>::code;
  static constexpr int code_bits = key_codec<Key>::bits;
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  static constexpr std::size_t first_counts = std::size_t{1} << (std::min)(code_bits, cut_round::first_width);

  workspace_layout layout;
  // Zero before the first kernel that uses them.
  workspace_layout::slot<std::uint64_t> first, later;
  workspace_layout::slot<std::uint32_t> listed, tickets, words;
  workspace_layout::slot<std::uint64_t> first_of_all, later_of_all, below, equal, begins, places;
  workspace_layout::slot<global_cut<Code>> cuts[2];
  workspace_layout::slot<std::int64_t> segments, sent;
  workspace_layout::slot<Code> list;
  workspace_layout::slot<Key> keys_sent, keys_came;
  workspace_layout::slot<Value> values_sent, values_came;
  std::int64_t portions;
  std::size_t bytes;

  /// For any number of buckets, and whichever of the exchange's kernels runs.
  static exchange_across_plan of(int ranks, bool reaches_peers, std::int64_t n, std::int64_t n_out) {
    exchange_across_plan p{};
    const auto k = static_cast<std::size_t>(ranks), cuts = k - 1, buckets = (std::size_t{1} << digit_bits) + 2 * cuts;
    constexpr std::int64_t least_portion = std::int64_t{1} << 29;
    const auto items_sent = static_cast<std::size_t>(reaches_peers ? 0 : n), came = static_cast<std::size_t>(n_out);
    p.portions = ceil_div(n, least_portion) + 1;
    if (ranks > 1) {
      p.first = p.layout.template add<std::uint64_t>(first_counts);
      p.listed = p.layout.template add<std::uint32_t>(4);
      p.tickets = p.layout.template add<std::uint32_t>(static_cast<std::size_t>(p.portions));
      p.words = p.layout.template add<std::uint32_t>(
          (std::max)(words_of<most_buckets>(n, static_cast<int>(buckets), p.portions),
                     words_of<least_buckets>(n, static_cast<int>(1 + 2 * cuts), p.portions)));
      p.later = p.layout.template add<std::uint64_t>(cut_round::most_counts);
      p.first_of_all = p.layout.template add<std::uint64_t>(k * first_counts);
      p.later_of_all = p.layout.template add<std::uint64_t>(k * cut_round::most_counts);
      p.below = p.layout.template add<std::uint64_t>(k * cuts);
      p.equal = p.layout.template add<std::uint64_t>(k * cuts);
      p.begins = p.layout.template add<std::uint64_t>(k * (buckets + 1));
      p.places = p.layout.template add<std::uint64_t>(static_cast<std::size_t>(p.portions + 1) * buckets);
      for (auto& c : p.cuts) c = p.layout.template add<global_cut<Code>>(cuts);
      p.segments = p.layout.template add<std::int64_t>(buckets + 1);
      p.sent = p.layout.template add<std::int64_t>(k);
      p.list = p.layout.template add<Code>(list_capacity(n));
      p.keys_sent = p.layout.template add<Key>(items_sent);
      p.values_sent = p.layout.template add<Value>(has_values ? items_sent : 0);
      p.keys_came = p.layout.template add<Key>(came);
      p.values_came = p.layout.template add<Value>(has_values ? came : 0);
    }
    std::size_t sorts = n_out == 0 ? 0 : sort_workspace_of<Key, Value>(Local{}, n_out, false);
    if (n_out > 0 && n_out <= most_in_segments && n_out >= BucketsFrom && ranks > 1) {
      sorts = (std::max)(sorts, default_segmented_sort_policy::template workspace_bytes<Key, Value>(
                                    n_out, static_cast<std::int64_t>(buckets)));
    }
    p.bytes = p.layout.bytes() + sorts;
    return p;
  }
  /// Of the look-back of an exchange.
  template <int MostBuckets>
  static std::size_t words_of(std::int64_t n, int buckets, std::int64_t portions) {
    constexpr std::int64_t tile = tile_of_buckets<Key, MostBuckets>::tile_items;
    return static_cast<std::size_t>((ceil_div(n, tile) + portions) * buckets);
  }
  static std::size_t list_capacity(std::int64_t n) {
    return static_cast<std::size_t>(std::min<std::int64_t>(n / 16 + 1024, std::int64_t{1} << 30));
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
