// What ranks, barriers, groups of warps, phase barriers and bulk copies of the block context mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contracts/context_checks.hpp"
#include "support/random_items.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::test {

template <int Threads>
struct ranks_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines, int* visits, std::int64_t blocks) const {
    const kernel_checks check(block, lines);
    check.that(Ctx::threads == Threads);
    check.that(Ctx::warps == Threads / 32);
    check.that(block.thread_rank() == block.warp() * 32 + block.lane());
    check.that(block.lane() >= 0 && block.lane() < 32);
    check.that(block.warp() >= 0 && block.warp() < Threads / 32);
    check.that(block.num_blocks() == blocks);
    block.atomic_add(visits + block.block_index() * Threads + block.thread_rank(), 1);
  }
};

/// Threads hand values to each other through shared memory, round after round.
template <int Threads>
struct barrier_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {
    int x[Threads];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines) const {
    const kernel_checks check(block, lines);
    const int rank = block.thread_rank();
    for (int round = 1; round < 8; ++round) {
      s.x[rank] = round * 1000 + rank;
      block.barrier();
      const int other = (rank + round * 37) % Threads;
      check.that(s.x[other] == round * 1000 + other);
      block.barrier();
    }
  }
};

template <int Threads>
struct votes_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, int* lines) const {
    const kernel_checks check(block, lines);
    const int rank = block.thread_rank();
    for (int yes = 0; yes <= Threads; yes += Threads / 16) {
      check.that(block.barrier_count(rank < yes) == yes);
      check.that(block.barrier_and(rank < yes) == (yes == Threads));
      check.that(block.barrier_or(rank >= yes) == (yes < Threads));
    }
    for (int odd_one : {0, 31, 32, Threads - 1}) {
      check.that(block.barrier_count(rank != odd_one) == Threads - 1);
      check.that(!block.barrier_and(rank != odd_one));
      check.that(block.barrier_or(rank == odd_one));
    }
    check.that(block.barrier_and(true));
    check.that(!block.barrier_or(false));
  }
};

/// Two groups go through different numbers of rounds; the last warp belongs to neither.
struct groups_kernel {
  static constexpr int block_threads = 192;
  struct temp_storage {
    int x[192];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines) const {
    const kernel_checks check(block, lines);
    if (block.warp() == 5) return;
    const bool first = block.warp() < 2;
    const warp_group group = first ? warp_group{1, 0, 2} : warp_group{15, 2, 3};
    const int base = group.first_warp * 32, width = group.num_warps * 32;
    const int rank = block.thread_rank() - base;
    for (int round = 1; round < (first ? 9 : 4); ++round) {
      s.x[base + rank] = round * 1000 + rank;
      block.group_sync(group);
      const int other = (rank + round * 29) % width;
      check.that(s.x[base + other] == round * 1000 + other);
      block.group_sync(group);
    }
  }
};

/// Two warps fill a buffer that two others empty; each side arrives where the other waits.
struct producer_consumer_kernel {
  static constexpr int block_threads = 128;
  static constexpr int rounds = 6;
  struct temp_storage {
    int buffer[64];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines) const {
    const kernel_checks check(block, lines);
    const warp_group full{1, 0, 4}, empty{2, 0, 4};
    const int slot = block.thread_rank() % 64;
    for (int round = 0; round < rounds; ++round) {
      if (block.warp() < 2) {
        if (round > 0) block.group_sync(empty);
        s.buffer[slot] = round * 100 + slot;
        block.group_arrive(full);
      } else {
        block.group_sync(full);
        check.that(s.buffer[63 - slot] == round * 100 + 63 - slot);
        if (round + 1 < rounds) block.group_arrive(empty);
      }
    }
  }
};

/// The blocks of a cluster read what others of it wrote into shared memory of their own, and write into that of others.
template <int Threads>
struct cluster_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {
    int mine[2][Threads];
    int sent[2][Threads];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines, int blocks) const {
    const kernel_checks check(block, lines);
    const int t = block.thread_rank(), rank = block.cluster_rank();
    check.that(block.cluster_blocks() == blocks);
    check.that(rank == block.block_index() % blocks);
    block.cluster_barrier_relaxed();
    *block.cluster_shared(&s.sent[0][t], rank) = -t;  // perhaps by another address of the same place
    block.cluster_barrier();
    check.that(s.sent[0][t] == -t);
    for (int round = 1; round < 5; ++round) {
      const int slot = round % 2, next = (rank + round) % blocks, other = (t + round * 37) % Threads;
      s.mine[slot][t] = round * 100000 + rank * 2000 + t;
      *block.cluster_shared(&s.sent[slot][t], next) = round * 100000 + rank * 2000 + t;
      block.cluster_barrier();
      check.that(block.cluster_shared(s.mine[slot], next)[other] == round * 100000 + next * 2000 + other);
      const int from = (rank + (blocks - 1) * round) % blocks;
      check.that(s.sent[slot][other] == round * 100000 + from * 2000 + other);
    }
    block.cluster_barrier();
  }
};

