// Kernels with one rule broken each, which the race checker must name, beside the same kernels as they should be, on
// which it must be silent. A comment of the form "// #name" marks a line that a report shall name.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "sim/sim_kernel.hpp"
#include "support/guarded_array.hpp"

namespace upsweep::test {
namespace {

/// "file:line" of the line of this file that ends with the mark.
std::string line_of(const std::string& mark) {
  std::ifstream source(__FILE__);
  std::string text;
  for (int line = 1; std::getline(source, text); ++line) {
    if (text.ends_with("// #" + mark)) return std::string(__FILE__) + ":" + std::to_string(line);
  }
  return "no line has the mark " + mark;
}

/// Keeps a read whose value nobody needs.
template <class T>
void use(T value) {
  asm volatile("" ::"m"(value));
}

using device = test_device<sim_stream>;

/// The sim with all blocks in flight, in one order.
class race_checker : public testing::TestWithParam<sim_order> {
 protected:
  race_checker() : options_(quiet(GetParam())), device_({"sim", options_}) {
    options_.resident_blocks = 8;
    if (GetParam() == sim_order::reversed) options_.blocks_backwards = true;
  }

  template <class Kernel>
  void expect_silence(grid g, const Kernel& k) {
    ASSERT_EQ(launch(options_, g, k), status::success) << sim_diagnostic();
  }
  /// The report says all that.
  template <class Kernel>
  void expect_report(grid g, const Kernel& k, const std::vector<std::string>& parts) {
    const std::string report = diagnostic_of(options_, g, k);
    for (const std::string& part : parts) EXPECT_TRUE(says(report, part));
  }
  template <class T>
  guarded_array<T, sim_stream> array(const std::vector<T>& items) {
    return {device_, items};
  }
  template <class T>
  guarded_array<T, sim_stream> empty_array(std::size_t n) {
    return {device_, n};
  }

  sim_options options_;
  device device_;
};

INSTANTIATE_TEST_SUITE_P(orders, race_checker, testing::ValuesIn(all_orders), [](const auto& order) {
  return std::string(order.param == sim_order::in_order   ? "in_order"
                     : order.param == sim_order::reversed ? "reversed"
                                                          : "random");
});

// --- shared memory ---

TEST_P(race_checker, names_both_lines_of_a_missing_barrier) {
  const auto body = [](auto& block, auto& s, bool barrier) {
    const int t = block.thread_rank();
    s.x[t] = 0;
    block.barrier();
    s.x[t] = t;  // #unordered write
    if (barrier) block.barrier();
    use(s.x[(t + 40) % 96]);  // #unordered read
  };
  expect_report(2, kernel<96>([=](auto& block, auto& s) { body(block, s, false); }),
                {"sim: kernel upsweep::test::kernel_of: block ", ", warp ", ", lane ", " of shared memory, byte ",
                 "and nothing orders the two", line_of("unordered write")});
  expect_silence(2, kernel<96>([=](auto& block, auto& s) { body(block, s, true); }));
}

TEST_P(race_checker, finds_shared_memory_that_is_used_again_too_early) {
  const auto body = [](auto& block, auto& s, bool barrier) {
    const int t = block.thread_rank();
    for (int round = 0; round < 2; ++round) {
      s.x[t] = round;  // #too early
      block.barrier();
      use(s.x[(t + 1) % 64]);
      if (barrier) block.barrier();
    }
  };
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, false); }),
                {"race: it ", line_of("too early")});
  expect_silence(1, kernel<64>([=](auto& block, auto& s) { body(block, s, true); }));
}

TEST_P(race_checker, remembers_each_of_many_readers) {
  expect_report(1, kernel<96>([](auto& block, auto& s) {
                  if (block.thread_rank() == 0) s.x[0] = 1;
                  block.barrier();
                  use(s.x[0]);  // #one of many readers
                  block.warp_sync();
                  // The threads of this warp are ordered, those of the others are not.
                  if (block.thread_rank() == 40) s.x[0] = 2;
                }),
                {"race: it ", line_of("one of many readers")});
}

TEST_P(race_checker, finds_two_writers_of_the_same_value) {
  expect_report(1, kernel<64>([](auto&, auto& s) {
                  s.x[7] = 1;  // #all write
                }),
                {"race: it writes 4 bytes of shared memory, byte 28", "wrote at " + line_of("all write")});
}

