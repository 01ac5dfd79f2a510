// What calls over several ranks promise: the result of one call over the concatenation of what the ranks have.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "contracts/sort_contract.hpp"
#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "upsweep/compact/across_gpus.cuh"
#include "upsweep/scan/across_gpus.cuh"
#include "upsweep/sort/across_gpus.cuh"

namespace upsweep::test {

using rank_sizes = std::vector<std::int64_t>;

/// How many items ranks may have: even and uneven, none on some, all on one, none at all.
inline std::vector<rank_sizes> sizes_of_ranks(int ranks, std::int64_t n) {
  const auto k = static_cast<std::size_t>(ranks);
  std::vector<rank_sizes> all{rank_sizes(k, n), rank_sizes(k, 0), rank_sizes(k, 0), rank_sizes(k, 1)};
  all[1][k - 1] = n;
  all.emplace_back(k, 0);  // nothing at all
  for (std::size_t r = 0; r < k; ++r) all[2][r] = r % 2 == 0 ? n / 3 + static_cast<std::int64_t>(r) * 7 : 0;
  return all;
}

/// About n items for each of two in three ranks, none for the others.
inline rank_sizes some_without(int ranks, std::int64_t n) {
  rank_sizes sizes;
  for (int r = 0; r < ranks; ++r) sizes.push_back(r % 3 == 1 ? 0 : n + r * 17);
  return sizes;
}

inline std::int64_t sum_of(const rank_sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}
inline rank_sizes balanced(std::int64_t total, int ranks) {
  rank_sizes sizes;
  for (int r = 0; r < ranks; ++r) sizes.push_back(balanced_share(total, r, ranks));
  return sizes;
}

/// random_keys, and those of a zipf distribution, where a key is the rarer the larger it is.
template <class Key>
std::vector<Key> keys_across(std::int64_t n, const std::string& distribution) {
  auto keys = random_keys<Key>(static_cast<std::size_t>(n), distribution);
  if constexpr (std::is_unsigned_v<Key>) {
    random_source random(static_cast<std::uint64_t>(n) + 1);
    for (Key& key : keys) {
      if (distribution == "zipf") key = static_cast<Key>(key >> random.below(8 * sizeof(Key)));
    }
  }
  return keys;
}

/// The items of one rank, of all.
template <class T>
std::vector<T> part_of(const std::vector<T>& all, const rank_sizes& sizes, int rank) {
  const auto begin = all.begin() + std::accumulate(sizes.begin(), sizes.begin() + rank, std::int64_t{0});
  return {begin, begin + sizes[static_cast<std::size_t>(rank)]};
}

/// Arrays of every rank that live longer than its thread: peers may write there until all have returned.
template <class T, class Ranks>
class arrays_of_ranks {
 public:
  using array = guarded_array<T, typename Ranks::stream_type>;
  explicit arrays_of_ranks(Ranks& ranks) : ranks_(ranks), of_(static_cast<std::size_t>(ranks.ranks())) {}

  template <class Content>
  array& make(int rank, const Content& content) {
    auto& mine = of_[static_cast<std::size_t>(rank)];
    mine = std::make_unique<array>(ranks_.device(rank), content);
    return *mine;
  }
  array& operator[](int rank) { return *of_[static_cast<std::size_t>(rank)]; }

