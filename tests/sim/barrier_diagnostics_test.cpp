// The sim stops kernels that misuse barriers.
#include "sim/sim_kernel.hpp"

namespace upsweep::test {
namespace {

const char* const file = __FILE__;

TEST(sim_diagnoses, a_divergent_barrier_of_two_lines) {
  int first = 0, second = 0;
  const auto k = kernel<64>([&](auto& block, auto&) {
    if (block.warp() == 0) {
      UPSWEEP_TEST_AT(first, block.barrier());
    } else {
      UPSWEEP_TEST_AT(second, block.barrier());
    }
  });
  const std::string in_order = diagnostic_of(quiet(), 1, k);
  EXPECT_TRUE(stops_at(in_order, thread_named(0, 1, 0), file, second,
                       "divergent barrier: it calls barrier while block 0, warp 0, lane 0 waits in barrier at " +
                           std::string(file) + ":" + std::to_string(first)));
  const std::string reversed = diagnostic_of(quiet(sim_order::reversed), 1, k);
  EXPECT_TRUE(stops_at(reversed, thread_named(0, 0, 31), file, first,
                       "divergent barrier: it calls barrier while " + thread_named(0, 1, 31) + " waits"));
  EXPECT_TRUE(says(diagnostic_of(quiet(sim_order::random), 1, k), "divergent barrier"));
}

TEST(sim_diagnoses, a_divergent_barrier_of_two_kinds) {
  int line = 0;
  const std::string message =
      diagnostic_of(quiet(), 3, kernel<64>([&](auto& block, auto&) {
                      UPSWEEP_TEST_AT(line, block.lane() < 7 ? block.barrier_and(true) : block.barrier_or(true));
                    }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 0, 7), file, line,
                       "divergent barrier: it calls barrier_or while block 0, warp 0, lane 0 waits in barrier_and"));
}

TEST(sim_diagnoses, a_partial_barrier_whose_missing_thread_exits_last) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<64>([&](auto& block, auto&) {
                                              if (block.thread_rank() == 63) return;
                                              UPSWEEP_TEST_AT(line, block.barrier());
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 1, 31), file, line,
                       "partial barrier: it exits while block 0, warp 0, lane 0 waits in barrier"));
}

TEST(sim_diagnoses, a_partial_barrier_whose_missing_thread_exits_first) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(sim_order::reversed), 1, kernel<64>([&](auto& block, auto&) {
                                              if (block.thread_rank() == 63) return;
                                              UPSWEEP_TEST_AT(line, block.barrier_count(true));
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 1, 30), file, line,
                       "partial barrier: it calls barrier_count, but block 0, warp 1, lane 31 has exited"));
}

TEST(sim_diagnoses, a_partial_barrier_under_every_schedule) {
  for (const sim_order order : all_orders) {
    const std::string message = diagnostic_of(quiet(order), 2, kernel<96>([](auto& block, auto&) {
                                                if (block.thread_rank() != 50) block.barrier();
                                              }));
    EXPECT_TRUE(says(message, "partial barrier"));
    EXPECT_TRUE(says(message, "warp 1, lane 18"));
  }
}

TEST(sim_diagnoses, a_group_whose_id_is_not_1_to_15) {
  for (const int id : {-1, 0, 16}) {
    int line = 0;
    const std::string message = diagnostic_of(quiet(), 1, kernel<64>([&](auto& block, auto&) {
                                                UPSWEEP_TEST_AT(line, block.group_sync({id, 0, 2}));
                                              }));
    EXPECT_TRUE(stops_at(message, thread_named(0, 0, 0), file, line,
                         "a warp_group's id is 1 to 15, not " + std::to_string(id)));
  }
}

TEST(sim_diagnoses, a_warp_that_calls_for_a_group_it_is_not_of) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<96>([&](auto& block, auto&) {
                                              UPSWEEP_TEST_AT(line, block.group_arrive({5, 0, 2}));
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 2, 0), file, line, "its warp is not of warp_group 5"));
}

TEST(sim_diagnoses, warps_that_expect_different_numbers_at_a_group) {
  int line = 0;
  const std::string message =
      diagnostic_of(quiet(), 1, kernel<96>([&](auto& block, auto&) {
                      UPSWEEP_TEST_AT(line, block.group_sync({2, 0, block.warp() == 0 ? 2 : 3}));
                    }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 1, 0), file, line,
                       "divergent barrier: block 0, warp 0, lane 0 expects another number of warps at warp_group 2"));
}