TEST_P(race_checker, tells_bytes_of_a_word_apart) {
  const auto body = [](auto& block, auto& s, int apart) {
    auto* const bytes = reinterpret_cast<unsigned char*>(s.x);
    const int t = block.thread_rank();
    bytes[t * apart / 2] = static_cast<unsigned char>(t);
    block.barrier();
    if (t < 32) use(s.x[t / 4]);
  };
  expect_silence(1, kernel<64>([=](auto& block, auto& s) { body(block, s, 2); }));
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, 1); }), {"race: it writes 1 byte of shared"});
}

TEST_P(race_checker, orders_the_lanes_of_a_warp_by_warp_sync_alone) {
  const auto body = [](auto& block, auto& s, auto meet) {
    const int lane = block.lane();
    s.x[lane] = 0;
    block.barrier();
    s.x[lane] = lane;  // #lane writes
    meet(block);
    use(s.x[lane ^ 1]);
  };
  const auto with = [&](auto meet) { return kernel<32>([=](auto& block, auto& s) { body(block, s, meet); }); };
  expect_silence(1, with([](auto& block) { block.warp_sync(); }));
  expect_silence(1, with([](auto& block) { block.warp_sync(0x3u << (block.lane() / 2 * 2)); }));
  const std::vector<std::string> race = {"race: it ", line_of("lane writes")};
  expect_report(1, with([](auto&) {}), race);
  expect_report(1, with([](auto& block) { block.warp_sync(0x55555555u << block.lane() % 2); }), race);
  expect_report(1, with([](auto& block) { use(block.shuffle(1, 0)); }), race);
  expect_report(1, with([](auto& block) { use(block.ballot(true)); }), race);
  expect_report(1, with([](auto& block) { use(block.match_any(1u)); }), race);
}

TEST_P(race_checker, orders_only_the_warps_of_a_group) {
  const auto body = [](auto& block, auto& s, int other) {
    const warp_group group{3, 1, 2};
    const int t = block.thread_rank();
    if (block.warp() == 0) s.x[t] = t;
    if (block.warp() == 0) return;
    s.x[t] = t;
    block.group_sync(group);
    use(s.x[other]);
  };
  expect_silence(1, kernel<96>([=](auto& block, auto& s) { body(block, s, 32 + block.lane() + 1); }));
  expect_report(1, kernel<96>([=](auto& block, auto& s) { body(block, s, 5); }), {"shared memory, byte 20 of"});
}

TEST_P(race_checker, orders_those_who_wait_behind_those_who_arrive) {
  const auto body = [](auto& block, auto& s, bool wait) {
    const warp_group group{1, 0, 2};
    s.x[block.thread_rank()] = 0;
    block.barrier();
    if (block.warp() == 0) {
      s.x[block.lane()] = 1;  // #before arriving
      block.group_arrive(group);
    } else {
      if (wait) block.group_sync(group);
      if (!wait) block.group_arrive(group);
      use(s.x[31 - block.lane()]);
    }
  };
  expect_silence(3, kernel<64>([=](auto& block, auto& s) { body(block, s, true); }));
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, false); }),
                {"race: it ", line_of("before arriving")});
}

// --- clusters ---

TEST_P(race_checker, orders_the_blocks_of_a_cluster_by_their_barrier_alone) {
  enum class way { barrier, relaxed, block };
  const auto body = [](auto& block, auto& s, way by) {
    const int t = block.thread_rank();
    s.x[t] = 0;
    block.cluster_barrier();
    s.x[t] = t;  // #in its own block
    if (by == way::barrier) block.cluster_barrier();
    if (by == way::relaxed) block.cluster_barrier_relaxed();
    if (by == way::block) block.barrier();
    use(block.cluster_shared(s.x, (block.cluster_rank() + 1) % 3)[63 - t]);  // #in another
    block.cluster_barrier();
  };
  const grid g(6, 0, 3);
  const auto with = [&](way by) { return kernel<64>([=](auto& block, auto& s) { body(block, s, by); }); };
  expect_silence(g, with(way::barrier));
  for (const way by : {way::relaxed, way::block}) {
    expect_report(g, with(by),
                  {"race: it ", "shared memory", ", byte ", " of block ", line_of("in its own block"),
                   line_of("in another"), "and nothing orders the two"});
  }
}