 private:
  Ranks& ranks_;
  std::vector<std::unique_ptr<array>> of_;
};

constexpr std::chrono::milliseconds long_enough = std::chrono::seconds(60);

template <class Ranks>
void expect_scanned_across(Ranks& ranks, const rank_sizes& sizes) {
  const auto items = random_items<affine>(static_cast<std::size_t>(sum_of(sizes)), 3);
  const affine init{3, 5};
  std::vector<affine> exclusive, inclusive;
  affine sum = init, plain{};
  for (std::size_t i = 0; i < items.size(); ++i) {
    exclusive.push_back(sum);
    sum = compose{}(sum, items[i]);
    plain = i == 0 ? items[i] : compose{}(plain, items[i]);
    inclusive.push_back(plain);
  }
  arrays_of_ranks<affine, Ranks> in(ranks), first(ranks), second(ranks);
  arrays_of_ranks<unsigned char, Ranks> work(ranks);
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)];
    const affine* const from = in.make(rank, part_of(items, sizes, rank)).data();
    affine* const to = first.make(rank, static_cast<std::size_t>(n)).data();
    affine* const second_to = second.make(rank, static_cast<std::size_t>(n)).data();
    const std::size_t bytes = exclusive_scan_across_workspace_bytes(comm, from, to, n, compose{}, init);
    EXPECT_GE(bytes, inclusive_scan_across_workspace_bytes(comm, from, to, n, compose{}));
    const workspace w{work.make(rank, bytes).data(), bytes};
    EXPECT_EQ(static_cast<status>(exclusive_scan_across(w, comm, from, to, n, compose{}, init, stream)),
              status::success);
    EXPECT_EQ(static_cast<status>(inclusive_scan_across(w, comm, from, second_to, n, compose{}, stream)),
              status::success);
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
  });
  for (int r = 0; r < ranks.ranks(); ++r) {
    EXPECT_TRUE(same_items(first[r].items(), part_of(exclusive, sizes, r))) << "exclusive, rank " << r;
    EXPECT_TRUE(same_items(second[r].items(), part_of(inclusive, sizes, r))) << "inclusive, rank " << r;
    work[r].expect_guards();
  }
}

/// In place, and in a wider type than the items'.
template <class Ranks>
void expect_summed_across(Ranks& ranks, const rank_sizes& sizes) {
  const auto items = random_items<std::uint64_t>(static_cast<std::size_t>(sum_of(sizes)), 4);
  std::vector<std::uint64_t> before, after;
  std::uint64_t sum = 0;
  for (const std::uint64_t item : items) {
    before.push_back(sum);
    after.push_back(sum += item);
  }
  arrays_of_ranks<std::uint64_t, Ranks> in(ranks), out(ranks);
  arrays_of_ranks<unsigned char, Ranks> work(ranks);
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)];
    std::uint64_t* const at = in.make(rank, part_of(items, sizes, rank)).data();
    std::uint64_t* const to = out.make(rank, static_cast<std::size_t>(n)).data();
    const std::size_t bytes = exclusive_sum_across_workspace_bytes(comm, at, at, n);
    const workspace w{work.make(rank, bytes).data(), bytes};
    EXPECT_EQ(static_cast<status>(inclusive_sum_across(w, comm, at, to, n, stream)), status::success);
    EXPECT_EQ(static_cast<status>(exclusive_sum_across(w, comm, at, at, n, stream)), status::success);
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
  });
  for (int r = 0; r < ranks.ranks(); ++r) {
    EXPECT_TRUE(same_items(in[r].items(), part_of(before, sizes, r))) << "in place, rank " << r;
    EXPECT_TRUE(same_items(out[r].items(), part_of(after, sizes, r))) << "inclusive, rank " << r;
  }
}

/// The bits of a scan of floats by the policy `reproducible`, of all ranks one after the other.
template <class Ranks>
std::vector<std::uint32_t> reproducible_sums_across(Ranks& ranks, const rank_sizes& sizes) {
  const auto numbers = random_items<std::uint32_t>(static_cast<std::size_t>(sum_of(sizes)), 7);
  std::vector<float> items;
  for (const std::uint32_t number : numbers) items.push_back(static_cast<float>(number) * 1e-3f);
  arrays_of_ranks<float, Ranks> in(ranks), out(ranks);
  arrays_of_ranks<unsigned char, Ranks> work(ranks);
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)];
    const float* const from = in.make(rank, part_of(items, sizes, rank)).data();
    float* const to = out.make(rank, static_cast<std::size_t>(n)).data();
    const std::size_t bytes = exclusive_sum_across_workspace_bytes<reproducible>(comm, from, to, n);
    const workspace w{work.make(rank, bytes).data(), bytes};
    EXPECT_EQ(static_cast<status>(exclusive_sum_across<reproducible>(w, comm, from, to, n, stream)), status::success);
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
  });
  std::vector<std::uint32_t> bits;
  for (int r = 0; r < ranks.ranks(); ++r) {
    for (const float sum : out[r].items()) bits.push_back(__builtin_bit_cast(std::uint32_t, sum));
  }
  return bits;
}

