// What orders blocks and launches: releases and acquires, fences, scopes, waits for the previous launch.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "race_checker_fixture.hpp"

namespace upsweep::test {
namespace {

class races_between_blocks : public race_checker_test {};
INSTANTIATE_TEST_SUITE_P(orders, races_between_blocks, testing::ValuesIn(all_orders), name_of_order);

// --- between blocks ---

/// Block 0 writes data and says so, block 1 waits for that and reads the data.
enum class saying { release, relaxed, fence, block_release, add_release };
enum class hearing { acquire, relaxed, fence, block_acquire };

TEST_P(races_between_blocks, wants_an_acquire_that_follows_a_release) {
  auto flag = array(std::vector<int>{0});
  auto data = empty_array<int>(64);
  const auto body = [f = flag.data(), d = data.data()](auto& block, saying say, hearing hear, bool barrier) {
    const int t = block.thread_rank();
    if (block.block_index() == 0) {
      d[t] = t;  // #sent
      if (barrier) block.barrier();
      if (t != 0) return;
      if (say == saying::release) block.store_release(f, 1);
      if (say == saying::relaxed) block.store_relaxed(f, 1);
      if (say == saying::block_release) block.store_release(f, 1, block_scope);
      if (say == saying::fence) {
        block.fence();
        block.store_relaxed(f, 1);
      }
      if (say == saying::add_release) {
        block.store_release(f, 2);
        block.atomic_add(f, -1);
      }
      return;
    }
    if (t == 0) {
      for (;;) {
        const int seen = hear == hearing::acquire         ? block.load_acquire(f)
                         : hear == hearing::block_acquire ? block.load_acquire(f, block_scope)
                                                          : block.load_relaxed(f);
        if (seen == 1) break;
        block.back_off();
      }
      if (hear == hearing::fence) block.fence();
    }
    block.barrier();
    use(d[63 - t]);  // #received
  };
  const auto with = [&](saying say, hearing hear, bool barrier = true) {
    flag.set({0});
    data.forget();
    return kernel<64>([=](auto& block, auto&) { body(block, say, hear, barrier); });
  };
  expect_silence(2, with(saying::release, hearing::acquire));
  expect_silence(2, with(saying::fence, hearing::fence));
  expect_silence(2, with(saying::fence, hearing::acquire));
  expect_silence(2, with(saying::release, hearing::fence));
  expect_silence(2, with(saying::add_release, hearing::acquire));
  const std::vector<std::string> race = {"block 1, warp ", "race: it reads 4 bytes of device memory",
                                         "of block 0 wrote at " + line_of("sent"), line_of("received")};
  expect_report(2, with(saying::relaxed, hearing::acquire), race);
  expect_report(2, with(saying::release, hearing::relaxed), race);
  expect_report(2, with(saying::relaxed, hearing::relaxed), race);
  expect_report(2, with(saying::fence, hearing::relaxed), race);
  expect_report(2, with(saying::relaxed, hearing::fence), race);
  // The other way of the scope is as wrong: the flag itself is accessed in two scopes then.
  EXPECT_TRUE(says(diagnostic_of(options_, 2, with(saying::block_release, hearing::acquire)), "race: it "));
  EXPECT_TRUE(says(diagnostic_of(options_, 2, with(saying::release, hearing::block_acquire)), "race: it "));
  // Without the barrier the release is of one thread's writes alone.
  const std::string report = diagnostic_of(options_, 2, with(saying::release, hearing::acquire, false));
  EXPECT_TRUE(says(report, line_of("received")));
}

TEST_P(races_between_blocks, follows_messages_from_block_to_block) {
  auto flags = array(std::vector<int>(4, 0));
  auto data = empty_array<int>(1);
  const auto body = [f = flags.data(), d = data.data()](auto& block, bool acquire) {
    const std::int64_t b = block.block_index();
    if (block.thread_rank() != 0) return;
    if (b == 0) {
      *d = 1;
    } else {
      for (;;) {
        const int seen = acquire || b == 3 ? block.load_acquire(f + b - 1) : block.load_relaxed(f + b - 1);
        if (seen != 0) break;
        block.back_off();
      }
    }
    if (b == 3) use(*d);  // #three blocks on
    block.store_release(f + b, 1);
  };
  expect_silence(4, kernel<32>([=](auto& block, auto&) { body(block, true); }));
  flags.set({0, 0, 0, 0});
  expect_report(4, kernel<32>([=](auto& block, auto&) { body(block, false); }),
                {"block 3, warp 0, lane 0", "race: it reads 4 bytes", line_of("three blocks on")});
}

TEST_P(races_between_blocks, wants_atomics_in_a_scope_that_holds_all_who_use_them) {
  auto count = array(std::vector<int>{0});
  int* const c = count.data();
  expect_silence(4, kernel<64>([=](auto& block, auto&) { block.atomic_add(c, 1); }));
  expect_report(4, kernel<64>([=](auto& block, auto&) {
                  block.atomic_add(c, 1, block_scope);  // #narrow
                }),
                {"race: it reads (atomically) 4 bytes", line_of("narrow")});
  expect_silence(1, kernel<64>([=](auto& block, auto&) { block.atomic_add(c, 1, block_scope); }));
}

TEST_P(races_between_blocks, remembers_atomic_reads_behind_writes_of_the_same_thread) {
  expect_report(1, kernel<64>([](auto& block, auto& s) {
                  if (block.thread_rank() == 0) block.store_relaxed(s.x, 1);
                  block.barrier();
                  if (block.thread_rank() == 0) use(block.load_relaxed(s.x));
                  if (block.thread_rank() == 40) s.x[0] = 0;
                }),
                {"race: it "});
}

TEST_P(races_between_blocks, wants_atomics_of_the_same_bytes) {
  auto pair = array(std::vector<std::uint64_t>{0});
  auto* const whole = pair.data();
  auto* const halves = reinterpret_cast<std::uint32_t*>(whole);
  const auto body = [=](auto& block, bool by_halves) {
    if (block.thread_rank() != 0) return;
    if (block.block_index() == 0) {
      if (by_halves) {
        block.store_relaxed(halves, 1u);
        block.store_relaxed(halves + 1, 1u);
      } else {
        block.store_relaxed(whole, std::uint64_t{1});
      }
    } else {
      use(block.load_relaxed(whole));  // #both halves at once
    }
  };
  const std::string report = diagnostic_of(options_, 2, kernel<32>([=](auto& block, auto&) { body(block, true); }));
  EXPECT_TRUE(says(report, "(atomically)"));
  EXPECT_TRUE(says(report, line_of("both halves at once")));
  expect_silence(2, kernel<32>([=](auto& block, auto&) { body(block, false); }));
}

TEST_P(races_between_blocks, keeps_the_scopes_of_fences_apart) {
  auto flag = array(std::vector<int>{0});
  auto data = empty_array<int>(1);
  const auto body = [f = flag.data(), d = data.data()](auto& block, bool narrow_last, bool narrow_reader) {
    if (block.thread_rank() != 0) return;
    if (block.block_index() == 0) {
      *d = 1;
      block.fence();
      if (narrow_last) block.fence(block_scope);
      block.store_relaxed(f, 1);
      return;
    }
    while (block.load_relaxed(f) == 0) block.back_off();
    if (narrow_reader) {
      block.fence(block_scope);
    } else {
      block.fence();
    }
    use(*d);
  };
  const auto with = [&](bool narrow_last, bool narrow_reader) {
    flag.set({0});
    return kernel<32>([=](auto& block, auto&) { body(block, narrow_last, narrow_reader); });
  };
  expect_silence(2, with(true, false));
  expect_report(2, with(false, true), {"race: it reads 4 bytes of device memory"});
}

/// Blocks that run one after another in the same shared memory have not met there.
TEST_P(races_between_blocks, takes_no_message_from_the_shared_memory_of_another_block) {
  auto data = array(std::vector<int>{0});
  options_.resident_blocks = 1;
  expect_report(2, kernel<32>([d = data.data()](auto& block, auto& s) {
                  if (block.lane() == 0) block.store_relaxed(s.x, 0);
                  block.barrier();
                  if (block.lane() != 0) return;
                  use(block.load_acquire(s.x));
                  *d = 5;
                  block.store_release(s.x, 1);
                }),
                {"race: it writes 4 bytes of device memory"});
}

TEST_P(races_between_blocks, does_not_take_an_atomic_for_order) {
  auto count = array(std::vector<int>{0});
  expect_report(1, kernel<64>([c = count.data()](auto& block, auto&) {
                  block.atomic_add(c, 1);  // #counts
                  use(*c);                 // #looks
                }),
                {"race: it ", line_of("counts"), line_of("looks")});
}

TEST_P(races_between_blocks, orders_launches) {
  auto data = array(std::vector<int>(128, 0));
  int* const d = data.data();
  expect_silence(2, kernel<64>([=](auto& block, auto&) { d[block.block_index() * 64 + block.thread_rank()] = 1; }));
  expect_silence(2,
                 kernel<64>([=](auto& block, auto&) { use(d[127 - block.block_index() * 64 - block.thread_rank()]); }));
  expect_report(2, kernel<64>([=](auto& block, auto&) {
                  d[block.block_index() * 64 + block.thread_rank()] = 1;
                  use(d[127 - block.block_index() * 64 - block.thread_rank()]);
                }),
                {"of device memory", "of block "});
}

/// A kernel that may begin before the previous launch has ended.
template <class Body>
struct early_kernel {
  static constexpr int block_threads = 64;
  static constexpr bool begins_early = true;
  struct temp_storage {
    int x[64];
  };
  Body body;
  template <class Ctx>
  void operator()(Ctx& block, temp_storage& s) const {
    body(block, s);
  }
};

TEST_P(races_between_blocks, wants_early_kernels_to_wait_for_the_launch_in_front) {
  const auto in = array(std::vector<int>(64, 1));
  auto states = array(std::vector<int>(64, 1)), out = array(std::vector<int>(64, 0));
  const auto clear = [&](sim_executor& executor) { return executor.clear(states.data(), 64 * sizeof(int)); };
  const auto count = [&](sim_executor& executor) {
    grid g(1);
    g.overlaps_next = true;
    return executor.launch(g, kernel<64>([states = states.data()](auto& block, auto&) {
                             block.atomic_add(states + block.thread_rank(), 1);
                           }));
  };
  const auto expect = [&](auto body, const std::vector<std::string>& parts) {
    const auto behind = [&](auto front) {
      sim_executor executor(sim_stream{&options_});
      ASSERT_EQ(front(executor), status::success) << sim_diagnostic();
      ASSERT_EQ(executor.launch(2, early_kernel<decltype(body)>{body}),
                parts.empty() ? status::success : status::launch_failure)
          << sim_diagnostic();
      for (const std::string& part : parts) EXPECT_TRUE(says(sim_diagnostic(), part));
    };
    behind(clear);
    behind(count);
  };
  // All threads wait before step number `waits_at`; one of them, with a barrier after it, at step 0.
  const auto steps = [in = in.data(), states = states.data(), out = out.data()](auto& block, auto& s, int waits_at) {
    const int t = block.thread_rank();
    s.x[t] = in[t];
    if (waits_at == 0 && t == 40) block.wait_for_previous();
    block.barrier();
    if (waits_at == 1) block.wait_for_previous();
    if (block.block_index() == 1) use(states[t]);  // #of the launch in front
    if (waits_at == 2) block.wait_for_previous();
    if (block.block_index() == 0) out[t] = s.x[t];  // #too early a write
    if (waits_at == 3) block.wait_for_previous();
  };
  expect([=](auto& block, auto& s) { steps(block, s, 0); }, {});
  expect([=](auto& block, auto& s) { steps(block, s, 1); }, {});
  expect([=](auto& block, auto& s) { steps(block, s, 2); },
         {line_of("of the launch in front"), "reads 4 bytes that a launch in front wrote, before wait_for_previous"});
  expect(
      [=](auto& block, auto& s) {
        if (block.block_index() == 0) steps(block, s, 3);
      },
      {line_of("too early a write"), "writes 4 bytes before wait_for_previous"});
}

TEST_P(races_between_blocks, remembers_what_launches_wrote_whoever_reads_it_first) {
  auto states = array(std::vector<int>(64, 1)), out = array(std::vector<int>(64, 0));
  const auto run = [&](int launches_between, bool second_waits) {
    sim_executor executor(sim_stream{&options_});
    grid g(1);
    g.overlaps_next = true;
    ASSERT_EQ(executor.launch(g, kernel<64>([s = states.data()](auto& block, auto&) { s[block.thread_rank()] = 2; })),
              status::success);
    for (int i = 0; i < launches_between; ++i) {
      ASSERT_EQ(executor.launch(g, kernel<64>([o = out.data()](auto& block, auto&) { o[block.thread_rank()] = 1; })),
                status::success);
    }
    const auto body = [s = states.data(), second_waits](auto& block, auto&) {
      if (block.block_index() == 0 || second_waits) block.wait_for_previous();
      use(s[block.thread_rank()]);  // #read by both blocks
    };
    ASSERT_EQ(executor.launch(2, early_kernel<decltype(body)>{body}),
              second_waits ? status::success : status::launch_failure)
        << sim_diagnostic();
    if (second_waits) return;
    EXPECT_TRUE(says(sim_diagnostic(), "that a launch in front wrote, before wait_for_previous"));
    EXPECT_TRUE(says(sim_diagnostic(), line_of("read by both blocks")));
  };
  for (const int launches_between : {0, 1}) {
    run(launches_between, true);
    run(launches_between, false);
  }
}

}  // namespace
}  // namespace upsweep::test