TEST_P(race_checker, finds_blocks_that_write_the_same_place_of_another) {
  const auto body = [](auto& block, auto& s, int apart) {
    block.cluster_barrier();
    if (block.thread_rank() == 0) *block.cluster_shared(s.x + block.cluster_rank() * apart, 0) = 1;  // #sent to 0
    block.cluster_barrier();
  };
  const grid g(4, 0, 4);
  expect_silence(g, kernel<32>([=](auto& block, auto& s) { body(block, s, 1); }));
  expect_report(g, kernel<32>([=](auto& block, auto& s) { body(block, s, 0); }),
                {"race: it writes 4 bytes of shared memory", ", byte 0 of ", line_of("sent to 0")});
}

TEST_P(race_checker, finds_a_block_that_ends_while_another_reads_its_shared_memory) {
  enum class end { ordered, relaxed, none };
  const auto body = [](auto& block, auto& s, end how, int reader) {
    s.x[block.thread_rank()] = 1;
    block.cluster_barrier();
    const bool reads = block.cluster_rank() == reader;
    const int* const other = reads ? block.cluster_shared(s.x, 1 - reader) : nullptr;
    if (how == end::none) block.cluster_barrier();
    if (reads) use(other[block.thread_rank()]);  // #while it ends
    if (how == end::ordered) block.cluster_barrier();
    if (how == end::relaxed) block.cluster_barrier_relaxed();
  };
  const grid g(2, 0, 2);
  const auto with = [&](end how, int reader = 0) {
    return kernel<64>([=](auto& block, auto& s) { body(block, s, how, reader); });
  };
  expect_silence(g, with(end::ordered));
  expect_report(g, with(end::relaxed),
                {"block 1, warp ", "its block ends, and nothing orders that behind shared memory of it which warp ",
                 " of block 0 read at " + line_of("while it ends")});
  expect_report(g, with(end::none), {line_of("while it ends")});
  if (GetParam() == sim_order::in_order) {
    expect_report(g, with(end::none, 1), {"reads 4 bytes of shared memory of block 0, byte ", ", which has ended"});
  }
}

TEST_P(race_checker, follows_messages_through_the_shared_memory_of_another_block) {
  const auto body = [](auto& block, auto& s, bool release) {
    if (block.thread_rank() == 0) s.x[0] = s.x[1] = 0;
    block.cluster_barrier();
    if (block.thread_rank() == 0 && block.cluster_rank() == 0) {
      int* const other = block.cluster_shared(s.x, 1);
      other[1] = 7;  // #beside the flag
      release ? block.store_release(other, 1) : block.store_relaxed(other, 1);
    }
    if (block.thread_rank() == 0 && block.cluster_rank() == 1) {
      while (block.load_acquire(s.x) == 0) block.back_off();
      use(s.x[1]);
    }
    block.cluster_barrier();
  };
  const grid g(2, 0, 2);
  expect_silence(g, kernel<32>([=](auto& block, auto& s) { body(block, s, true); }));
  expect_report(g, kernel<32>([=](auto& block, auto& s) { body(block, s, false); }),
                {"race: it reads 4 bytes of shared memory, byte 4", line_of("beside the flag")});
}

// --- phase barriers and bulk copies ---

TEST_P(race_checker, orders_by_phases) {
  const auto body = [](auto& block, auto& s, bool wait) {
    if (block.thread_rank() == 0) block.phase_init(s.phase, 64);
    s.x[block.thread_rank()] = 0;
    block.barrier();
    s.x[block.thread_rank()] = 1;  // #before the phase ends
    block.phase_arrive(s.phase);
    if (wait) block.phase_wait(s.phase, 0);
    if (!wait) block.warp_sync();
    use(s.x[63 - block.thread_rank()]);
  };
  expect_silence(2, kernel<64>([=](auto& block, auto& s) { body(block, s, true); }));
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, false); }),
                {"race: it ", line_of("before the phase ends")});
}

TEST_P(race_checker, finds_a_phase_barrier_that_begins_anew_under_its_users) {
  expect_report(1, kernel<64>([](auto& block, auto& s) {
                  if (block.thread_rank() == 0) block.phase_init(s.phase, 64);
                  block.barrier();
                  if (block.thread_rank() == 0) block.phase_init(s.phase, 64);  // #anew
                  block.phase_arrive(s.phase);
                }),
                {"race: it ", " 8 bytes of shared memory", line_of("anew")});
}

