// The sim stops kernels that misuse the collectives of a warp.
#include "sim/sim_kernel.hpp"

namespace upsweep::test {
namespace {

const char* const file = __FILE__;

TEST(sim_diagnoses, a_mask_that_names_an_exited_lane) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(sim_order::reversed), 1, kernel<64>([&](auto& block, auto&) {
                                              if (block.warp() == 1 || block.lane() == 31) return;
                                              UPSWEEP_TEST_AT(line, block.ballot(true));
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 0, 30), file, line,
                       "calls ballot with a mask that names the exited block 0, warp 0, lane 31"));
}

TEST(sim_diagnoses, a_lane_that_exits_while_a_mask_names_it) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([&](auto& block, auto&) {
                                              if (block.lane() == 31) return;
                                              UPSWEEP_TEST_AT(line, block.shuffle_xor(1, 1));
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 0, 31), file, line, "exits, but the mask of shuffle_xor names it"));
}

TEST(sim_diagnoses, a_mask_that_names_an_exited_lane_under_every_schedule) {
  for (const sim_order order : all_orders) {
    const std::string message = diagnostic_of(quiet(order), 3, kernel<32>([](auto& block, auto&) {
                                                if (block.lane() != 17) block.any(true);
                                              }));
    EXPECT_TRUE(says(message, "warp 0, lane 17"));
    EXPECT_TRUE(says(message, "any"));
  }
}

TEST(sim_diagnoses, a_mask_that_does_not_name_its_caller) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 2, kernel<64>([&](auto& block, auto&) {
                                              if (block.thread_rank() == 36)
                                                UPSWEEP_TEST_AT(line, block.warp_sync(0xffffffefu));
                                            }));
  EXPECT_TRUE(
      stops_at(message, thread_named(0, 1, 4), file, line, "calls warp_sync with a mask that does not name it"));
}

TEST(sim_diagnoses, lanes_that_meet_in_different_collectives) {
  int first = 0, second = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([&](auto& block, auto&) {
                                              if (block.lane() < 20) {
                                                UPSWEEP_TEST_AT(first, block.all(true));
                                              } else {
                                                UPSWEEP_TEST_AT(second, block.reduce_add(1));
                                              }
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 0, 20), file, second,
                       "lanes meet in different collectives: it calls reduce_add while block 0, warp 0, lane 0 waits "
                       "for it in all at " +
                           std::string(file) + ":" + std::to_string(first)));
}

TEST(sim_diagnoses, lanes_that_meet_at_different_lines_of_one_collective) {
  for (const sim_order order : all_orders) {
    const std::string message = diagnostic_of(quiet(order), 1, kernel<32>([](auto& block, auto&) {
                                                if (block.lane() % 2 == 0) {
                                                  block.shuffle(1, 0);
                                                } else {
                                                  block.shuffle(1, 0);
                                                }
                                              }));
    EXPECT_TRUE(says(message, "lanes meet in different collectives: it calls shuffle while"));
  }
}

TEST(sim_diagnoses, lanes_that_meet_with_different_masks) {
  int line = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([&](auto& block, auto&) {
                                              const lane_mask mask = block.lane() < 5 ? full_warp : 0x7fffffffu;
                                              UPSWEEP_TEST_AT(line, block.match_any(7, mask));
                                            }));
  EXPECT_TRUE(stops_at(message, thread_named(0, 0, 5), file, line,
                       "lanes meet in different collectives: it calls match_any while block 0, warp 0, lane 0 waits"));
}

TEST(sim_diagnoses, accesses_that_are_not_aligned) {
  alignas(32) unsigned char bytes[64] = {};
  const auto expect = [&](const char* what, auto access) {
    int line = 0;
    const std::string message = diagnostic_of(quiet(), 2, kernel<32>([&](auto& block, auto&) {
                                                if (block.lane() == 30) access(block, line);
                                              }));
    EXPECT_TRUE(stops_at(message, thread_named(0, 0, 30), file, line, what)) << what;
  };
  const auto at = [&](int offset) { return reinterpret_cast<std::uint32_t*>(bytes + offset); };
  expect("accesses memory that is not aligned to 16 bytes",
         [&](auto& block, int& line) { UPSWEEP_TEST_AT(line, block.template load_vector<4>(at(4))); });
  expect("accesses memory that is not aligned to 8 bytes", [&](auto& block, int& line) {
    UPSWEEP_TEST_AT(line, block.store_vector(at(4), vector_of<std::uint32_t, 2>{}));
  });
  expect("accesses memory that is not aligned to 4 bytes",
         [&](auto& block, int& line) { UPSWEEP_TEST_AT(line, block.load_acquire(at(2))); });
  expect("accesses memory that is not aligned to 4 bytes",
         [&](auto& block, int& line) { UPSWEEP_TEST_AT(line, block.store_relaxed(at(1), 1)); });
  expect("accesses memory that is not aligned to 4 bytes",
         [&](auto& block, int& line) { UPSWEEP_TEST_AT(line, block.atomic_add(at(3), 1)); });
  expect("accesses memory that is not aligned to 4 bytes",
         [&](auto& block, int& line) { UPSWEEP_TEST_AT(line, block.atomic_compare_exchange(at(3), 1, 2)); });
  expect("accesses memory that is not aligned to 4 bytes",
         [&](auto& block, int& line) { UPSWEEP_TEST_AT(line, block.load_streaming(at(2))); });
  for (const unsigned char byte : bytes) EXPECT_EQ(byte, 0);
}

}  // namespace
}  // namespace upsweep::test
