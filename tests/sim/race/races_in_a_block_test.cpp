// What orders the threads of a block or a cluster, their phases and bulk copies; what is reported where that is
// missing.
#include <vector>

#include "race_checker_fixture.hpp"

namespace upsweep::test {
namespace {

class races_in_a_block : public race_checker_test {};
INSTANTIATE_TEST_SUITE_P(orders, races_in_a_block, testing::ValuesIn(all_orders), name_of_order);

// --- shared memory ---

TEST_P(races_in_a_block, names_both_lines_of_a_missing_barrier) {
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

TEST_P(races_in_a_block, finds_shared_memory_that_is_used_again_too_early) {
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

TEST_P(races_in_a_block, remembers_each_of_many_readers) {
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

TEST_P(races_in_a_block, finds_two_writers_of_the_same_value) {
  expect_report(1, kernel<64>([](auto&, auto& s) {
                  s.x[7] = 1;  // #all write
                }),
                {"race: it writes 4 bytes of shared memory, byte 28", "wrote at " + line_of("all write")});
}

TEST_P(races_in_a_block, tells_bytes_of_a_word_apart) {
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

TEST_P(races_in_a_block, orders_the_lanes_of_a_warp_by_warp_sync_alone) {
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

TEST_P(races_in_a_block, orders_only_the_warps_of_a_group) {
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

TEST_P(races_in_a_block, orders_those_who_wait_behind_those_who_arrive) {
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

TEST_P(races_in_a_block, orders_the_blocks_of_a_cluster_by_their_barrier_alone) {
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

TEST_P(races_in_a_block, finds_blocks_that_write_the_same_place_of_another) {
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

TEST_P(races_in_a_block, finds_a_block_that_ends_while_another_reads_its_shared_memory) {
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

TEST_P(races_in_a_block, follows_messages_through_the_shared_memory_of_another_block) {
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

TEST_P(races_in_a_block, orders_by_phases) {
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

TEST_P(races_in_a_block, finds_a_phase_barrier_that_begins_anew_under_its_users) {
  expect_report(1, kernel<64>([](auto& block, auto& s) {
                  if (block.thread_rank() == 0) block.phase_init(s.phase, 64);
                  block.barrier();
                  if (block.thread_rank() == 0) block.phase_init(s.phase, 64);  // #anew
                  block.phase_arrive(s.phase);
                }),
                {"race: it ", " 8 bytes of shared memory", line_of("anew")});
}

TEST_P(races_in_a_block, knows_when_a_bulk_load_has_come) {
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

TEST_P(races_in_a_block, knows_when_a_bulk_store_has_read) {
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

TEST_P(races_in_a_block, wants_a_bulk_fence_behind_the_writes_and_in_front_of_the_barrier) {
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

TEST_P(races_in_a_block, wants_a_bulk_fence_between_writes_and_a_load_over_them) {
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

TEST_P(races_in_a_block, tells_bulk_copies_apart) {
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

}  // namespace
}  // namespace upsweep::test