TEST_P(race_checker, knows_when_a_bulk_load_has_come) {
  auto in = array(std::vector<int>(64, 5));
  const int* const from = in.data();
  const auto body = [from](auto& block, auto& s, bool wait, bool reuse) {
    if (block.thread_rank() == 0) block.phase_init(s.phase, 1);
    block.barrier();
    if (block.thread_rank() == 0) {
      block.phase_arrive_expect(s.phase, 256);
      block.bulk_load(s.x, from, 256, s.phase);  // #bulk load
    }
    if (reuse && block.thread_rank() == 9) s.x[3] = 1;  // #into a load
    if (wait) block.phase_wait(s.phase, 0);
    use(s.x[block.thread_rank()]);
    block.barrier();
    if (!wait) block.phase_wait(s.phase, 0);
  };
  expect_silence(1, kernel<64>([=](auto& block, auto& s) { body(block, s, true, false); }));
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, false, false); }), {"shared memory, byte "});
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, true, true); }), {line_of("into a load")});
}

TEST_P(race_checker, knows_when_a_bulk_store_has_read) {
  auto out = empty_array<int>(64);
  int* const to = out.data();
  const auto body = [to](auto& block, auto& s, bool fence, bool wait) {
    s.x[block.thread_rank()] = 1;  // #staged
    if (fence) block.bulk_fence();
    block.barrier();
    if (block.thread_rank() == 0) {
      block.bulk_store(to, s.x, 256);  // #bulk store
      block.bulk_commit();
      if (wait) block.template bulk_wait<0>();
    }
    block.barrier();
    s.x[block.thread_rank()] = 2;  // #into a store
    if (block.thread_rank() == 0) block.template bulk_wait<0>();
  };
  expect_silence(1, kernel<64>([=](auto& block, auto& s) { body(block, s, true, true); }));
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, false, true); }),
                {line_of("bulk store"), "no bulk_fence", line_of("staged")});
  expect_report(1, kernel<64>([=](auto& block, auto& s) { body(block, s, true, false); }),
                {"race: it writes 4 bytes of shared memory", ", which a bulk copy", line_of("into a store")});
}

TEST_P(race_checker, wants_a_bulk_fence_behind_the_writes_and_in_front_of_the_barrier) {
  auto out = empty_array<int>(64);
  int* const to = out.data();
  const auto body = [to](auto& block, auto& s, int when) {
    if (when == 0) block.bulk_fence();
    s.x[block.thread_rank()] = 1;
    if (when == 1) block.bulk_fence();
    block.barrier();
    if (when == 2) block.bulk_fence();
    if (block.thread_rank() != 63) return;
    block.bulk_store(to, s.x, 256);
    block.bulk_commit();
    block.template bulk_wait<0>();
  };
  const auto at = [&](int when) { return kernel<64>([=](auto& block, auto& s) { body(block, s, when); }); };
  expect_report(1, at(0), {"no bulk_fence"});
  expect_silence(1, at(1));
  expect_report(1, at(2), {"no bulk_fence"});
}

TEST_P(race_checker, wants_a_bulk_fence_between_writes_and_a_load_over_them) {
  auto in = array(std::vector<int>(64, 5));
  const int* const from = in.data();
  const auto loads = [&](bool fence) {
    return kernel<64>([=](auto& block, auto& s) {
      if (block.thread_rank() == 0) block.phase_init(s.phase, 1);
      s.x[block.thread_rank()] = 1;  // #under a load
      if (fence) block.bulk_fence();
      block.barrier();
      if (block.thread_rank() == 0) {
        block.phase_arrive_expect(s.phase, 256);
        block.bulk_load(s.x, from, 256, s.phase);  // #load over it
      }
      block.phase_wait(s.phase, 0);
      use(s.x[block.thread_rank()]);
    });
  };
  expect_silence(1, loads(true));
  expect_report(1, loads(false),
                {line_of("load over it"), "a bulk load writes over what", line_of("under a load"), "no bulk_fence"});
}

TEST_P(race_checker, tells_bulk_copies_apart) {
  auto in = array(std::vector<int>(64, 5));
  auto out = empty_array<int>(64);
  // Two loads of one phase into the same place.
  expect_report(1, kernel<32>([from = in.data()](auto& block, auto& s) {
                  if (block.thread_rank() == 0) {
                    block.phase_init(s.phase, 1);
                    block.phase_arrive_expect(s.phase, 32);
                    block.bulk_load(s.x, from, 16, s.phase);
                    block.bulk_load(s.x, from + 4, 16, s.phase);
                  }
                  block.barrier();
                  block.phase_wait(s.phase, 0);
                }),
                {"race: it writes 16 bytes of shared memory", "a bulk copy"});
  // bulk_wait tells that a store has read, not that it has written.
  expect_report(1, kernel<32>([to = out.data()](auto& block, auto& s) {
                  s.x[block.lane()] = 1;
                  block.bulk_fence();
                  block.barrier();
                  if (block.lane() != 0) return;
                  block.bulk_store(to, s.x, 128);
                  block.bulk_commit();
                  block.template bulk_wait<0>();
                  use(*to);
                }),
                {"race: it reads 4 bytes of device memory", "a bulk copy"});
}

