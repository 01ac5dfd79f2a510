#include <limits>

#include "across/sim_ranks.hpp"
#include "contracts/split_across_contract.hpp"
#include "support/race_check.hpp"

namespace upsweep::test {
namespace {

using device = test_device<sim_stream>;

TEST(split_across_ranks, puts_each_bucket_on_its_rank_in_the_order_of_ranks) {
  for (const auto& way : device::ways()) {
    for (const int k : race_check ? std::vector{3} : std::vector{1, 2, 3, 4, 8}) {
      for (const rank_sizes& sizes : sizes_of_ranks(k, 400)) {
        SCOPED_TRACE(testing::PrintToString(sizes));
        for (const int buckets : {5, 256}) {
          sim_ranks ranks(k, way.options, false);
          expect_split_across(ranks, sizes, buckets, "uniform", buckets == 5 ? 0 : 10);
        }
      }
    }
  }
}
TEST(split_across_ranks, all_go_to_one_rank) {
  sim_ranks ranks(4, device::ways()[0].options, false);
  expect_split_across(ranks, {300, 0, 1, 500}, 7, "last bucket");
}
TEST(split_across_ranks, says_on_all_ranks_that_one_has_no_room) {
  sim_ranks ranks(3, device::ways()[0].options, false);
  expect_split_across(ranks, {300, 20, 100}, 7, "last bucket", -1);
  expect_split_across(ranks, {300, 20, 100}, 7, "uniform");  // it goes on
}
TEST(split_across_ranks, refuses_on_all_what_no_rank_may_have) {
  for (const std::int64_t size : {std::int64_t{-1}, most_items_of_rank + 1, std::numeric_limits<std::int64_t>::max()}) {
    for (const bool is_room : {false, true}) {
      sim_ranks ranks(2, device::ways()[0].options, false);
      ranks.run([&](int rank, auto& comm) {
        placed_item item{}, to{};
        std::int64_t at[3];
        std::vector<unsigned char> memory(1 << 20);
        const std::int64_t n = rank == 1 && !is_room ? size : 1, room = rank == 1 && is_room ? size : 1;
        const placed_item* const from = &item;
        // A workspace that is large enough by the formula: its size is not what is refused.
        const workspace w{memory.data(), std::numeric_limits<std::size_t>::max()};
        EXPECT_LE(split_across_workspace_bytes(comm, from, &to, at, n, room, 2, bucket_of_item{}),
                  split_across_workspace_bytes(comm, from, &to, at, most_items_of_rank, most_items_of_rank, 2,
                                               bucket_of_item{}));
        EXPECT_EQ(static_cast<status>(
                      split_across(w, comm, from, &to, at, n, room, 2, bucket_of_item{}, ranks.device(rank).stream())),
                  status::invalid_value);
        std::vector<int> all;
        EXPECT_EQ(comm.meet(rank, all), status::success);  // it goes on
      });
    }
  }
}
TEST(split_across_ranks, failures_of_a_step_reach_all) {
  for (int step = 1; step <= 4; ++step) {
    sim_ranks ranks(2, device::ways()[0].options, false, 1, step);
    std::vector<status> answers(2);
    arrays_of_ranks<placed_item, sim_ranks> in(ranks), out(ranks);
    arrays_of_ranks<std::int64_t, sim_ranks> offsets(ranks);
    arrays_of_ranks<unsigned char, sim_ranks> work(ranks);
    ranks.run([&](int rank, auto& comm) {
      const placed_item* const from = in.make(rank, placed_items(100, 4, "uniform")).data();
      placed_item* const to = out.make(rank, std::size_t{200}).data();
      std::int64_t* const at = offsets.make(rank, std::size_t{5}).data();
      const std::size_t bytes = split_across_workspace_bytes(comm, from, to, at, 100, 200, 4, bucket_of_item{});
      const workspace w{work.make(rank, bytes).data(), bytes};
      const auto stream = ranks.device(rank).stream();
      status s = static_cast<status>(split_across(w, comm, from, to, at, 100, 200, 4, bucket_of_item{}, stream));
      std::vector<int> all;
      if (s == status::success) s = comm.meet(rank, all);
      answers[static_cast<std::size_t>(rank)] = s;
    });
    EXPECT_EQ(answers, std::vector<status>(2, status::memory_allocation)) << "step " << step;
  }
}

TEST(split_across_ranks, buckets_are_shared_evenly) {
  for (int k = 1; k <= 9; ++k) {
    EXPECT_EQ(first_bucket_of_rank(7, 0, k), 0);
    EXPECT_EQ(first_bucket_of_rank(7, k, k), 7);
    for (int r = 0; r < k; ++r) {
      const int share = first_bucket_of_rank(7, r + 1, k) - first_bucket_of_rank(7, r, k);
      EXPECT_TRUE(share == 7 / k || share == 7 / k + 1) << k << " ranks, rank " << r;
    }
  }
}

}  // namespace
}  // namespace upsweep::test
