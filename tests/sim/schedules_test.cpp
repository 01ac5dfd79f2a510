// The sim's schedules: what they promise, that they differ, and that they can be replayed.
#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include "sim/sim_kernel.hpp"
#include "upsweep/scan/scan.cuh"

namespace upsweep::test {
namespace {

/// The threads in the order in which they begin, wait and go on. One OS thread writes it.
std::vector<int> trace_of(const sim_options& options, int blocks = 6) {
  std::vector<int> trace;
  std::uint32_t word = 0;
  const auto k = kernel<64>([&](auto& block, auto&) {
    const int id = static_cast<int>(block.block_index()) * 64 + block.thread_rank();
    trace.push_back(id);
    block.warp_sync();
    trace.push_back(id);
    block.atomic_add(&word, 1u);
    trace.push_back(id);
    block.barrier();
    trace.push_back(id);
  });
  EXPECT_EQ(launch(options, blocks, k), status::success) << sim_diagnostic();
  EXPECT_EQ(word, static_cast<std::uint32_t>(blocks) * 64);
  return trace;
}

/// The blocks in the order in which they begin.
std::vector<int> blocks_of(const sim_options& options) {
  std::vector<int> order;
  EXPECT_EQ(launch(options, 40, kernel<32>([&](auto& block, auto&) {
                     if (block.lane() == 0) order.push_back(static_cast<int>(block.block_index()));
                   })),
            status::success);
  return order;
}

TEST(sim_schedule, in_order_begins_with_the_lowest_thread_and_reversed_with_the_highest) {
  std::vector<int> up(64), down(64);
  std::iota(up.begin(), up.end(), 0);
  std::iota(down.rbegin(), down.rend(), 0);
  const auto first_threads = [](const std::vector<int>& trace) {
    std::vector<int> first;
    std::set<int> seen;
    for (const int id : trace) {
      if (id < 64 && seen.insert(id).second) first.push_back(id);
    }
    return first;
  };
  EXPECT_EQ(first_threads(trace_of(quiet())), up);
  EXPECT_EQ(first_threads(trace_of(quiet(sim_order::reversed))), down);
  const auto random = first_threads(trace_of(quiet(sim_order::random)));
  EXPECT_NE(random, up);
  EXPECT_NE(random, down);
}

TEST(sim_schedule, random_is_replayed_by_its_seed) {
  std::set<std::vector<int>> traces;
  for (std::uint64_t s = 0; s < 20; ++s) {
    sim_options options = quiet(sim_order::random);
    options.seed = s;
    const std::vector<int> trace = trace_of(options);
    EXPECT_EQ(trace_of(options), trace) << "seed " << s;
    traces.insert(trace);
  }
  EXPECT_EQ(traces.size(), 20u);
}

TEST(sim_schedule, random_takes_one_thread_of_the_cpu_whatever_the_options_say) {
  sim_options options = quiet(sim_order::random);
  const std::vector<int> trace = trace_of(options, 200);
  options.os_threads = 2;
  EXPECT_EQ(trace_of(options, 200), trace);
}

TEST(sim_schedule, issues_blocks_forwards_or_backwards) {
  sim_options options = quiet();
  const std::vector<int> forwards = blocks_of(options);
  EXPECT_EQ(forwards.size(), 40u);
  EXPECT_TRUE(std::is_sorted(forwards.begin(), forwards.end()));
  options.blocks_backwards = true;
  std::vector<int> backwards = blocks_of(options);
  EXPECT_EQ(backwards.front(), 39);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(backwards, forwards);
}

TEST(sim_schedule, random_leaves_a_block_between_its_atomics) {
  std::uint32_t word = 0;
  std::vector<int> order;
  EXPECT_EQ(launch(quiet(sim_order::random), 2, kernel<32>([&](auto& block, auto&) {
                     for (int i = 0; i < 50; ++i) {
                       block.atomic_add(&word, 1u);
                       order.push_back(static_cast<int>(block.block_index()));
                     }
                   })),
            status::success);
  int changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) changes += order[i] != order[i - 1];
  EXPECT_GT(changes, 10);
}

TEST(sim_schedule, random_comes_between_a_load_and_the_store_behind_it) {
  int lost = 0;
  for (std::uint64_t s = 0; s < 200; ++s) {
    sim_options options = quiet(sim_order::random);
    options.seed = s;
    std::uint32_t count = 0;
    EXPECT_EQ(launch(options, 2, kernel<32>([&](auto& block, auto&) {
                       if (block.lane() == 0) block.store_relaxed(&count, block.load_relaxed(&count) + 1);
                     })),
              status::success);
    lost += count != 2;
  }
  EXPECT_GT(lost, 0);
}

TEST(sim_schedule, of_random_order_lets_a_block_ask_for_what_one_before_it_has_not_told) {
  constexpr int blocks = 40;
  std::uint32_t ticket = 0, early = 0, told[blocks] = {};
  const auto k = kernel<64>([&](auto& block, auto& s) {
    if (block.thread_rank() == 0) s.x[0] = static_cast<int>(block.atomic_add(&ticket, 1u));
    const auto work = [&] {
      for (int i = 0; i < 10; ++i) block.barrier();
    };
    work();
    if (block.thread_rank() == 0) block.store_relaxed(&told[s.x[0]], 1u);
    work();
    if (block.thread_rank() == 0 && s.x[0] > 0 && block.load_relaxed(&told[s.x[0] - 1]) == 0) ++early;
  });
  EXPECT_EQ(launch(quiet(sim_order::random), blocks, k), status::success) << sim_diagnostic();
  EXPECT_GT(early, 0u);
}

TEST(sim_schedule, keeps_several_blocks_in_flight_that_wait_for_each_other) {
  for (const sim_order order : all_orders) {
    for (const bool backwards : {false, true}) {
      // Every block waits until four have begun.
      std::uint32_t begun = 0;
      const auto meet = kernel<32>([&](auto& block, auto&) {
        if (block.lane() == 0) block.atomic_add(&begun, 1u);
        while (block.load_acquire(&begun) < 4) block.back_off();
      });
      sim_options options = quiet(order);
      options.blocks_backwards = backwards;
      EXPECT_EQ(launch(options, 4, meet), status::success) << sim_diagnostic();
      begun = 0;
      options.resident_blocks = 3;
      EXPECT_TRUE(says(diagnostic_of(options, 4, meet), "no forward progress"));
    }
  }
}

TEST(sim_schedule, shares_large_grids_among_threads_of_the_cpu) {
  std::vector<std::thread::id> who(64);
  std::uint32_t sum = 0;
  sim_options options = quiet();
  options.os_threads = 2;
  std::uint32_t begun = 0;
  const auto k = kernel<1024>([&](auto& block, auto&) {
    if (block.thread_rank() == 0) {
      who[static_cast<std::size_t>(block.block_index())] = std::this_thread::get_id();
      block.atomic_add(&begun, 1u);
      // More than one OS thread can keep in flight.
      while (block.load_acquire(&begun) < 6) block.back_off();
    }
    block.barrier();
    block.atomic_add(&sum, 1u);
  });
  EXPECT_EQ(launch(options, 64, k), status::success) << sim_diagnostic();
  EXPECT_EQ(sum, 64u * 1024);
  EXPECT_EQ(std::set<std::thread::id>(who.begin(), who.end()).size(), 2u);
}

TEST(sim_memory, that_is_shared_starts_poisoned_in_every_block) {
  int dirty = 0;
  const auto k = kernel<64>([&](auto& block, auto& s) {
    const auto* const fixed = reinterpret_cast<const unsigned char*>(&s);
    auto* const dynamic = static_cast<unsigned char*>(block.dynamic_shared());
    if (block.thread_rank() == 0) {
      for (std::size_t i = 0; i < sizeof s; ++i) dirty += fixed[i] != 0xcb;
      for (std::size_t i = 0; i < block.dynamic_shared_bytes(); ++i) dirty += dynamic[i] != 0xcb;
    }
    block.barrier();
    s.x[block.thread_rank()] = 0;
    dynamic[block.thread_rank()] = 0;
  });
  sim_options options = quiet();
  options.resident_blocks = 1;
  EXPECT_EQ(launch(options, grid(5, 300), k), status::success) << sim_diagnostic();
  EXPECT_EQ(launch(options, grid(5, 100), k), status::success) << sim_diagnostic();
  EXPECT_EQ(dirty, 0);
}

TEST(sim_memory, that_is_allocated_starts_poisoned_and_aligned) {
  sim_executor executor;
  void* p = nullptr;
  ASSERT_EQ(executor.allocate(&p, 1000), status::success);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % 256, 0u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(static_cast<unsigned char*>(p)[i], 0xcb);
  EXPECT_EQ(executor.deallocate(p), status::success);
}

TEST(sim_memory, that_a_bulk_load_fills_holds_poison_until_the_schedule_completes_it) {
  alignas(16) const std::uint32_t global[4] = {1, 2, 3, 4};
  std::uint32_t at_once = 0, in_the_end = 0;
  const auto k = kernel<32>([&](auto& block, auto& s) {
    if (block.lane() != 0) return;
    block.phase_init(s.phase, 1);
    block.phase_arrive_expect(s.phase, 16);
    block.bulk_load(s.x, global, 16, s.phase);
    at_once = static_cast<std::uint32_t>(s.x[0]);
    block.phase_wait(s.phase, 0);
    in_the_end = static_cast<std::uint32_t>(s.x[3]);
  });
  EXPECT_EQ(launch(quiet(), 1, k), status::success) << sim_diagnostic();
  EXPECT_EQ(at_once, 0xcbcbcbcbu);
  EXPECT_EQ(in_the_end, 4u);
}

TEST(sim_launches, of_several_host_threads_do_not_disturb_each_other) {
  const auto scans = [](int which, int& wrong, std::string& message) {
    sim_options options = quiet(all_orders[which % 3]);
    options.os_threads = which % 2;
    const sim_stream stream{&options};
    std::vector<std::uint32_t> in(20000), out(in.size());
    for (int round = 0; round < 6; ++round) {
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * 7 + which + round);
      std::vector<unsigned char> work(inclusive_sum_workspace_bytes(in.data(), out.data(), 20000));
      wrong += inclusive_sum({work.data(), work.size()}, in.data(), out.data(), 20000, stream) != status::success;
      std::uint32_t sum = 0;
      for (std::size_t i = 0; i < in.size(); ++i) wrong += out[i] != (sum += in[i]);
      const auto bad = kernel<32>([&](auto& block, auto&) { block.warp_sync(1u << which); });
      wrong += launch(options, 1, bad) != status::launch_failure;
      message = sim_diagnostic();
    }
  };
  std::vector<std::thread> threads;
  int wrong[6] = {};
  std::string messages[6];
  for (int i = 0; i < 6; ++i) threads.emplace_back([&, i] { scans(i, wrong[i], messages[i]); });
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(wrong[i], 0);
    EXPECT_TRUE(says(messages[i], "does not name it"));
  }
}

TEST(sim_diagnostic, belongs_to_the_host_thread_that_launched) {
  diagnostic_of(quiet(), 1, kernel<32>([](auto& block, auto&) { block.warp_sync(2); }));
  std::string elsewhere = "?";
  std::thread([&] { elsewhere = sim_diagnostic(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_FALSE(sim_diagnostic().empty());
}

}  // namespace
}  // namespace upsweep::test
