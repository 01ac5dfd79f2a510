// The sim stops kernels that would never end, and kernels that throw.
#include <stdexcept>

#include "sim/sim_kernel.hpp"

namespace upsweep::test {
namespace {

const char* const file = __FILE__;

TEST(sim_diagnoses, threads_that_all_wait_for_each_other) {
  for (const sim_order order : all_orders) {
    int in_warp = 0, in_block = 0;
    const std::string message = diagnostic_of(quiet(order), 1, kernel<64>([&](auto& block, auto&) {
                                                if (block.warp() == 1 || block.lane() == 5) {
                                                  UPSWEEP_TEST_AT(in_block, block.barrier());
                                                } else {
                                                  UPSWEEP_TEST_AT(in_warp, block.warp_sync());
                                                }
                                              }));
    EXPECT_TRUE(says(message, "no forward progress: all threads wait for each other"));
    EXPECT_TRUE(waits_at(message, thread_named(0, 0, 5), "barrier", file, in_block));
    EXPECT_TRUE(waits_at(message, thread_named(0, 0, 0), "warp_sync", file, in_warp));
  }
}

TEST(sim_diagnoses, a_thread_that_backs_off_for_ever) {
  for (const sim_order order : all_orders) {
    std::uint32_t never = 0;
    int line = 0;
    const std::string message = diagnostic_of(quiet(order), 9, kernel<64>([&](auto& block, auto&) {
                                                if (block.block_index() != 2 || block.thread_rank() != 40) return;
                                                while (block.load_acquire(&never) == 0)
                                                  UPSWEEP_TEST_AT(line, block.back_off());
                                              }));
    EXPECT_TRUE(says(message, "no forward progress"));
    EXPECT_TRUE(waits_at(message, thread_named(2, 1, 8), "back_off", file, line));
  }
}

/// Each tile waits for the tile before it. Numbered by tickets it ends whatever the order of blocks; numbered by the
/// block's index it may wait for a block that is not issued before its own has ended.
template <class TileOf>
auto chain(std::vector<std::uint32_t>& done, int& line, TileOf tile_of) {
  return kernel<32>([&done, &line, tile_of](auto& block, auto& s) {
    if (block.lane() == 0) s.x[0] = tile_of(block);
    block.barrier();
    const int tile = s.x[0];
    if (tile > 0 && block.lane() == 0) {
      while (block.load_acquire(&done[static_cast<std::size_t>(tile - 1)]) == 0) {
        UPSWEEP_TEST_AT(line, block.back_off());
      }
    }
    block.barrier();
    if (block.lane() == 0) block.store_release(&done[static_cast<std::size_t>(tile)], 1u);
  });
}

TEST(sim_diagnoses, look_back_by_block_index_when_blocks_are_issued_backwards) {
  for (const sim_order order : all_orders) {
    std::vector<std::uint32_t> done(100, 0);
    int line = 0;
    sim_options options = quiet(order);
    options.blocks_backwards = true;
    const std::string message = diagnostic_of(
        options, 100, chain(done, line, [](auto& block) { return static_cast<int>(block.block_index()); }));
    EXPECT_TRUE(says(message, "no forward progress"));
    EXPECT_TRUE(says(message, "block 9"));
    EXPECT_TRUE(
        says(message, ", warp 0, lane 0 waits in back_off at " + std::string(file) + ":" + std::to_string(line)));
  }
}

TEST(sim_runs, look_back_by_tickets_when_blocks_are_issued_backwards) {
  for (const sim_order order : all_orders) {
    std::vector<std::uint32_t> done(100, 0);
    int line = 0, ticket = 0;
    sim_options options = quiet(order);
    options.blocks_backwards = true;
    const auto by_ticket = [&ticket](auto& block) { return block.atomic_add(&ticket, 1); };
    EXPECT_EQ(launch(options, 100, chain(done, line, by_ticket)), status::success) << sim_diagnostic();
    EXPECT_EQ(done, std::vector<std::uint32_t>(100, 1));
  }
}

TEST(sim_diagnoses, a_thread_that_spins_without_back_off) {
  for (const sim_order order : all_orders) {
    std::uint32_t never = 0;
    int line = 0;
    const std::string message = diagnostic_of(quiet(order), 1, kernel<32>([&](auto& block, auto&) {
                                                if (block.lane() != 11) return;
                                                while (UPSWEEP_TEST_AT(line, block.load_relaxed(&never)) == 0) {
                                                }
                                              }));
    EXPECT_TRUE(says(message, thread_named(0, 0, 11)));
    EXPECT_TRUE(says(message, std::string(file) + ":" + std::to_string(line)));
    EXPECT_TRUE(says(
        message, order == sim_order::random ? "no forward progress" : "spins on an ordered load without back_off()"));
    EXPECT_EQ(launch(quiet(order), 1, kernel<32>([&](auto& block, auto&) { block.load_relaxed(&never); })),
              status::success);
  }
}

TEST(sim_diagnoses, a_warp_that_spins_without_back_off_though_its_lanes_meet) {
  for (const sim_order order : {sim_order::in_order, sim_order::reversed}) {
    std::uint32_t never = 0;
    int line = 0;
    const std::string message =
        diagnostic_of(quiet(order), 1, kernel<32>([&](auto& block, auto&) {
                        while (!block.any(UPSWEEP_TEST_AT(line, block.load_relaxed(&never)) != 0)) {
                        }
                      }));
    EXPECT_TRUE(says(message, std::string(file) + ":" + std::to_string(line)));
    EXPECT_TRUE(says(message, "spins on an ordered load without back_off()"));
  }
}

TEST(sim_diagnoses, a_lock_that_is_never_freed) {
  for (const sim_order order : all_orders) {
    std::uint32_t lock = 1;
    int line = 0;
    const std::string message = diagnostic_of(quiet(order), 3, kernel<32>([&](auto& block, auto&) {
                                                if (block.lane() != 4) return;
                                                while (block.atomic_exchange(&lock, 1u) != 0u)
                                                  UPSWEEP_TEST_AT(line, block.back_off());
                                              }));
    EXPECT_TRUE(says(message, "no forward progress"));
    EXPECT_TRUE(waits_at(message, thread_named(0, 0, 4), "back_off", file, line));
  }
}

TEST(sim_diagnoses, polling_by_an_atomic_that_changes_nothing) {
  std::uint32_t never = 0;
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([&](auto& block, auto&) {
                                              while (block.atomic_add(&never, 0u) == 0u) block.back_off();
                                            }));
  EXPECT_TRUE(says(message, "no forward progress"));
}

TEST(sim_diagnoses, polling_a_phase_without_back_off) {
  for (const sim_order order : {sim_order::in_order, sim_order::reversed}) {
    int line = 0;
    const std::string message =
        diagnostic_of(quiet(order), 1, kernel<32>([&](auto& block, auto& s) {
                        auto& b = *reinterpret_cast<phase_barrier*>(&s);
                        if (block.lane() == 0) block.phase_init(b, 1);
                        block.barrier();
                        while (block.lane() == 7 && !UPSWEEP_TEST_AT(line, block.phase_done(b, 0))) {
                        }
                      }));
    EXPECT_TRUE(says(message, thread_named(0, 0, 7)));
    EXPECT_TRUE(says(message, "spins on an ordered load without back_off()"));
  }
}

TEST(sim_diagnoses, a_wait_for_a_phase_barrier_that_nobody_initialised) {
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([&](auto& block, auto& s) {
                                              block.phase_wait(*reinterpret_cast<phase_barrier*>(&s), 0);
                                            }));
  EXPECT_TRUE(says(message, "looks at a phase_barrier that was not initialised"));
}