/// A phase is over when all have arrived, and not before; its parity tells it from the next.
struct phases_kernel {
  static constexpr int block_threads = 96;
  struct temp_storage {
    phase_barrier arrived;
    int x[96];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines) const {
    const kernel_checks check(block, lines);
    const int rank = block.thread_rank();
    if (rank == 0) block.phase_init(s.arrived, 96);
    block.barrier();
    for (int phase = 0; phase < 5; ++phase) {
      const int parity = phase % 2;
      check.that(!block.phase_done(s.arrived, parity));
      s.x[rank] = phase * 1000 + rank;
      block.phase_arrive(s.arrived);
      block.phase_wait(s.arrived, parity);
      check.that(block.phase_done(s.arrived, parity));
      const int other = (rank + 41) % 96;
      check.that(s.x[other] == phase * 1000 + other);
      block.barrier();
    }
  }
};

/// One thread fetches chunks ahead into two buffers; all read them.
struct bulk_load_kernel {
  static constexpr int block_threads = 64;
  static constexpr int chunk = 256;
  struct temp_storage {
    alignas(128) std::uint32_t buffer[2][chunk];
    phase_barrier come[2];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int* lines, const std::uint32_t* in, int chunks) const {
    const kernel_checks check(block, lines);
    const bool leader = block.thread_rank() == 0;
    if (leader) {
      block.phase_init(s.come[0], 1);
      block.phase_init(s.come[1], 1);
    }
    block.barrier();
    if (leader) fetch(block, s, in, 0);
    for (int c = 0; c < chunks; ++c) {
      if (leader && c + 1 < chunks) fetch(block, s, in, c + 1);
      block.phase_wait(s.come[c % 2], c / 2 % 2);
      for (int i = block.thread_rank(); i < chunk; i += block_threads) {
        check.that(s.buffer[c % 2][i] == in[c * chunk + i]);
      }
      block.barrier();
    }
  }

 private:
  template <class Ctx>
  UPSWEEP_DEVICE void fetch(Ctx& block, temp_storage& s, const std::uint32_t* in, int c) const {
    // Two copies count for one phase.
    constexpr std::uint32_t half = chunk * sizeof(std::uint32_t) / 2;
    block.phase_arrive_expect(s.come[c % 2], 2 * half);
    block.bulk_load(s.buffer[c % 2], in + c * chunk, half, s.come[c % 2]);
    block.bulk_load_streaming(s.buffer[c % 2] + chunk / 2, in + c * chunk + chunk / 2, half, s.come[c % 2]);
  }
};

/// A buffer may be written again as soon as bulk_wait says that its group has been read.
struct bulk_store_kernel {
  static constexpr int block_threads = 64;
  struct temp_storage {
    alignas(128) std::uint32_t buffer[2][block_threads];
  };

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, int*, std::uint32_t* out, int chunks) const {
    for (int c = 0; c < chunks; ++c) {
      s.buffer[c % 2][block.thread_rank()] = static_cast<std::uint32_t>(c * 1000 + block.thread_rank());
      block.bulk_fence();
      block.barrier();
      if (block.thread_rank() == 0) {
        block.bulk_store(out + c * block_threads, s.buffer[c % 2], sizeof s.buffer[0]);
        block.bulk_commit();
        block.template bulk_wait<1>();
      }
      block.barrier();
    }
    if (block.thread_rank() == 0) block.template bulk_wait<0>();
  }
};

template <class Stream>
struct context_barriers {
  using device_type = test_device<Stream>;

  template <int Threads>
  static void ranks_of(device_type& device, std::int64_t blocks) {
    const auto total = static_cast<std::size_t>(blocks * Threads);
    guarded_array<int, Stream> visits(device, std::vector<int>(total, 0));
    expect_checks_hold(device, blocks, ranks_kernel<Threads>{}, visits.data(), blocks);
    EXPECT_TRUE(same_items(visits.items(), std::vector<int>(total, 1)));
  }