struct has_low_bits {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 8 < 3; }
};

template <class Ranks>
void expect_selected_across(Ranks& ranks, const rank_sizes& sizes) {
  const auto items = random_items<std::uint32_t>(static_cast<std::size_t>(sum_of(sizes)), 5);
  arrays_of_ranks<std::uint32_t, Ranks> in(ranks), out(ranks), parted(ranks), rejected(ranks);
  arrays_of_ranks<std::uint64_t, Ranks> results(ranks), again(ranks);
  arrays_of_ranks<unsigned char, Ranks> work(ranks);
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)];
    const auto items_of_rank = static_cast<std::size_t>(n);
    const std::uint32_t* const from = in.make(rank, part_of(items, sizes, rank)).data();
    std::uint32_t* const to = out.make(rank, items_of_rank).data();
    std::uint32_t* const kept = parted.make(rank, items_of_rank).data();
    std::uint32_t* const others = rejected.make(rank, items_of_rank).data();
    const auto told_to = [&](auto& arrays) {
      std::uint64_t* const at = arrays.make(rank, std::size_t{3}).data();
      return across_results<std::uint64_t>{at, at + 1, at + 2};
    };
    const auto where = told_to(results), where_again = told_to(again);
    const std::size_t bytes =
        std::max(select_if_across_workspace_bytes(comm, from, to, where, n, has_low_bits{}),
                 partition_if_across_workspace_bytes(comm, from, kept, others, where_again, n, has_low_bits{}));
    const workspace w{work.make(rank, bytes).data(), bytes};
    EXPECT_EQ(static_cast<status>(select_if_across(w, comm, from, to, where, n, has_low_bits{}, stream)),
              status::success);
    EXPECT_EQ(
        static_cast<status>(partition_if_across(w, comm, from, kept, others, where_again, n, has_low_bits{}, stream)),
        status::success);
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
  });
  const auto total = static_cast<std::uint64_t>(std::count_if(items.begin(), items.end(), has_low_bits{}));
  std::uint64_t start = 0;
  for (int r = 0; r < ranks.ranks(); ++r) {
    std::vector<std::uint32_t> kept, others;
    for (const std::uint32_t item : part_of(items, sizes, r)) (has_low_bits{}(item) ? kept : others).push_back(item);
    const std::vector<std::uint64_t> told{kept.size(), start, total};
    EXPECT_EQ(results[r].items(), told) << "rank " << r;
    EXPECT_EQ(again[r].items(), told) << "partition, rank " << r;
    const auto begins_with = [r](auto& array, const std::vector<std::uint32_t>& expected) {
      std::vector<std::uint32_t> got = array[r].items();
      got.resize(expected.size());
      EXPECT_TRUE(same_items(got, expected)) << "rank " << r;
    };
    begins_with(out, kept);
    begins_with(parted, kept);
    begins_with(rejected, others);
    start += kept.size();
  }
}