TEST(sim_diagnoses, an_exception_that_leaves_a_kernel) {
  for (const sim_order order : all_orders) {
    const std::string message = diagnostic_of(quiet(order), 2, kernel<64>([](auto& block, auto&) {
                                                block.barrier();
                                                if (block.block_index() == 1 && block.thread_rank() == 35)
                                                  throw std::runtime_error("a bad thing");
                                              }));
    EXPECT_TRUE(says(message, thread_named(1, 1, 3)));
    EXPECT_TRUE(says(message, "an exception leaves the kernel: a bad thing"));
    EXPECT_EQ(std::current_exception(), nullptr) << "the exception stays with the host thread";
  }
}

TEST(sim_diagnoses, an_exception_that_is_no_std_exception) {
  const std::string message = diagnostic_of(quiet(), 1, kernel<32>([](auto& block, auto&) {
                                              if (block.lane() == 2) throw 4711;
                                            }));
  EXPECT_TRUE(says(message, thread_named(0, 0, 2)));
  EXPECT_TRUE(says(message, "an exception leaves the kernel"));
}

TEST(sim_runs, kernels_that_catch_their_own_exceptions) {
  for (const sim_order order : all_orders) {
    std::vector<int> caught(64, 0);
    const auto k = kernel<64>([&](auto& block, auto&) {
      try {
        block.warp_sync();
        if (block.lane() % 2 == 0) throw block.thread_rank();
      } catch (const int rank) {
        caught[static_cast<std::size_t>(rank)] += rank == block.thread_rank();
      }
      block.barrier();
    });
    ASSERT_EQ(launch(quiet(order), 1, k), status::success) << sim_diagnostic();
    for (std::size_t t = 0; t < caught.size(); ++t) EXPECT_EQ(caught[t], t % 2 == 0);
  }
}