// --- between blocks ---

/// Block 0 writes data and says so, block 1 waits for that and reads the data.
enum class saying { release, relaxed, fence, block_release, add_release };
enum class hearing { acquire, relaxed, fence, block_acquire };

TEST_P(race_checker, wants_an_acquire_that_follows_a_release) {
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

TEST_P(race_checker, follows_messages_from_block_to_block) {
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

TEST_P(race_checker, wants_atomics_in_a_scope_that_holds_all_who_use_them) {
  auto count = array(std::vector<int>{0});
  int* const c = count.data();
  expect_silence(4, kernel<64>([=](auto& block, auto&) { block.atomic_add(c, 1); }));
  expect_report(4, kernel<64>([=](auto& block, auto&) {
                  block.atomic_add(c, 1, block_scope);  // #narrow
                }),
                {"race: it reads (atomically) 4 bytes", line_of("narrow")});
  expect_silence(1, kernel<64>([=](auto& block, auto&) { block.atomic_add(c, 1, block_scope); }));
}

TEST_P(race_checker, remembers_atomic_reads_behind_writes_of_the_same_thread) {
  expect_report(1, kernel<64>([](auto& block, auto& s) {
                  if (block.thread_rank() == 0) block.store_relaxed(s.x, 1);
                  block.barrier();
                  if (block.thread_rank() == 0) use(block.load_relaxed(s.x));
                  if (block.thread_rank() == 40) s.x[0] = 0;
                }),
                {"race: it "});
}

TEST_P(race_checker, wants_atomics_of_the_same_bytes) {
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

TEST_P(race_checker, keeps_the_scopes_of_fences_apart) {
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
TEST_P(race_checker, takes_no_message_from_the_shared_memory_of_another_block) {
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

TEST_P(race_checker, does_not_take_an_atomic_for_order) {
  auto count = array(std::vector<int>{0});
  expect_report(1, kernel<64>([c = count.data()](auto& block, auto&) {
                  block.atomic_add(c, 1);  // #counts
                  use(*c);                 // #looks
                }),
                {"race: it ", line_of("counts"), line_of("looks")});
}

TEST_P(race_checker, orders_launches) {
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

/// A kernel that may begin before the launch in front of it has ended.
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

TEST_P(race_checker, wants_early_kernels_to_wait_for_the_launch_in_front) {
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
  // All threads wait before step number `waits_at`; one of them, with a barrier behind it, at step 0.
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

TEST_P(race_checker, remembers_what_launches_wrote_whoever_reads_it_first) {
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

// --- memory that nothing wrote ---

TEST_P(race_checker, finds_reads_of_what_nothing_wrote) {
  expect_report(
      2, kernel<32>([](auto& block, auto& s) {
        if (block.lane() < 5) s.x[block.lane()] = 1;
        block.barrier();
        if (block.lane() == 0) use(s.x[5]);  // #never written
      }),
      {"lane 0, at " + line_of("never written") + ": reads 4 bytes that nothing wrote: shared memory, byte 20"});
  expect_report(grid(1, 64), kernel<32>([](auto& block, auto&) {
                  use(static_cast<const int*>(block.dynamic_shared())[block.lane() / 2]);
                }),
                {"reads 4 bytes that nothing wrote: shared memory"});
  auto workspace = empty_array<int>(4);
  expect_report(1, kernel<32>([w = workspace.data()](auto&, auto&) { use(w[3]); }),
                {"reads 4 bytes that nothing wrote: device memory"});
  ASSERT_EQ(device_.executor().fill(workspace.data() + 3, 0, 4), status::success);
  expect_silence(1, kernel<32>([w = workspace.data()](auto&, auto&) { use(w[3]); }));
  auto copied = array(std::vector<int>(4, 1));
  ASSERT_EQ(device_.executor().copy(copied.data(), workspace.data(), 16), status::success);
  expect_silence(1, kernel<32>([c = copied.data()](auto&, auto&) { use(c[3]); }));
  expect_report(1, kernel<32>([c = copied.data()](auto&, auto&) { use(c[2]); }), {"that nothing wrote"});
}

struct padded {
  std::uint64_t a;
  std::uint32_t b;
};

TEST_P(race_checker, forgives_padding_and_nothing_else) {
  auto items = empty_array<padded>(2);
  expect_silence(1, kernel<32>([p = items.data()](auto& block, auto&) {
                   if (block.lane() != 0) return;
                   p[0].a = 1;
                   p[0].b = 2;
                   p[1] = p[0];
                 }));
  auto words = empty_array<int>(4);
  const auto body = [w = words.data()](auto& block, int written) {
    if (block.lane() != 0) return;
    for (int i = 0; i < written; ++i) w[i] = i;
    use(block.template load_vector<4>(static_cast<const int*>(w)));  // #vector
  };
  expect_report(1, kernel<32>([=](auto& block, auto&) { body(block, 3); }),
                {"reads 16 bytes that nothing wrote", line_of("vector")});
  expect_silence(1, kernel<32>([=](auto& block, auto&) { body(block, 4); }));
}

// --- places that are not there ---

TEST_P(race_checker, finds_accesses_outside_of_arrays) {
  auto data = array(std::vector<int>(10, 1));
  int* const d = data.data();
  expect_report(1, kernel<32>([=](auto& block, auto&) { use(d[block.lane() / 3]); }),
                {"reads 4 bytes outside of an array: device memory, byte 552 of 1064"});
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) d[-1] = 1;  // #in front
                }),
                {"lane 3, at " + line_of("in front"), "writes 4 bytes outside of an array"});
  expect_report(1, kernel<32>([](auto& block, auto& s) {
                  if (block.lane() == 3) (&s)[1].x[0] = 1;
                }),
                {"writes 4 bytes outside of an array: shared memory"});

  void* memory = nullptr;
  ASSERT_EQ(device_.executor().allocate(&memory, 400), status::success);
  auto* const m = static_cast<int*>(memory);
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) m[103] = 1;
                }),
                {"writes 4 bytes, 12 bytes behind the end of an allocation of 400 bytes"});
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) m[-1] = 1;
                }),
                {"writes 4 bytes, 4 bytes before an allocation of 400 bytes"});
  ASSERT_EQ(device_.executor().deallocate(memory), status::success);
  expect_report(1, kernel<32>([=](auto& block, auto&) {
                  if (block.lane() == 3) m[0] = 1;
                }),
                {"writes 4 bytes"});
  const std::vector<int> host(std::size_t{1} << 20, 1);
  expect_report(1, kernel<32>([h = host.data()](auto&, auto&) { use(h[1 << 19]); }),
                {"reads 4 bytes in memory that is neither the block's shared memory nor device memory"});
}