  static void ranks(device_type& device) {
    ranks_of<32>(device, 70);
    ranks_of<96>(device, 3);
    ranks_of<1024>(device, 2);
  }
  static void barriers(device_type& device) {
    expect_checks_hold(device, 5, barrier_kernel<32>{});
    expect_checks_hold(device, 5, barrier_kernel<160>{});
    expect_checks_hold(device, 5, barrier_kernel<1024>{});
  }
  static void votes(device_type& device) {
    expect_checks_hold(device, 3, votes_kernel<64>{});
    expect_checks_hold(device, 3, votes_kernel<1024>{});
  }
  static void groups(device_type& device) { expect_checks_hold(device, 5, groups_kernel{}); }
  static void producers(device_type& device) { expect_checks_hold(device, 5, producer_consumer_kernel{}); }
  static void clusters(device_type& device) {
    if (!device.has_clusters()) GTEST_SKIP() << "clusters need sm_90";
    for (const int blocks : {1, 2, 3, 8, 16}) {
      SCOPED_TRACE(std::to_string(blocks) + " blocks");
      expect_checks_hold(device, grid(2 * blocks, 0, blocks), cluster_kernel<64>{}, blocks);
    }
    expect_checks_hold(device, grid(4, 0, 4), cluster_kernel<1024>{}, 4);
  }
  static void impossible_clusters(device_type& device) {
    const auto answer = [&](const grid& g) {
      guarded_array<int, Stream> lines(device, std::vector<int>(64 * 34, 0));
      const status s = device.executor().launch(g, cluster_kernel<64>{}, lines.data(), 1);
      lines.expect_unchanged();
      return s;
    };
    for (const int blocks : {-1, 0, 17, 32}) EXPECT_EQ(answer(grid(32, 0, blocks)), status::invalid_value);
    EXPECT_EQ(answer(grid(5, 0, 2)), status::invalid_value);
    if (device.has_clusters()) {
      EXPECT_EQ(answer(grid(0, 0, 2)), status::success);
    } else {
      EXPECT_EQ(answer(grid(4, 0, 2)), status::not_supported);
    }
  }
  static void phases(device_type& device) {
    if (!device.has_phase_barriers()) GTEST_SKIP() << "phase barriers need sm_90";
    expect_checks_hold(device, 5, phases_kernel{});
  }
  static void bulk_loads(device_type& device) {
    if (!device.has_phase_barriers()) GTEST_SKIP() << "bulk copies need sm_90";
    constexpr int chunks = 7;
    guarded_array<std::uint32_t, Stream> in(device, random_items<std::uint32_t>(chunks * bulk_load_kernel::chunk));
    expect_checks_hold(device, 3, bulk_load_kernel{}, static_cast<const std::uint32_t*>(in.data()), chunks);
    in.expect_unchanged();
  }
  static void bulk_stores(device_type& device) {
    if (!device.has_phase_barriers()) GTEST_SKIP() << "bulk copies need sm_90";
    constexpr int chunks = 7;
    guarded_array<std::uint32_t, Stream> out(device, chunks * bulk_store_kernel::block_threads);
    expect_checks_hold(device, 1, bulk_store_kernel{}, out.data(), chunks);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t c = 0; c < chunks; ++c) {
      for (std::uint32_t t = 0; t < bulk_store_kernel::block_threads; ++t) expected.push_back(c * 1000 + t);
    }
    EXPECT_TRUE(same_items(out.items(), expected));
  }

  static void add() {
    const std::string suite = "context_barriers";
    add_test<Stream>(suite, "ranks_number_every_thread_of_the_grid_once", ranks);
    add_test<Stream>(suite, "a_barrier_shows_what_was_written_before_it", barriers);
    add_test<Stream>(suite, "a_barrier_counts_and_combines_votes", votes);
    add_test<Stream>(suite, "groups_of_warps_meet_apart", groups);
    add_test<Stream>(suite, "producers_arrive_where_consumers_wait", producers);
    add_test<Stream>(suite, "the_blocks_of_a_cluster_meet_and_reach_each_others_shared_memory", clusters);
    add_test<Stream>(suite, "a_grid_has_whole_clusters_of_1_to_16_blocks", impossible_clusters);
    add_test<Stream>(suite, "a_phase_ends_when_all_have_arrived", phases);
    add_test<Stream>(suite, "a_phase_ends_when_bulk_loads_have_come", bulk_loads);
    add_test<Stream>(suite, "bulk_stores_read_shared_memory_before_bulk_wait_returns", bulk_stores);
  }
};

}  // namespace upsweep::test
