// Meetings of ranks: what they bring, the order of their turns, and what becomes of those who wait.
#include "upsweep/simt/rank_group.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "upsweep/simt/communicator.hpp"

namespace upsweep::test {
namespace {

TEST(rank_group, gives_every_rank_what_all_brought_meeting_after_meeting) {
  for (const rank_turns turns :
       {rank_turns::all_at_once, rank_turns::in_order, rank_turns::reversed, rank_turns::random}) {
    rank_group group(5, turns, 7);
    run_ranks(group, [&](int rank) {
      for (int i = 0; i < 50; ++i) {
        const int mine = i * 10 + rank;
        int all[5];
        EXPECT_EQ(group.meet(rank, &mine, all, sizeof mine), status::success);
        for (int r = 0; r < 5; ++r) EXPECT_EQ(all[r], i * 10 + r);
      }
    });
    EXPECT_EQ(group.failure(), status::success);
  }
}

TEST(rank_group, takes_turns) {
  for (const rank_turns turns : {rank_turns::in_order, rank_turns::reversed, rank_turns::random}) {
    rank_group group(4, turns);
    std::atomic<int> at_once{0};
    std::vector<int> order;  // written by one thread at a time
    run_ranks(group, [&](int rank) {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(++at_once, 1);
        order.push_back(rank);
        --at_once;
        const char mine = 0;
        char all[4];
        EXPECT_EQ(group.meet(rank, &mine, all, 1), status::success);
      }
    });
    const std::vector<int> first(order.begin(), order.begin() + 4);
    if (turns == rank_turns::in_order) {
      EXPECT_EQ(first, (std::vector{0, 1, 2, 3}));
    } else if (turns == rank_turns::reversed) {
      EXPECT_EQ(first, (std::vector{3, 2, 1, 0}));
    }
    EXPECT_EQ(order.size(), 80u);
  }
}

TEST(rank_group, nobody_waits_for_a_rank_that_has_left) {
  for (const rank_turns turns : {rank_turns::all_at_once, rank_turns::in_order, rank_turns::reversed}) {
    for (int leaves = 0; leaves < 3; ++leaves) {  // before the others, or after them
      rank_group group(3, turns);
      run_ranks(group, [&](int rank) {
        if (rank == leaves) return;
        const int mine = rank;
        int all[3];
        EXPECT_EQ(group.meet(rank, &mine, all, sizeof mine, std::chrono::seconds(5)), status::launch_failure);
      });
    }
  }
}

TEST(rank_group, an_exception_reaches_the_caller_and_lets_the_others_go) {
  rank_group group(2);
  EXPECT_THROW(run_ranks(group,
                         [&](int rank) {
                           if (rank == 0) throw std::runtime_error("no");
                           int mine = 1, all[2];
                           EXPECT_NE(group.meet(rank, &mine, all, sizeof mine), status::success);
                         }),
               std::runtime_error);
}

TEST(rank_group, waits_for_a_limit) {
  rank_group group(2);
  const int mine = 1;
  int all[2];
  EXPECT_EQ(group.meet(0, &mine, all, sizeof mine, std::chrono::milliseconds(20)), status::launch_timeout);
  EXPECT_EQ(group.failure(), status::launch_timeout);
}

TEST(rank_group, other_records_are_another_call) {
  rank_group group(2);
  run_ranks(group, [&](int rank) {
    const std::int64_t mine = 1;
    std::int64_t all[2];
    static_cast<void>(group.meet(rank, &mine, all, rank == 0 ? 4 : 8));
  });
  EXPECT_EQ(group.failure(), status::invalid_value);
}

TEST(communicator, arguments_refused_on_one_rank_are_refused_on_all_and_it_goes_on) {
  rank_group group(3);
  run_ranks(group, [&](int rank) {
    sim_communicator comm(group, rank);
    std::vector<int> all;
    EXPECT_EQ(detail::agree(comm, sim_stream{}, rank == 2 ? status::invalid_value : status::success, rank, all),
              status::invalid_value);
    EXPECT_EQ(detail::agree(comm, sim_stream{}, status::success, rank, all), status::success);
    EXPECT_EQ(all, (std::vector{0, 1, 2}));
  });
}

TEST(communicator, shares_are_balanced) {
  std::int64_t sum = 0;
  for (int r = 0; r < 7; ++r) sum += balanced_share(25, r, 7);
  EXPECT_EQ(sum, 25);
  EXPECT_EQ(balanced_share(25, 3, 7), 4);
  EXPECT_EQ(balanced_share(25, 4, 7), 3);
}

}  // namespace
}  // namespace upsweep::test
