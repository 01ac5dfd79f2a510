// What a split over several ranks promises.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "contracts/across_contract.hpp"
#include "upsweep/compact/split_across_gpus.cuh"

namespace upsweep::test {

/// An item that tells where it was, so that a wrong order is seen among equal buckets.
struct placed_item {
  std::uint32_t bucket, place;
  friend bool operator==(const placed_item&, const placed_item&) = default;
};

/// Items of 7 in 8 have one of `buckets`.
struct bucket_of_item {
  UPSWEEP_HOST_DEVICE int operator()(const placed_item& item) const { return static_cast<int>(item.bucket); }
};

inline std::vector<placed_item> placed_items(std::int64_t n, int buckets, const char* distribution) {
  const auto numbers = random_items<std::uint32_t>(static_cast<std::size_t>(n), 8);
  std::vector<placed_item> items;
  for (const std::uint32_t number : numbers) {
    const auto most = static_cast<std::uint32_t>(buckets);
    const std::uint32_t bucket = distribution == std::string("last bucket") ? most - 1 : number % (most + most / 8 + 1);
    items.push_back({bucket, static_cast<std::uint32_t>(items.size())});
  }
  return items;
}

/// Into so many buckets; a rank has room for what comes, and for `spare` items more.
template <class Ranks>
void expect_split_across(Ranks& ranks, const rank_sizes& sizes, int buckets, const char* distribution,
                         std::int64_t spare = 0) {
  const auto items = placed_items(sum_of(sizes), buckets, distribution);
  const int k = ranks.ranks();
  std::vector<std::vector<placed_item>> expected(static_cast<std::size_t>(k));
  std::vector<std::vector<std::int64_t>> begins;
  for (int r = 0; r < k; ++r) {
    auto& mine = expected[static_cast<std::size_t>(r)];
    auto& begin = begins.emplace_back(1, 0);
    for (int b = 0; b < buckets; ++b) {
      const bool is_here = first_bucket_of_rank(buckets, r, k) <= b && b < first_bucket_of_rank(buckets, r + 1, k);
      for (const placed_item& item : items) {
        if (is_here && static_cast<int>(item.bucket) == b) mine.push_back(item);
      }
      begin.push_back(static_cast<std::int64_t>(mine.size()));
    }
  }
  arrays_of_ranks<placed_item, Ranks> in(ranks), out(ranks);
  arrays_of_ranks<std::int64_t, Ranks> offsets(ranks);
  arrays_of_ranks<unsigned char, Ranks> work(ranks);
  std::vector<status> answers(static_cast<std::size_t>(k));
  ranks.run([&](int rank, auto& comm) {
    const auto stream = ranks.device(rank).stream();
    const std::int64_t n = sizes[static_cast<std::size_t>(rank)];
    const auto comes = static_cast<std::int64_t>(expected[static_cast<std::size_t>(rank)].size());
    const std::int64_t room = std::max<std::int64_t>(comes + spare, 0);
    const placed_item* const from = in.make(rank, part_of(items, sizes, rank)).data();
    placed_item* const to = out.make(rank, static_cast<std::size_t>(room)).data();
    std::int64_t* const at = offsets.make(rank, static_cast<std::size_t>(buckets) + 1).data();
    const std::size_t bytes = split_across_workspace_bytes(comm, from, to, at, n, room, buckets, bucket_of_item{});
    unsigned char* const memory = work.make(rank, bytes).data();
    const workspace w = bytes == 0 ? workspace{} : workspace{memory, bytes};  // of nothing to do, none is needed
    const auto split_into = [&](int count) {
      return static_cast<status>(split_across(w, comm, from, to, at, n, room, count, bucket_of_item{}, stream));
    };
    // Refused on one rank, refused on all.
    EXPECT_EQ(split_into(rank == k - 1 ? 0 : buckets), status::invalid_value);
    if (k > 1 && buckets > 1) {
      EXPECT_EQ(split_into(rank == 0 ? buckets - 1 : buckets), status::invalid_value);
    }
    answers[static_cast<std::size_t>(rank)] = split_into(buckets);
    EXPECT_EQ(comm.wait(stream, long_enough), status::success);
  });
  const bool has_room = spare >= 0 || items.empty();
  EXPECT_EQ(answers, std::vector<status>(answers.size(), has_room ? status::success : status::invalid_value));
  for (int r = 0; r < k; ++r) {
    in[r].expect_unchanged();
    work[r].expect_guards();
    if (!has_room) {
      out[r].expect_unchanged();
      continue;
    }
    auto got = out[r].items();
    got.resize(expected[static_cast<std::size_t>(r)].size());
    EXPECT_TRUE(same_items(got, expected[static_cast<std::size_t>(r)])) << "rank " << r;
    EXPECT_EQ(offsets[r].items(), begins[static_cast<std::size_t>(r)]) << "rank " << r;
  }
}

}  // namespace upsweep::test