/// From parts of any size to parts of any size.
template <class Ranks>
void expect_rebalanced_across(Ranks& ranks, const rank_sizes& sizes, const rank_sizes& takes) {
  const auto items = random_items<std::uint64_t>(static_cast<std::size_t>(sum_of(sizes)), 6);
  arrays_of_ranks<std::uint64_t, Ranks> in(ranks), out(ranks);
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)], n_out = takes[static_cast<std::size_t>(rank)];
    const std::uint64_t* const from = in.make(rank, part_of(items, sizes, rank)).data();
    std::uint64_t* const to = out.make(rank, static_cast<std::size_t>(n_out)).data();
    EXPECT_EQ(static_cast<status>(rebalance_across(comm, from, to, n, n_out + 1, stream)), status::invalid_value);
    EXPECT_EQ(static_cast<status>(rebalance_across(comm, from, to, n, n_out, stream)), status::success);
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
  });
  for (int r = 0; r < ranks.ranks(); ++r) {
    EXPECT_TRUE(same_items(out[r].items(), part_of(items, takes, r))) << "rank " << r;
    in[r].expect_unchanged();
  }
}

/// Sorts keys alone, then with their places among all as values.
template <class Policy, class Key, class Ranks>
void expect_sorted_across(Ranks& ranks, const std::vector<Key>& keys, const rank_sizes& sizes, const rank_sizes& takes,
                          sort_order order) {
  const auto places = sorted_places(keys, order, key_less<Key>);
  std::vector<Key> expected;
  for (const std::uint32_t p : places) expected.push_back(keys[p]);
  std::vector<std::uint32_t> numbers(keys.size());
  std::iota(numbers.begin(), numbers.end(), 0u);

  arrays_of_ranks<Key, Ranks> in(ranks), alone(ranks), out(ranks);
  arrays_of_ranks<std::uint32_t, Ranks> values_in(ranks), values_out(ranks);
  arrays_of_ranks<unsigned char, Ranks> work(ranks);
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)], n_out = takes[static_cast<std::size_t>(rank)];
    const auto size_out = static_cast<std::size_t>(n_out);
    const Key* const from = in.make(rank, part_of(keys, sizes, rank)).data();
    const std::uint32_t* const values = values_in.make(rank, part_of(numbers, sizes, rank)).data();
    Key *const alone_to = alone.make(rank, size_out).data(), *const to = out.make(rank, size_out).data();
    std::uint32_t* const values_to = values_out.make(rank, size_out).data();
    const std::size_t for_keys = sort_keys_across_workspace_bytes<Policy>(comm, from, alone_to, n, n_out, order);
    const std::size_t bytes =
        sort_pairs_across_workspace_bytes<Policy>(comm, from, to, values, values_to, n, n_out, order);
    EXPECT_LE(for_keys, bytes);
    const workspace w{work.make(rank, bytes).data(), bytes};
    if (comm.must_share()) {
      EXPECT_EQ(bytes % (64 << 10), 0u) << "other processes would open it in small pages";
      EXPECT_FALSE(comm.is_shared(w));
      EXPECT_EQ(comm.share(w), status::success);
      EXPECT_TRUE(comm.is_shared(w));
    }
    EXPECT_EQ(static_cast<status>(sort_keys_across<Policy>(w, comm, from, alone_to, n, n_out, order, stream)),
              status::success)
        << ranks.device(rank).message();
    EXPECT_EQ(
        static_cast<status>(sort_pairs_across<Policy>(w, comm, from, to, values, values_to, n, n_out, order, stream)),
        status::success)
        << ranks.device(rank).message();
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
    // It is the rank's own again, whatever the others still do.
    work[rank].set(std::vector<unsigned char>(bytes, 0xa5));
  });
  for (int r = 0; r < ranks.ranks(); ++r) {
    const auto part = as_bits(part_of(expected, takes, r));
    EXPECT_TRUE(same_items(as_bits(alone[r].items()), part)) << "keys alone, rank " << r;
    EXPECT_TRUE(same_items(as_bits(out[r].items()), part)) << "keys, rank " << r;
    EXPECT_TRUE(same_items(values_out[r].items(), part_of(places, takes, r))) << "values, rank " << r;
    in[r].expect_unchanged();
    work[r].expect_guards();
  }
}

}  // namespace upsweep::test
