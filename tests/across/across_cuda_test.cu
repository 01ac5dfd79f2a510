// The contracts of calls over ranks on two GPUs of one host.
#include "across/cuda_ranks.cuh"
#include "contracts/across_contract.hpp"
#include "contracts/split_across_contract.hpp"
#include "contracts/values_across_contract.hpp"

namespace upsweep::test {
namespace {

constexpr int two = 2;
using by_cuts = sort_across_policy<default_sort_policy, std::int64_t{1} << 62, 0>;
using by_buckets = sort_across_policy<default_sort_policy, 0, 0>;
using by_merge = sort_across_policy<default_sort_policy, std::int64_t{1} << 62, 10000>;
using by_ranges = sort_across_policy<default_sort_policy, std::int64_t{1} << 62, 10000, 100000, 1 << 15>;

template <class Body>
void on_two_gpus(Body body) {
  if (const std::string missing = missing_gpus(two); !missing.empty()) GTEST_SKIP() << missing;
  body();
}
template <class Body>
void for_sizes(std::int64_t n, Body body) {
  on_two_gpus([&] {
    cuda_ranks ranks(two);
    for (const rank_sizes& sizes : sizes_of_ranks(two, n)) {
      SCOPED_TRACE(testing::PrintToString(sizes));
      body(ranks, sizes);
    }
  });
}

TEST(across_on_gpus, scans_in_the_order_of_ranks) {
  for_sizes(300001, [](cuda_ranks& ranks, const rank_sizes& sizes) { expect_scanned_across(ranks, sizes); });
}
TEST(across_on_gpus, sums_in_place_and_out_of_place) {
  for_sizes(1000003, [](cuda_ranks& ranks, const rank_sizes& sizes) { expect_summed_across(ranks, sizes); });
}
TEST(across_on_gpus, selects_and_says_where_a_rank_begins) {
  for_sizes(1000003, [](cuda_ranks& ranks, const rank_sizes& sizes) { expect_selected_across(ranks, sizes); });
}

TEST(across_on_gpus, moves_items_to_their_shares) {
  for_sizes(300001, [](cuda_ranks& ranks, const rank_sizes& sizes) {
    expect_rebalanced_across(ranks, sizes, balanced(sum_of(sizes), two));
  });
}

TEST(across_on_gpus, splits_into_buckets_of_ranks) {
  for_sizes(100003, [](cuda_ranks& ranks, const rank_sizes& sizes) {
    expect_split_across(ranks, sizes, 5, "uniform");
    expect_split_across(ranks, sizes, 256, "last bucket", 100);
  });
}

template <class Policy, class Key>
void sorts(bool reaches_peers, const std::vector<const char*>& distributions) {
  on_two_gpus([&] {
    cuda_ranks ranks(two, reaches_peers);
    for (const char* distribution : distributions) {
      for (const rank_sizes& sizes : {rank_sizes{300000, 300001}, {0, 500009}, {400000, 17}}) {
        SCOPED_TRACE(distribution);
        const std::int64_t total = sum_of(sizes);
        const auto keys = random_keys<Key>(static_cast<std::size_t>(total), distribution);
        for (const rank_sizes& takes : {balanced(total, two), rank_sizes{total - 1000, 1000}}) {
          expect_sorted_across<Policy>(ranks, keys, sizes, takes, sort_order::ascending);
        }
      }
    }
  });
}
const std::vector<const char*> all_distributions{"uniform", "constant", "few_values", "low_16_bits", "runs"};

TEST(across_on_gpus, sorts_by_cuts) {
  sorts<by_cuts, std::uint32_t>(true, all_distributions);
}
TEST(across_on_gpus, sorts_by_buckets) {
  sorts<by_buckets, std::uint32_t>(true, all_distributions);
}
TEST(across_on_gpus, sorts_by_merge) {
  sorts<by_merge, std::uint32_t>(true, all_distributions);
}
TEST(across_on_gpus, sorts_by_ranges) {
  sorts<by_ranges, std::uint32_t>(true, all_distributions);
  sorts<by_ranges, float>(true, {"specials", "uniform"});
  sorts<by_ranges, std::uint64_t>(true, {"uniform"});
}
TEST(across_on_gpus, sorts_by_sending) {
  sorts<by_cuts, std::uint32_t>(false, all_distributions);
}
TEST(across_on_gpus, sorts_floats_and_64_bits) {
  sorts<by_buckets, float>(true, {"specials"});
  sorts<by_buckets, std::uint64_t>(true, {"uniform"});
}

TEST(across_on_gpus, sorts_with_values) {
  for_sizes(100003, [](cuda_ranks& ranks, const rank_sizes& sizes) {
    const auto keys = keys_across<std::uint32_t>(sum_of(sizes), "zipf");
    expect_sorted_with_eight_across<by_cuts>(ranks, keys, sizes, balanced(sum_of(sizes), two), sort_order::descending);
  });
}

/// Rank 1 fails in every third step of a sort; rank 0 learns of it, in the call, by wait or in the next call.
template <class Policy>
void failures_reach_every_rank(int steps) {
  on_two_gpus([=] {
    constexpr std::int64_t n = 100000;
    for (int step = 1; step <= steps; step += 3) {
      cuda_ranks ranks(two, true, 1, step);
      arrays_of_ranks<std::uint32_t, cuda_ranks> in(ranks), out(ranks);
      arrays_of_ranks<unsigned char, cuda_ranks> work(ranks);
      std::vector<status> answers(two);
      ranks.run([&](int rank, nccl_communicator& comm) {
        const auto stream = ranks.device(rank).stream();
        const std::uint32_t* const from = in.make(rank, random_items<std::uint32_t>(n)).data();
        std::uint32_t* const to = out.make(rank, std::size_t{n}).data();
        const std::size_t bytes = sort_keys_across_workspace_bytes<Policy>(comm, from, to, n, n);
        const workspace w{work.make(rank, bytes).data(), bytes};
        auto s = static_cast<status>(sort_keys_across<Policy>(w, comm, from, to, n, n, sort_order::ascending, stream));
        if (s == status::success) s = comm.wait(stream, long_enough);
        std::vector<int> all;
        if (s == status::success) s = comm.meet(rank, all);
        answers[static_cast<std::size_t>(rank)] = s;
      });
      EXPECT_EQ(answers, std::vector<status>(two, status::memory_allocation)) << "step " << step;
    }
  });
}

TEST(across_on_gpus, failures_reach_every_rank) {
  failures_reach_every_rank<by_cuts>(18);
  failures_reach_every_rank<by_merge>(10);
  failures_reach_every_rank<by_ranges>(20);
}

/// A communicator that joins again is a rank of the new group, and gives back what it had.
TEST(across_on_gpus, joins_again) {
  on_two_gpus([] {
    rank_group first(two), second(two);
    std::vector<std::unique_ptr<nccl_communicator>> comms;
    for (int r = 0; r < two; ++r) comms.push_back(std::make_unique<nccl_communicator>());
    std::size_t left[2][two] = {};
    for (int turn = 0; turn < 3; ++turn) {
      rank_group& group = turn == 1 ? second : first;
      run_ranks(group, [&](int rank) {
        ASSERT_EQ(cudaSetDevice(rank), cudaSuccess);
        ASSERT_EQ(comms[static_cast<std::size_t>(rank)]->join(group, rank), status::success);
        std::size_t total = 0;
        if (turn > 0) ASSERT_EQ(cudaMemGetInfo(&left[turn - 1][rank], &total), cudaSuccess);
      });
    }
    for (int rank = 0; rank < two; ++rank) EXPECT_LE(left[0][rank], left[1][rank] + (std::size_t{8} << 20));
  });
}

/// Memory that was shared and freed must not be taken for what has its place since.
TEST(across_memory, tells_allocations_apart) {
  if (const std::string missing = missing_gpus(1); !missing.empty()) GTEST_SKIP() << missing;
  constexpr std::size_t bytes = 64 << 20;
  char* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  const std::uint64_t first = detail::allocation_of(memory);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(detail::allocation_of(memory + bytes - 1), first);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_NE(detail::allocation_of(memory), first);
  ASSERT_EQ(cudaMalloc(&memory, bytes), cudaSuccess);
  EXPECT_NE(detail::allocation_of(memory), first);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

/// A rank that does not come: the other one waits as long as it says.
TEST(across_on_gpus, waits_no_longer_than_it_should) {
  on_two_gpus([] {
    cuda_ranks ranks(two);
    ranks.run([&](int rank, nccl_communicator& comm) {
      if (rank == 1) return;
      const auto stream = ranks.device(rank).stream();
      guarded_array<std::uint64_t, cudaStream_t> mine(ranks.device(rank), std::size_t{1}), all(ranks.device(rank), 2);
      EXPECT_EQ(comm.all_gather(mine.data(), all.data(), 8, stream), status::success);
      EXPECT_EQ(comm.wait(stream, std::chrono::milliseconds(300)), status::launch_timeout);
    });
  });
}

}  // namespace
}  // namespace upsweep::test
