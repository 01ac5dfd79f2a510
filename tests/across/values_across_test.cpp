// A sort over ranks of the sim of keys with several arrays of values.
#include "across/sim_ranks.hpp"
#include "contracts/values_across_contract.hpp"
#include "support/race_check.hpp"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::test {
namespace {

using device = test_device<sim_stream>;
using policy = sort_across_policy<upsweep_downsweep<policy_spine<>>>;

void sorts_sizes(device& d) {
  for (const int k : race_check ? std::vector{3} : std::vector{1, 2, 3, 4, 8}) {
    for (const rank_sizes& sizes : sizes_of_ranks(k, race_check ? 200 : 500)) {
      SCOPED_TRACE(testing::PrintToString(sizes));
      const std::int64_t total = sum_of(sizes);
      const auto keys = keys_across<std::uint32_t>(total, "few_values");
      sim_ranks ranks(k, *d.stream().options, k % 2 == 0);
      expect_sorted_with_eight_across<policy>(ranks, keys, sizes, balanced(total, k), sort_order::ascending);
      rank_sizes last(sizes.size(), 0);
      last.back() = total;
      sim_ranks again(k, *d.stream().options, k % 2 != 0);
      expect_sorted_with_values_across<policy, std::uint32_t>(again, keys, sizes, last, sort_order::descending);
    }
  }
}

void sorts_distributions(device& d) {
  sort_order order = sort_order::descending;
  for (const char* distribution :
       {"uniform", "constant", "few_values", "low_16_bits", "sorted", "reversed", "zipf", "runs"}) {
    SCOPED_TRACE(distribution);
    order = order == sort_order::descending ? sort_order::ascending : sort_order::descending;
    const rank_sizes sizes{600, 0, 4200, 37};
    const auto keys = keys_across<std::uint32_t>(sum_of(sizes), distribution);
    sim_ranks ranks(4, *d.stream().options, true);
    expect_sorted_with_values_across<policy, std::uint32_t, numbered_row<12>>(ranks, keys, sizes,
                                                                              balanced(sum_of(sizes), 4), order);
    if (d.stream().options->order != sim_order::in_order) continue;
    for (const int k : {1, 2, 3, 8}) {
      const rank_sizes few = some_without(k, 90);
      sim_ranks others(k, *d.stream().options, k % 2 == 0);
      expect_sorted_with_values_across<policy, std::uint32_t, numbered_row<12>>(
          others, keys_across<std::uint32_t>(sum_of(few), distribution), few, balanced(sum_of(few), k), order);
    }
  }
}

constexpr std::int64_t n = 300;

/// What each rank answers, and how many steps rank 0 takes. `wrong`: what rank 1 is to be refused for.
struct answers {
  std::vector<status> of;
  int steps = 0;
};
enum class wrong { nothing, null_values, overlap, small_workspace, sum };
answers sort_all(sim_ranks& ranks, wrong what = wrong::nothing) {
  answers a;
  a.of.assign(static_cast<std::size_t>(ranks.ranks()), status::success);
  arrays_of_ranks<std::uint32_t, sim_ranks> memory(ranks);
  ranks.run([&](int rank, sim_communicator& comm) {
    const wrong mine = rank == 1 ? what : wrong::nothing;
    std::uint32_t* const in = memory.make(rank, random_items<std::uint32_t>(200000)).data();
    const std::uint32_t *const keys = in, *const values = in + n, *const others = in + 2 * n;
    const std::tuple arrays{value_array{values, in + 3 * n},
                            value_array{mine == wrong::null_values ? nullptr : others,
                                        mine == wrong::overlap ? in + 3 * n + 1 : in + 5 * n}};
    const std::int64_t n_out = n + (mine == wrong::sum ? 1 : 0);
    const std::size_t bytes = sort_with_values_across_workspace_bytes<policy>(comm, keys, in, arrays, n, n_out);
    ASSERT_LE(bytes, std::size_t{700000});
    const workspace w{in + 10 * n, bytes - (mine == wrong::small_workspace ? 1 : 0)};
    status s = sort_with_values_across<policy>(w, comm, keys, in + 7 * n, arrays, n, n_out, sort_order::ascending,
                                               ranks.device(rank).stream());
    if (s == status::success) s = comm.wait(ranks.device(rank).stream(), long_enough);
    a.of[static_cast<std::size_t>(rank)] = s;
    if (rank == 0) a.steps = comm.steps();
  });
  return a;
}

void refuses_on_every_rank(device& d) {
  for (const wrong what : {wrong::null_values, wrong::overlap, wrong::small_workspace, wrong::sum}) {
    sim_ranks ranks(3, *d.stream().options, true);
    EXPECT_EQ(sort_all(ranks, what).of, std::vector<status>(3, status::invalid_value)) << static_cast<int>(what);
    EXPECT_EQ(ranks.group().failure(), status::success);
    EXPECT_EQ(sort_all(ranks).of, std::vector<status>(3, status::success));
  }
}

void failures_reach_every_rank(device& d) {
  sim_ranks all(3, *d.stream().options, false);
  const int steps = sort_all(all).steps;
  EXPECT_GT(steps, 15);
  for (int fails = 0; fails < 3; ++fails) {
    for (int step = 1; step <= steps; ++step) {
      SCOPED_TRACE("rank " + std::to_string(fails) + ", step " + std::to_string(step));
      sim_ranks ranks(3, *d.stream().options, false, fails, step);
      const answers a = sort_all(ranks);
      EXPECT_EQ(a.of[static_cast<std::size_t>(fails)], status::memory_allocation);
      for (const status s : a.of) EXPECT_TRUE(s == status::memory_allocation || s == status::success);
      EXPECT_EQ(ranks.group().failure(), status::memory_allocation);
    }
  }
}

template <class Policy, class Value>
std::size_t bytes_of_pairs() {
  constexpr std::int64_t many = std::int64_t{1} << 28;
  rank_group group(2);
  const sim_communicator comm(group, 0);
  std::uint32_t* const keys = nullptr;
  Value* const values = nullptr;
  return sort_pairs_across_workspace_bytes<Policy>(comm, keys, keys, values, values, many, many);
}
TEST(across_workspace, has_no_ranges_for_values_that_are_too_wide_for_them) {
  using without_ranges =
      sort_across_policy<policy::local, std::int64_t{1} << 62, std::int64_t{1} << 22, std::int64_t{1} << 62>;
  EXPECT_EQ((bytes_of_pairs<policy, numbered_row<24>>()), (bytes_of_pairs<without_ranges, numbered_row<24>>()));
  EXPECT_GT((bytes_of_pairs<policy, std::uint32_t>()), (bytes_of_pairs<without_ranges, std::uint32_t>()));
}

/// Rows whose bytes are more than a number of 64 bits.
TEST(across_workspace, is_no_smaller_for_rows_that_nobody_has) {
  using row = std::array<std::byte, std::size_t{1} << 17>;
  rank_group group(2);
  const sim_communicator comm(group, 0);
  std::uint32_t* const keys = nullptr;
  const std::tuple values{value_array{static_cast<const row*>(nullptr), static_cast<row*>(nullptr)}};
  const auto bytes = [&](std::int64_t n) {
    return sort_with_values_across_workspace_bytes<policy>(comm, keys, keys, values, n, n);
  };
  EXPECT_GE(bytes(most_items_of_rank), bytes(most_items_of_rank / 16));
  EXPECT_GT(bytes(most_items_of_rank), std::size_t{1} << 62);
}

const bool added = [] {
  const auto add = [](const char* claim, auto body) { add_test<sim_stream>("across_with_values", claim, body); };
  add("sorts_what_ranks_have", sorts_sizes);
  if constexpr (!race_check) {
    add("sorts_any_distribution", sorts_distributions);
    add("refuses_on_every_rank", refuses_on_every_rank);
    add_test_on<sim_stream>(device::ways()[0], "across_with_values", "failures_reach_every_rank",
                            failures_reach_every_rank);
  }
  return true;
}();

}  // namespace
}  // namespace upsweep::test
