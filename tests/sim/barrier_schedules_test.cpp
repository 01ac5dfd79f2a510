// What barriers promise, under every schedule of at most two preemptions. The kernels are as those of
// contracts/context_barriers.hpp, with fewer threads that talk.
#include <cstdint>
#include <vector>

#include "contracts/context_barriers.hpp"
#include "support/explored.hpp"
#include "support/race_check.hpp"

namespace upsweep::test {
namespace {

/// One warp fills a buffer that another empties; each side arrives where the other waits. A third warp has a barrier
/// with the second.
struct small_groups_kernel {
  static constexpr int block_threads = 96;
  struct temp_storage {
    int buffer[32];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines) const {
    const kernel_checks check(block, lines);
    const warp_group full{1, 0, 2}, empty{2, 0, 2}, behind{3, 1, 2};
    for (int round = 0; round < 3; ++round) {
      if (block.warp() == 0) {
        if (round > 0) block.group_sync(empty);
        s.buffer[block.lane()] = round * 100 + block.lane();
        block.group_arrive(full);
      } else if (block.warp() == 1) {
        block.group_sync(full);
        check.that(s.buffer[31 - block.lane()] == round * 100 + 31 - block.lane());
        block.group_sync(behind);
        if (round < 2) block.group_arrive(empty);
      } else {
        // The buffer holds still until the second warp lets the first go on.
        block.group_sync(behind);
        if (round == 2) check.that(s.buffer[block.lane()] == 200 + block.lane());
      }
    }
  }
};

/// One lane of each warp arrives, and waits for the phase that both end.
struct small_phases_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {
    phase_barrier arrived;
    int x[2];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines) const {
    const kernel_checks check(block, lines);
    const int warp = block.warp();
    if (block.thread_rank() == 0) block.phase_init(s.arrived, 2);
    block.barrier();
    for (int phase = 0; phase < 2; ++phase) {
      if (block.lane() == 7) {
        check.that(!block.phase_done(s.arrived, phase % 2));
        s.x[warp] = phase * 10 + warp;
        block.phase_arrive(s.arrived);
        block.phase_wait(s.arrived, phase % 2);
        check.that(s.x[1 - warp] == phase * 10 + 1 - warp);
      }
      block.barrier();
    }
  }
};

/// One thread fetches chunks ahead into two buffers; another waits for each, and writes it out.
struct small_copies_kernel {
  static constexpr int block_threads = 64;
  static constexpr int chunk = 32;
  struct temp_storage {
    alignas(128) std::uint32_t in[2][chunk];
    alignas(128) std::uint32_t out[2][chunk];
    phase_barrier come[2], free[2];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int*, const std::uint32_t* in, std::uint32_t* out,
                                 int chunks) const {
    if (block.thread_rank() == 0) {
      for (int i = 0; i < 2; ++i) {
        block.phase_init(s.come[i], 1);
        block.phase_init(s.free[i], 1);
      }
    }
    block.barrier();
    if (block.thread_rank() == 0) {
      for (int c = 0; c < chunks; ++c) {
        if (c >= 2) block.phase_wait(s.free[c % 2], c / 2 % 2 ^ 1);
        block.phase_arrive_expect(s.come[c % 2], sizeof s.in[0]);
        block.bulk_load(s.in[c % 2], in + c * chunk, sizeof s.in[0], s.come[c % 2]);
      }
    } else if (block.thread_rank() == 33) {
      for (int c = 0; c < chunks; ++c) {
        block.phase_wait(s.come[c % 2], c / 2 % 2);
        for (int i = 0; i < chunk; ++i) s.out[c % 2][i] = s.in[c % 2][i] + 1;
        if (c + 2 < chunks) block.phase_arrive(s.free[c % 2]);
        block.bulk_fence();
        block.bulk_store(out + c * chunk, s.out[c % 2], sizeof s.out[0]);
        block.bulk_commit();
        block.template bulk_wait<1>();
      }
      block.template bulk_wait<0>();
    }
    block.barrier();
  }
};

TEST(barrier_schedules, show_what_was_written_before_a_barrier) {
  under_all_schedules(2, [](auto& device) { expect_checks_hold(device, 1, barrier_kernel<96>{}); });
}
TEST(barrier_schedules, of_groups_that_hand_a_buffer_to_and_fro) {
  under_all_schedules(2, [](auto& device) { expect_checks_hold(device, 1, small_groups_kernel{}); });
}
TEST(barrier_schedules, of_two_clusters_of_two_blocks) {
  under_all_schedules(2, [](auto& device) { expect_checks_hold(device, grid(4, 0, 2), cluster_kernel<32>{}, 2); });
}
TEST(barrier_schedules, of_a_cluster_of_three_blocks_of_two_warps) {
  under_all_schedules(race_check ? 1 : 2,
                      [](auto& device) { expect_checks_hold(device, grid(3, 0, 3), cluster_kernel<64>{}, 3); });
}
TEST(barrier_schedules, of_phases_in_two_blocks) {
  under_all_schedules(2, [](auto& device) { expect_checks_hold(device, 2, small_phases_kernel{}); });
}
TEST(barrier_schedules, of_bulk_copies_through_two_buffers) {
  constexpr int chunks = 4;
  constexpr auto n = static_cast<std::size_t>(chunks * small_copies_kernel::chunk);
  const test_device<sim_stream> memory(explored());
  const auto items = random_items<std::uint32_t>(n);
  std::vector<std::uint32_t> expected = items;
  for (std::uint32_t& x : expected) ++x;
  guarded_array<std::uint32_t, sim_stream> in(memory, items), out(memory, n);
  const std::uint32_t* const from = in.data();
  under_all_schedules(2, [&](auto& device) {
    out.set(std::vector<std::uint32_t>(n, 0));
    expect_checks_hold(device, 1, small_copies_kernel{}, from, out.data(), chunks);
    ASSERT_TRUE(same_items(out.items(), expected));
  });
  in.expect_unchanged();
}

}  // namespace
}  // namespace upsweep::test
