// The sim keeps the blocks of a cluster in flight together, and stops kernels that misuse clusters.
#include "sim/sim_kernel.hpp"

namespace upsweep::test {
namespace {

const char* const file = __FILE__;
const grid pair(2, 0, 2);

TEST(sim_clusters, are_in_flight_together_whatever_the_options_say) {
  for (const sim_order order : all_orders) {
    for (const int resident : {1, 3, 7}) {
      for (const bool backwards : {false, true}) {
        sim_options options = quiet(order);
        options.resident_blocks = resident;
        options.blocks_backwards = backwards;
        options.os_threads = order == sim_order::random ? 1 : 2;
        std::int64_t index[15] = {};
        ASSERT_EQ(launch(options, grid(15, 0, 5), kernel<64>([&](auto& block, auto& s) {
                           s.x[block.thread_rank()] = static_cast<int>(block.block_index());
                           block.cluster_barrier();
                           const int rank = block.cluster_rank(), next = (rank + 1) % 5;
                           const int seen = block.cluster_shared(s.x, next)[block.thread_rank()];
                           if (block.thread_rank() == 63) index[block.block_index()] = seen;
                           block.cluster_barrier();
                         })),
                  status::success)
            << sim_diagnostic();
        for (int i = 0; i < 15; ++i) EXPECT_EQ(index[i], i / 5 * 5 + (i + 1) % 5);
      }
    }
  }
}

TEST(sim_diagnoses, a_divergent_barrier_of_a_cluster) {
  int first = 0, second = 0;
  const auto k = kernel<32>([&](auto& block, auto&) {
    if (block.cluster_rank() == 0) {
      UPSWEEP_TEST_AT(first, block.cluster_barrier());
    } else {
      UPSWEEP_TEST_AT(second, block.cluster_barrier());
    }
  });
  const std::string message = diagnostic_of(quiet(), pair, k);
  EXPECT_TRUE(stops_at(message, thread_named(1, 0, 0), file, second,
                       "divergent barrier: it calls cluster_barrier while block 0, warp 0, lane 0 waits in "
                       "cluster_barrier at " +
                           std::string(file) + ":" + std::to_string(first)));
  EXPECT_TRUE(says(diagnostic_of(quiet(sim_order::random), pair, k), "divergent barrier"));
}

TEST(sim_diagnoses, a_partial_barrier_of_a_cluster_whose_missing_thread_exits_last) {
  int line = 0;
  const auto k = kernel<64>([&](auto& block, auto&) {
    if (block.cluster_rank() == 1 && block.thread_rank() == 40) return;
    UPSWEEP_TEST_AT(line, block.cluster_barrier());
  });
  const std::string message = diagnostic_of(quiet(), pair, k);
  EXPECT_TRUE(stops_at(message, thread_named(1, 1, 8), file, line,
                       "partial barrier: it exits while block 0, warp 0, lane 0 waits in cluster_barrier"));
}

TEST(sim_diagnoses, a_partial_barrier_of_a_cluster_whose_missing_block_exits_first) {
  int line = 0;
  const auto k = kernel<32>([&](auto& block, auto&) {
    if (block.cluster_rank() == 0) return;
    UPSWEEP_TEST_AT(line, block.cluster_barrier_relaxed());
  });
  const std::string message = diagnostic_of(quiet(), pair, k);
  EXPECT_TRUE(stops_at(message, thread_named(1, 0, 0), file, line,
                       "partial barrier: it calls cluster_barrier_relaxed, but block 0, warp 0, lane 0 has exited"));
}

TEST(sim_diagnoses, a_partial_barrier_of_a_cluster_under_every_schedule) {
  for (const sim_order order : all_orders) {
    EXPECT_TRUE(says(diagnostic_of(quiet(order), grid(8, 0, 4), kernel<96>([](auto& block, auto&) {
                                     if (block.block_index() != 6 || block.thread_rank() != 50) block.cluster_barrier();
                                   })),
                     "partial barrier"));
  }
}

TEST(sim_diagnoses, blocks_of_a_cluster_that_wait_at_different_barriers) {
  for (const sim_order order : {sim_order::in_order, sim_order::reversed, sim_order::random, sim_order::explored}) {
    int alone = 0, together = 0;
    const std::string message = diagnostic_of(quiet(order), pair, kernel<64>([&](auto& block, auto&) {
                                                if (block.cluster_rank() == 0 || block.warp() == 1) {
                                                  UPSWEEP_TEST_AT(together, block.cluster_barrier());
                                                } else {
                                                  UPSWEEP_TEST_AT(alone, block.barrier());
                                                }
                                              }));
    EXPECT_TRUE(says(message, "no forward progress: all threads wait for each other"));
    // A report lists the first thread of each warp that waits at a place.
    EXPECT_TRUE(waits_at(message, thread_named(0, 1, 0), "cluster_barrier", file, together));
    EXPECT_TRUE(waits_at(message, thread_named(1, 0, 0), "barrier", file, alone));
  }
}

TEST(sim_diagnoses, a_reach_for_a_block_that_may_not_have_begun) {
  int line = 0;
  const std::string message =
      diagnostic_of(quiet(), pair, kernel<32>([&](auto& block, auto& s) {
                      int* const own = block.cluster_shared(&s.x[block.lane()], block.cluster_rank());
                      *own = 1;
                      UPSWEEP_TEST_AT(line, block.cluster_shared(own, 1 - block.cluster_rank()));
                    }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 0, 0), file, line,
                       "reaches for the shared memory of block 1 before a barrier of the cluster"));
}

TEST(sim_diagnoses, a_reach_for_a_block_that_has_ended) {
  int line = 0;
  // Block 1 comes last to the barrier, and goes on.
  const std::string message = diagnostic_of(quiet(), pair, kernel<32>([&](auto& block, auto& s) {
                                              block.cluster_barrier();
                                              if (block.cluster_rank() == 1) return;
                                              UPSWEEP_TEST_AT(line, block.cluster_shared(s.x, 1));
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 0, 0), file, line,
                       "reaches for the shared memory of block 1, which has ended"));
}

TEST(sim_diagnoses, a_rank_that_the_cluster_does_not_have) {
  for (const int rank : {-1, 2}) {
    int line = 0;
    const std::string message = diagnostic_of(quiet(), pair, kernel<32>([&](auto& block, auto& s) {
                                                block.cluster_barrier();
                                                UPSWEEP_TEST_AT(line, block.cluster_shared(s.x, rank));
                                              }));
    EXPECT_TRUE(stops_at(message, thread_named(1, 0, 31), file, line,
                         "its cluster has 2 blocks, and none has the rank " + std::to_string(rank)));
  }
}

TEST(sim_diagnoses, an_address_outside_of_shared_memory_that_a_cluster_shall_share) {
  static int global = 0;
  const std::string message = diagnostic_of(quiet(), pair, kernel<32>([&](auto& block, auto&) {
                                              block.cluster_barrier();
                                              block.cluster_shared(&global, 0);
                                            }));
  EXPECT_TRUE(says(message, "cluster_shared takes an address of the block's own shared memory"));
}

}  // namespace
}  // namespace upsweep::test
