// The sim's order `explored`: that it meets every schedule it should, and finds bugs that only some schedule shows.
#include <optional>
#include <set>
#include <utility>

#include "sim/sim_kernel.hpp"
#include "support/explored.hpp"

namespace upsweep::test {
namespace {

const char* const file = __FILE__;

sim_options by(sim_exploration& e) {
  return explored(&e).options;
}

/// The preemptions of the first schedule, of those with at most `most`, after which wrong(status) holds for the kernel
/// that make() gives; nothing when there is none.
template <class Make, class Wrong>
std::optional<std::vector<preemption>> first_failure(int most, int blocks, Make make, Wrong wrong) {
  std::optional<std::vector<preemption>> found;
  explore_schedules(most, [&](sim_exploration& e) {
    if (wrong(launch(by(e), blocks, make()))) found = e.preemptions;
    return !found;
  });
  return found;
}

template <class Kernel>
std::size_t schedules_of(int most, int blocks, const Kernel& k) {
  return explore_schedules(most, [&](sim_exploration& e) {
    EXPECT_EQ(launch(by(e), blocks, k), status::success) << sim_diagnostic();
    return true;
  });
}

TEST(explored_schedules, of_two_blocks_that_do_nothing_are_two) {
  const auto nothing = kernel<32>([](auto&, auto&) {});
  EXPECT_EQ(schedules_of(0, 2, nothing), 1u);
  EXPECT_EQ(schedules_of(1, 2, nothing), 2u);
  EXPECT_EQ(schedules_of(2, 2, nothing), 2u);
  // Which of three begins, and which of the two that are left goes on.
  EXPECT_EQ(schedules_of(2, 3, nothing), 1u + (2 + 1) + 2);
}

TEST(explored_schedules, of_one_atomic_in_each_of_two_blocks_are_ten) {
  std::uint32_t word = 0;
  const auto k = kernel<32>([&](auto& block, auto&) {
    if (block.lane() == 0) block.atomic_add(&word, 1u);
  });
  // The points of the first run are its beginning, before and after block 0's atomic; then block 1 is alone. After each
  // preemption there, block 1 has two, before and after its own atomic; then block 0 is alone.
  EXPECT_EQ(schedules_of(0, 2, k), 1u);
  EXPECT_EQ(schedules_of(1, 2, k), 1u + 3);
  EXPECT_EQ(schedules_of(2, 2, k), 1u + 3 + 3 * 2);
  EXPECT_EQ(schedules_of(9, 1, k), 1u) << "one warp has no alternatives";
}

TEST(explored_schedules, of_a_barrier_let_either_warp_go_on) {
  std::set<std::vector<int>> orders;
  explore_schedules(2, [&](sim_exploration& e) {
    std::vector<int> order;
    const auto k = kernel<64>([&](auto& block, auto&) {
      if (block.lane() == 0) order.push_back(block.warp());
      block.barrier();
      if (block.lane() == 0) order.push_back(2 + block.warp());
    });
    EXPECT_EQ(launch(by(e), 1, k), status::success);
    orders.insert(order);
    return true;
  });
  EXPECT_EQ(orders, (std::set<std::vector<int>>{{0, 1, 2, 3}, {0, 1, 3, 2}, {1, 0, 2, 3}, {1, 0, 3, 2}}));
}

TEST(explored_schedules, differ_in_when_a_bulk_copy_completes) {
  alignas(16) const std::uint32_t global[4] = {1, 2, 3, 4};
  std::set<std::pair<bool, std::uint32_t>> seen;
  explore_schedules(1, [&](sim_exploration& e) {
    const auto k = kernel<32>([&](auto& block, auto& s) {
      if (block.lane() != 0) return;
      block.phase_init(s.phase, 1);
      block.phase_arrive_expect(s.phase, 16);
      block.bulk_load(s.x, global, 16, s.phase);
      const bool done = block.phase_done(s.phase, 0);
      seen.insert({done, static_cast<std::uint32_t>(s.x[3])});
      block.phase_wait(s.phase, 0);
      EXPECT_EQ(s.x[3], 4);
    });
    EXPECT_EQ(launch(by(e), 1, k), status::success) << sim_diagnostic();
    return true;
  });
  // When nothing waits yet, before the look, and after it.
  EXPECT_EQ(seen, (std::set<std::pair<bool, std::uint32_t>>{{false, 0xcbcbcbcb}, {true, 4}, {false, 4}}));
}

TEST(explored_schedules, wake_a_thread_that_waits_at_each_step_of_another) {
  std::set<std::pair<bool, std::uint32_t>> seen;
  explore_schedules(2, [&](sim_exploration& e) {
    std::uint32_t step = 0;
    const auto k = kernel<32>([&](auto& block, auto&) {
      if (block.lane() != 0) return;
      if (block.block_index() == 0) {
        for (std::uint32_t i = 1; i <= 3; ++i) block.store_release(&step, i);
        return;
      }
      bool waited = false;
      std::uint32_t now = 0;
      while ((now = block.load_acquire(&step)) == 0) {
        waited = true;
        block.back_off();
      }
      seen.insert({waited, now});
    });
    EXPECT_EQ(launch(by(e), 2, k), status::success) << sim_diagnostic();
    return true;
  });
  EXPECT_EQ(seen.size(), 6u);
}

TEST(explored_schedules, count_on_over_several_kernels) {
  std::uint32_t word = 0;
  const auto k = kernel<32>([&](auto& block, auto&) {
    if (block.lane() == 0) block.atomic_add(&word, 1u);
  });
  const std::size_t count = explore_schedules(1, [&](sim_exploration& e) {
    EXPECT_EQ(launch(by(e), 2, k), status::success);
    EXPECT_EQ(launch(by(e), 2, k), status::success);
    return true;
  });
  EXPECT_EQ(count, 1u + 2 * 3);
}

TEST(explored_schedules, find_a_lost_update_with_one_preemption) {
  std::uint32_t count = 0;
  const auto make = [&] {
    count = 0;
    return kernel<32>([&](auto& block, auto&) {
      if (block.lane() == 0) block.store_relaxed(&count, block.load_relaxed(&count) + 1);
    });
  };
  const auto wrong = [&](status) { return count != 2; };
  EXPECT_FALSE(first_failure(0, 2, make, wrong));
  EXPECT_TRUE(first_failure(1, 2, make, wrong));
}

TEST(explored_schedules, find_a_flag_that_is_set_before_its_data) {
  std::uint32_t flag = 0, data = 0, got = 0;
  const auto make = [&] {
    flag = data = got = 0;
    return kernel<32>([&](auto& block, auto&) {
      if (block.lane() != 0) return;
      if (block.block_index() == 0) {
        block.store_release(&flag, 1u);
        data = 7;
      } else {
        while (block.load_acquire(&flag) == 0) block.back_off();
        got = data;
      }
    });
  };
  const auto wrong = [&](status) { return got != 7; };
  EXPECT_FALSE(first_failure(0, 2, make, wrong));
  EXPECT_TRUE(first_failure(1, 2, make, wrong));
}

TEST(explored_schedules, find_data_that_is_overwritten_between_the_look_at_its_flag_and_its_use) {
  std::uint32_t version = 0, data = 0;
  bool torn = false;
  const auto make = [&] {
    version = data = 0;
    torn = false;
    return kernel<32>([&](auto& block, auto&) {
      if (block.lane() != 0) return;
      if (block.block_index() == 0) {
        data = 1;
        block.store_release(&version, 1u);
        block.store_release(&version, 0u);
        data = 2;
      } else {
        torn = block.load_acquire(&version) == 1 && data == 2;
      }
    });
  };
  const auto wrong = [&](status) { return torn; };
  EXPECT_FALSE(first_failure(1, 2, make, wrong));
  EXPECT_TRUE(first_failure(2, 2, make, wrong));
}

TEST(explored_schedules, find_with_two_preemptions_what_one_does_not_show) {
  std::uint32_t step = 0, first = 0, second = 0;
  const auto make = [&] {
    step = first = second = 0;
    return kernel<32>([&](auto& block, auto&) {
      if (block.lane() != 0) return;
      if (block.block_index() == 0) {
        block.store_relaxed(&step, 1u);
        block.store_relaxed(&step, 2u);
      } else {
        first = block.load_relaxed(&step);
        second = block.load_relaxed(&step);
      }
    });
  };
  const auto wrong = [&](status) { return first == 1 && second == 2; };
  EXPECT_FALSE(first_failure(1, 2, make, wrong));
  EXPECT_EQ(first_failure(2, 2, make, wrong).value().size(), 2u);
}

TEST(explored_schedules, find_a_missing_barrier) {
  for (const int early : {0, 1}) {
    int wrong_values = 0;
    const auto make = [&] {
      wrong_values = 0;
      return kernel<64>([&, early](auto& block, auto& s) {
        s.x[block.thread_rank()] = 1;
        block.barrier();
        wrong_values += s.x[63 - block.thread_rank()] != 1;
        // A barrier is missing here; only one warp's writes come too early for the other.
        if (block.warp() == early) s.x[block.thread_rank()] = 2;
      });
    };
    EXPECT_TRUE(first_failure(1, 1, make, [&](status) { return wrong_values != 0; }));
  }
}

/// Block 0 looks at the flag, and goes to sleep if it is not set; block 1 sets it, and wakes a sleeper if there is one.
/// What block 0 does when block 1 comes between is lost.
struct lost_wake_up {
  std::uint32_t flag = 0, sleeps = 0, wake = 0;
  int line = 0;
  auto make() {
    flag = sleeps = wake = 0;
    return kernel<32>([this](auto& block, auto&) {
      if (block.lane() != 5) return;
      if (block.block_index() == 0) {
        if (block.load_acquire(&flag) != 0) return;
        block.store_release(&sleeps, 1u);
        while (block.load_acquire(&wake) == 0) UPSWEEP_TEST_AT(line, block.back_off());
      } else {
        block.store_release(&flag, 1u);
        if (block.load_acquire(&sleeps) != 0) block.store_release(&wake, 1u);
      }
    });
  }
};

TEST(explored_schedules, find_a_lost_wake_up) {
  lost_wake_up k;
  const auto make = [&] { return k.make(); };
  const auto wrong = [](status s) { return s != status::success; };
  EXPECT_FALSE(first_failure(0, 2, make, wrong));
  const auto found = first_failure(1, 2, make, wrong);
  ASSERT_TRUE(found);
  EXPECT_TRUE(says(sim_diagnostic(), "no forward progress: threads back off"));
  EXPECT_TRUE(waits_at(sim_diagnostic(), thread_named(0, 0, 5), "back_off", file, k.line));
}

TEST(explored_schedules, are_replayed_by_the_preemptions_that_the_sim_prints) {
  lost_wake_up k;
  const auto found = first_failure(
      1, 2, [&] { return k.make(); }, [](status s) { return s != status::success; });
  ASSERT_TRUE(found);
  const std::string message = sim_diagnostic();
  // Block 1 comes after block 0's look at the flag: the points at the beginning (0) and before the look (1) come first.
  EXPECT_EQ(to_string(*found), "{{2, 1}}");
  EXPECT_TRUE(says(message, "(preemptions {{2, 1}})"));
  for (int i = 0; i < 3; ++i) {
    sim_exploration again{{{2, 1}}};
    EXPECT_EQ(diagnostic_of(by(again), 2, k.make()), message);
  }
}

TEST(explored_schedules, are_the_same_each_time) {
  const auto trace_of = [](const std::vector<preemption>& preemptions) {
    std::vector<std::int64_t> trace;
    std::uint32_t turns = 0;
    sim_exploration e{preemptions};
    const auto k = kernel<64>([&](auto& block, auto&) {
      for (int i = 0; i < 2; ++i) {
        if (block.lane() == 3 * i) block.atomic_add(&turns, 1u);
        trace.push_back(block.block_index() * 64 + block.thread_rank());
        while (block.load_acquire(&turns) < 3u * static_cast<unsigned>(i + 1)) block.back_off();
        block.barrier();
      }
    });
    EXPECT_EQ(launch(by(e), 3, k), status::success) << sim_diagnostic();
    for (const int a : e.alternatives) trace.push_back(a);
    return trace;
  };
  std::set<std::vector<std::int64_t>> traces;
  for (std::size_t point = 0; point < 60; point += 7) {
    const auto trace = trace_of({{point, 1}, {point + 20, 1}});
    EXPECT_EQ(trace_of({{point, 1}, {point + 20, 1}}), trace);
    traces.insert(trace);
  }
  EXPECT_GT(traces.size(), 5u);
}

TEST(explored_schedules, stop_when_their_preemptions_are_of_another_run) {
  const auto nothing = kernel<32>([](auto&, auto&) {});
  sim_exploration e{{{0, 5}}};
  EXPECT_TRUE(says(diagnostic_of(by(e), 3, nothing), "schedule point 0 has 2 alternatives, not 5"));
  int runs = 0;
  EXPECT_THROW(
      explore_schedules(
          1, [&](sim_exploration& run) { return launch(by(run), ++runs == 1 ? 3 : 1, nothing) == status::success; }),
      std::logic_error);
}

TEST(explored_schedules, end_soon_when_a_kernel_never_does) {
  std::uint32_t never = 0;
  for (int i = 0; i < 100; ++i) {
    sim_exploration e;
    EXPECT_TRUE(says(diagnostic_of(by(e), 4, kernel<64>([&](auto& block, auto&) {
                                     while (block.load_acquire(&never) == 0) block.back_off();
                                   })),
                     "no forward progress: threads back off"));
    // While nothing happens there is nothing to choose: the points are those of the first looks.
    EXPECT_LT(e.alternatives.size(), 1000u);
    EXPECT_TRUE(says(diagnostic_of(by(e), 2, kernel<64>([&](auto& block, auto&) {
                                     if (block.thread_rank() == 3) block.warp_sync();
                                     block.barrier();
                                   })),
                     "no forward progress: all threads wait for each other"));
  }
  EXPECT_TRUE(says(diagnostic_of(explored().options, 1, kernel<32>([&](auto& block, auto&) {
                                   while (block.load_relaxed(&never) == 0) {
                                   }
                                 })),
                   "spins on an ordered load without back_off()"));
  EXPECT_TRUE(says(diagnostic_of(explored().options, 1000, kernel<64>([](auto&, auto&) {})), "too many threads"));
}

TEST(explored_schedules, let_threads_back_off_without_a_look) {
  std::uint32_t flag = 0;
  const auto k = kernel<32>([&](auto& block, auto&) {
    if (block.block_index() == 0) {
      for (int i = 0; i < 5; ++i) block.back_off();
      if (block.lane() == 0) block.store_release(&flag, 1u);
    } else {
      while (block.load_acquire(&flag) == 0) block.back_off();
    }
  });
  EXPECT_EQ(launch(explored().options, 3, k), status::success) << sim_diagnostic();
}

}  // namespace
}  // namespace upsweep::test