TEST_P(race_checker, finds_misaligned_accesses) {
  auto data = array(std::vector<int>(10, 1));
  auto* const bytes = reinterpret_cast<unsigned char*>(data.data());
  expect_report(1, kernel<32>([=](auto&, auto&) {
                  use(*reinterpret_cast<const int*>(bytes + 2));  // #askew
                }),
                {"at " + line_of("askew") + ": reads 4 bytes that are not aligned to 4"});
}

// --- how accesses come to be seen ---

struct wide {
  int word[9];
};

TEST_P(race_checker, sees_copies_of_any_size) {
  auto data = array(std::vector<int>(64, 1));
  const auto expect_race = [&](auto access) {
    expect_report(1, kernel<64>([=, d = data.data()](auto& block, auto& s) {
                    if (block.thread_rank() == 40) s.x[5] = 1;
                    if (block.thread_rank() == 0) access(d, s.x);
                  }),
                  {"race: it ", "of shared memory"});
  };
  expect_race([](const int* d, int* x) { std::memcpy(x, d, 4 * static_cast<std::size_t>(d[0]) + 20); });
  expect_race([](const int* d, int* x) { std::memcpy(x, d, 64); });
  expect_race([](const int* d, int* x) { std::memmove(x, d, 4 * static_cast<std::size_t>(d[0]) + 20); });
  expect_race([](const int* d, int* x) { std::copy(d, d + d[0] * 20, x); });
  expect_race([](const int*, int* x) { std::memset(x, 0, 256); });
  expect_race([](const int* d, int* x) { *reinterpret_cast<wide*>(x) = *reinterpret_cast<const wide*>(d); });
}

}  // namespace
}  // namespace upsweep::test