TEST(sim_diagnoses, stacks_for_which_there_is_no_memory) {
  sim_options options = quiet();
  options.stack_bytes = std::size_t{1} << 46;
  const auto nothing = kernel<1024>([](auto&, auto&) {});
  EXPECT_EQ(launch(options, 1, nothing), status::memory_allocation);
  EXPECT_TRUE(says(sim_diagnostic(), "no memory for the stacks of a block"));
  EXPECT_EQ(launch(quiet(), 1, nothing), status::success);
}

/// A kernel of two blocks, of which `waiting` threads wait for the previous launch.
struct early_kernel {
  static constexpr int block_threads = 32;
  static constexpr bool begins_early = true;
  struct temp_storage {};
  int waiting;
  template <class Ctx>
  void operator()(Ctx& block, temp_storage&) const {
    if (block.block_index() == 1 && block.thread_rank() < waiting) block.wait_for_previous();
  }
};

TEST(sim_diagnoses, an_early_kernel_that_may_end_before_the_launch_in_front) {
  for (const sim_order order : all_orders) {
    const sim_options options = quiet(order);
    sim_executor ex(sim_stream{&options});
    alignas(16) unsigned char memory[16];
    ASSERT_EQ(ex.clear(memory, sizeof memory), status::success);
    EXPECT_EQ(ex.launch(2, early_kernel{0}), status::launch_failure);
    EXPECT_TRUE(says(sim_diagnostic(), "early_kernel: no thread calls wait_for_previous"));
    EXPECT_EQ(ex.launch(2, early_kernel{0}), status::success) << "nothing in front lets it begin early";
    ASSERT_EQ(ex.clear(memory, sizeof memory), status::success);
    EXPECT_EQ(ex.launch(2, early_kernel{1}), status::success) << sim_diagnostic();
  }
}

TEST(sim_refuses, grids_that_no_gpu_takes) {
  const auto nothing = kernel<32>([](auto&, auto&) {});
  EXPECT_EQ(launch(quiet(), -1, nothing), status::invalid_value);
  EXPECT_EQ(launch(quiet(), max_grid_blocks + 1, nothing), status::invalid_value);
  EXPECT_EQ(launch(quiet(), 0, nothing), status::success);
}

TEST(sim_runs, the_next_kernel_after_it_has_stopped_one) {
  const auto bad = kernel<256>([](auto& block, auto&) {
    if (block.warp() == 3) return;
    block.barrier();
  });
  for (const sim_order order : all_orders) {
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(says(diagnostic_of(quiet(order), 50, bad), "partial barrier"));
      int count = 0;
      const auto good = kernel<96>([&](auto& block, auto&) {
        block.atomic_add(&count, 1);
        block.barrier();
        block.warp_sync();
      });
      EXPECT_EQ(launch(quiet(order), 7, good), status::success);
      EXPECT_EQ(count, 7 * 96);
    }
  }
}

TEST(sim_prints, a_diagnostic_once_and_only_when_asked_to) {
  const auto bad = kernel<32>([](auto& block, auto&) { block.warp_sync(2); });
  sim_options options = quiet();
  options.print = true;
  testing::internal::CaptureStderr();
  const std::string message = diagnostic_of(options, 1, bad);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), message + "\n");
  testing::internal::CaptureStderr();
  diagnostic_of(quiet(), 1, bad);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(sim_diagnoses, a_random_schedule_with_its_seed) {
  sim_options options = quiet(sim_order::random);
  options.seed = 987654;
  const std::string message = diagnostic_of(options, 1, kernel<32>([](auto& block, auto&) { block.warp_sync(2); }));
  EXPECT_TRUE(says(message, "(seed 987654)"));
}

}  // namespace
}  // namespace upsweep::test