TEST(sim_diagnoses, a_group_that_waits_for_a_warp_that_has_exited) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<64>([&](auto& block, auto&) {
                                              if (block.warp() == 0) UPSWEEP_TEST_AT(line, block.group_sync({1, 0, 2}));
                                            }));
  EXPECT_TRUE(says(message, "no forward progress"));
  EXPECT_TRUE(waits_at(message, thread_named(0, 0, 0), "group_sync", file, line));
}

TEST(sim_diagnoses, a_phase_barrier_that_was_not_initialised) {
  int line = 0;
  const std::string message = diagnostic_of(
      quiet(), 1, kernel<32>([&](auto& block, auto& s) { UPSWEEP_TEST_AT(line, block.phase_arrive(s.phase)); }));
  EXPECT_TRUE(
      stops_at(message, thread_named(0, 0, 0), file, line, "arrives at a phase_barrier that was not initialised"));
}

TEST(sim_diagnoses, a_phase_barrier_for_no_arrivals_or_too_many) {
  for (const int arrivals : {0, -1, 65}) {
    int line = 0;
    const std::string message = diagnostic_of(quiet(), 1, kernel<64>([&](auto& block, auto& s) {
                                                UPSWEEP_TEST_AT(line, block.phase_init(s.phase, arrivals));
                                              }));
    EXPECT_TRUE(stops_at(message, thread_named(0, 0, 0), file, line,
                         "phase_init expects 1 to 64 arrivals, not " + std::to_string(arrivals)));
  }
}

TEST(sim_diagnoses, more_arrivals_than_a_phase_expects) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([&](auto& block, auto& s) {
                                              if (block.lane() == 0) block.phase_init(s.phase, 2);
                                              block.barrier();
                                              // The bytes never come, so the phase stays open.
                                              UPSWEEP_TEST_AT(line, block.phase_arrive_expect(s.phase, 16));
                                            }));
  EXPECT_TRUE(says(message, ", at " + std::string(file) + ":" + std::to_string(line) +
                                ": arrives at a phase_barrier more often than its phase expects"));
}

TEST(sim_diagnoses, a_phase_that_never_ends) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<64>([&](auto& block, auto& s) {
                                              if (block.thread_rank() == 0) block.phase_init(s.phase, 1);
                                              block.barrier();
                                              if (block.thread_rank() == 33)
                                                UPSWEEP_TEST_AT(line, block.phase_wait(s.phase, 0));
                                            }));
  EXPECT_TRUE(says(message, "no forward progress"));
  EXPECT_TRUE(waits_at(message, thread_named(0, 1, 1), "phase_wait", file, line));
}

TEST(sim_diagnoses, bulk_copies_that_are_not_multiples_of_16) {
  alignas(16) char global[64] = {};
  for (int wrong = 0; wrong < 6; ++wrong) {
    int line = 0;
    const std::string message = diagnostic_of(
        quiet(), 1, kernel<32>([&](auto& block, auto& s) {
          char* const shared = reinterpret_cast<char*>(s.x);
          const int skew = block.lane() == 9 ? 4 : 0;
          const int a = wrong % 3 == 0 ? skew : 0, b = wrong % 3 == 1 ? skew : 0, c = wrong % 3 == 2 ? skew : 0;
          const auto bytes = static_cast<std::uint32_t>(16 + c);
          if (block.lane() != 9) return;
          block.phase_init(s.phase, 1);
          if (wrong < 3) {
            UPSWEEP_TEST_AT(line, block.bulk_load(shared + a, global + b, bytes, s.phase));
          } else {
            UPSWEEP_TEST_AT(line, block.bulk_store(global + a, shared + b, bytes));
          }
        }));
    EXPECT_TRUE(
        stops_at(message, thread_named(0, 0, 9), file, line, "a bulk copy's addresses and bytes are multiples of 16"));
  }
}

TEST(sim_diagnoses, a_thread_that_exits_before_its_bulk_stores_are_done) {
  alignas(16) char global[64] = {};
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([&](auto& block, auto& s) {
                                              block.warp_sync();
                                              if (block.lane() != 3) return;
                                              UPSWEEP_TEST_AT(line, block.bulk_store(global, s.x, 32));
                                              block.bulk_commit();
                                            }));
  EXPECT_TRUE(
      stops_at(message, thread_named(0, 0, 3), file, line, "exits before this bulk store has read shared memory"));
}

}  // namespace
}  // namespace upsweep::test
