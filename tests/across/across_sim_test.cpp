#include <limits>

#include "across/sim_ranks.hpp"
#include "contracts/across_contract.hpp"
#include "support/race_check.hpp"
#include "upsweep/sort/device/upsweep_downsweep.cuh"

namespace upsweep::test {
namespace {

using device = test_device<sim_stream>;
/// The exchange by cuts alone, and by the highest digit, too, however few keys there are; and a merge of two ranks.
using local_sort = upsweep_downsweep<policy_spine<>>;
using by_cuts = sort_across_policy<local_sort, std::int64_t{1} << 62, 0>;
using by_buckets = sort_across_policy<local_sort, 0, 0>;
using by_merge = sort_across_policy<local_sort, std::int64_t{1} << 62, 100>;

/// Calls body(ranks, sizes) for numbers of ranks, and of their items, with and without a way to their peers.
template <class Body>
void for_ranks(device& d, std::int64_t n, Body body) {
  for (const int k : race_check ? std::vector{3} : std::vector{1, 2, 3, 4, 8}) {
    for (const rank_sizes& sizes : sizes_of_ranks(k, n)) {
      SCOPED_TRACE(testing::PrintToString(sizes));
      sim_ranks ranks(k, *d.stream().options, k % 2 == 0);
      body(ranks, sizes);
    }
  }
}

void scans(device& d) {
  for_ranks(d, race_check ? 600 : 5000,
            [](sim_ranks& ranks, const rank_sizes& sizes) { expect_scanned_across(ranks, sizes); });
}
void sums(device& d) {
  for_ranks(d, 700, [](sim_ranks& ranks, const rank_sizes& sizes) { expect_summed_across(ranks, sizes); });
}
/// The same bits, whatever the schedule; with parts of other sizes they may differ.
void scans_reproducibly(device& d) {
  const rank_sizes sizes{9000, 0, 20011};
  sim_ranks ranks(3, *d.stream().options, true), first(3, device::ways()[0].options, true);
  EXPECT_TRUE(same_items(reproducible_sums_across(ranks, sizes), reproducible_sums_across(first, sizes)));
}
void selects(device& d) {
  for_ranks(d, 900, [](sim_ranks& ranks, const rank_sizes& sizes) { expect_selected_across(ranks, sizes); });
}

void rebalances(device& d) {
  for_ranks(d, 300, [](sim_ranks& ranks, const rank_sizes& sizes) {
    const std::int64_t total = sum_of(sizes);
    rank_sizes last(sizes.size(), 0);
    last.back() = total;
    for (const rank_sizes& takes : {balanced(total, ranks.ranks()), last})
      expect_rebalanced_across(ranks, sizes, takes);
  });
}

void sorts_sizes(device& d) {
  for_ranks(d, race_check ? 200 : 700, [](sim_ranks& ranks, const rank_sizes& sizes) {
    const std::int64_t total = sum_of(sizes);
    const auto keys = random_keys<std::uint32_t>(static_cast<std::size_t>(total), "uniform");
    expect_sorted_across<by_cuts>(ranks, keys, sizes, balanced(total, ranks.ranks()), sort_order::ascending);
  });
}

/// All equal, sorted, few values: the cuts go through equal keys, of several ranks, and several through the same ones.
/// By four ranks, of which one has nothing, and in one schedule by other numbers of them.
template <class Policy, class Key>
void sorts_distributions(device& d, bool reaches_peers, const std::vector<const char*>& distributions) {
  sort_order order = sort_order::descending;
  for (const char* distribution : distributions) {
    SCOPED_TRACE(distribution);
    order = order == sort_order::descending ? sort_order::ascending : sort_order::descending;
    const rank_sizes sizes{600, 0, race_check ? 700 : 4200, 37};
    const auto keys = keys_across<Key>(sum_of(sizes), distribution);
    sim_ranks ranks(4, *d.stream().options, reaches_peers);
    expect_sorted_across<Policy>(ranks, keys, sizes, balanced(sum_of(sizes), 4), order);
    if (race_check || d.stream().options->order != sim_order::in_order) continue;
    for (const int k : {1, 2, 3, 8}) {
      const rank_sizes few = some_without(k, 90);
      sim_ranks others(k, *d.stream().options, reaches_peers);
      expect_sorted_across<Policy>(others, keys_across<Key>(sum_of(few), distribution), few, balanced(sum_of(few), k),
                                   order);
    }
  }
}
/// In the race checker's, where any keys will do, those whose cuts go through equal ones.
const std::vector<const char*> all_distributions =
    race_check ? std::vector<const char*>{"uniform", "few_values"}
               : std::vector<const char*>{"uniform", "constant", "few_values", "low_16_bits",
                                          "sorted",  "reversed", "runs",       "zipf"};

void sorts_to_any_sizes(device& d) {
  const rank_sizes sizes{900, 1100, 300};
  const auto keys = random_keys<std::uint32_t>(2300, "few_values");
  for (const rank_sizes& takes : {rank_sizes{0, 2300, 0}, {2300, 0, 0}, {0, 0, 2300}, {1, 2298, 1}}) {
    SCOPED_TRACE(testing::PrintToString(takes));
    for (const bool reaches_peers : {false, true}) {
      sim_ranks ranks(3, *d.stream().options, reaches_peers);
      expect_sorted_across<by_cuts>(ranks, keys, sizes, takes, sort_order::ascending);
    }
    sim_ranks ranks(3, *d.stream().options, true);
    expect_sorted_across<by_buckets>(ranks, keys, sizes, takes, sort_order::ascending);
  }
}

/// Two ranks: parts of any size, keys on one rank alone, all equal, and calls one after the other.
template <class Key>
void sorts_by_merge(device& d, const std::vector<const char*>& distributions) {
  const std::vector<rank_sizes> sizes_of_two = race_check
                                                   ? std::vector<rank_sizes>{{400, 300}}
                                                   : std::vector<rank_sizes>{{400, 4100}, {0, 300}, {257, 0}, {1, 1}};
  sort_order order = sort_order::descending;
  for (const char* distribution : distributions) {
    for (const rank_sizes& sizes : sizes_of_two) {
      SCOPED_TRACE(distribution);
      order = order == sort_order::descending ? sort_order::ascending : sort_order::descending;
      const std::int64_t total = sum_of(sizes);
      const auto keys = keys_across<Key>(total, distribution);
      for (const rank_sizes& takes : {balanced(total, 2), rank_sizes{0, total}, {total, 0}}) {
        sim_ranks ranks(2, *d.stream().options, true);
        expect_sorted_across<by_merge>(ranks, keys, sizes, takes, order);
      }
    }
  }
}

/// Ranks that reach what they share alone, by other addresses than its owner's.
template <class Policy>
void sorts_in_shared_memory(device& d, int how_many) {
  for (const rank_sizes& sizes : sizes_of_ranks(how_many, race_check ? 200 : 700)) {
    SCOPED_TRACE(testing::PrintToString(sizes));
    sim_ranks ranks(how_many, *d.stream().options, true);
    ranks.let_share();
    const auto keys = keys_across<std::uint32_t>(sum_of(sizes), "zipf");
    expect_sorted_across<Policy>(ranks, keys, sizes, balanced(sum_of(sizes), how_many), sort_order::ascending);
  }
}
/// A rank that has shared less than its workspace, or has taken that back, is sent its keys, and so are all.
void sends_where_one_does_not_share(device& d) {
  constexpr std::int64_t n = 700;
  const auto keys = keys_across<std::uint32_t>(2 * n, "uniform");
  auto expected = keys;
  std::sort(expected.begin(), expected.end());
  sim_ranks ranks(2, *d.stream().options, true);
  ranks.let_share();
  arrays_of_ranks<std::uint32_t, sim_ranks> in(ranks), out(ranks);
  arrays_of_ranks<unsigned char, sim_ranks> work(ranks);
  int steps[3] = {};
  ranks.run([&](int rank, sim_communicator& comm) {
    const sim_stream stream = ranks.device(rank).stream();
    const std::uint32_t* const from = in.make(rank, part_of(keys, {n, n}, rank)).data();
    std::uint32_t* const to = out.make(rank, std::size_t{n}).data();
    const std::size_t bytes = sort_keys_across_workspace_bytes<by_merge>(comm, from, to, n, n);
    const workspace w{work.make(rank, bytes).data(), bytes}, less{w.data, bytes - 1};
    for (int turn = 0; turn < 3; ++turn) {
      const workspace shared = turn == 1 && rank == 1 ? less : w;
      EXPECT_EQ(comm.share(shared), status::success);
      EXPECT_EQ(comm.is_shared(w), turn != 1 || rank != 1);
      if (turn == 2) {
        EXPECT_EQ(comm.unshare(shared), status::success);
      }
      const int before = comm.steps();
      EXPECT_EQ(sort_keys_across<by_merge>(w, comm, from, to, n, n, sort_order::ascending, stream), status::success)
          << sim_diagnostic();
      if (rank == 0) steps[turn] = comm.steps() - before;
      if (turn != 2) {
        EXPECT_EQ(comm.unshare(shared), status::success);
      }
    }
  });
  EXPECT_LT(steps[0], steps[1]);  // a merge
  EXPECT_EQ(steps[1], steps[2]);
  for (int r = 0; r < 2; ++r) EXPECT_TRUE(same_items(out[r].items(), part_of(expected, {n, n}, r))) << "rank " << r;
}

/// One call of each kind, on arrays that last. What each of them answers, and what the communicator says afterwards.
template <class Policy>
std::vector<status> calls(sim_ranks& ranks, int* steps, std::int64_t wrong_n = 0) {
  using array = guarded_array<std::uint32_t, sim_stream>;
  constexpr std::int64_t n = 300;
  const auto k = static_cast<std::size_t>(ranks.ranks());
  std::vector<status> answers(k);
  std::vector<std::unique_ptr<array>> memory;
  for (int r = 0; r < 3 * ranks.ranks(); ++r) {
    memory.push_back(std::make_unique<array>(ranks.device(0), random_items<std::uint32_t>(r % 3 == 2 ? 200000 : n)));
  }
  ranks.run([&](int rank, sim_communicator& comm) {
    const auto at = static_cast<std::size_t>(rank) * 3;
    std::uint32_t *const in = memory[at]->data(), *const out = memory[at + 1]->data();
    const workspace w{memory[at + 2]->data(), 800000};
    const sim_stream stream = ranks.device(rank).stream();
    const std::int64_t mine = rank == 1 && wrong_n != 0 ? wrong_n : n;
    status s = sort_keys_across<Policy>(w, comm, static_cast<const std::uint32_t*>(in), out, mine, n,
                                        sort_order::ascending, stream);
    if (s == status::success) s = exclusive_sum_across(w, comm, in, out, mine, stream);
    const across_results<std::uint32_t> results{out, out + 1, out + 2};
    if (s == status::success) s = select_if_across(w, comm, in, in, results, mine, has_low_bits{}, stream);
    if (s == status::success) s = comm.wait(stream, long_enough);
    answers[static_cast<std::size_t>(rank)] = s;
    if (steps != nullptr && rank == 0) *steps = comm.steps();
  });
  return answers;
}

/// A rank fails in each step of each call: every other one learns of it, in the call, by wait, or in the next call.
template <class Policy>
void failures_reach_every_rank(device& d, int how_many, bool reaches_peers) {
  const auto k = static_cast<std::size_t>(how_many);
  int steps = 0;
  {
    sim_ranks ranks(how_many, *d.stream().options, reaches_peers);
    EXPECT_EQ(calls<Policy>(ranks, &steps), std::vector<status>(k, status::success)) << sim_diagnostic();
  }
  EXPECT_GT(steps, 10);
  for (int fails = 0; fails < how_many; ++fails) {
    for (int step = 1; step <= steps; ++step) {
      SCOPED_TRACE("rank " + std::to_string(fails) + ", step " + std::to_string(step));
      sim_ranks ranks(how_many, *d.stream().options, reaches_peers, fails, step);
      const auto answers = calls<Policy>(ranks, nullptr);
      EXPECT_EQ(answers[static_cast<std::size_t>(fails)], status::memory_allocation);
      for (const status s : answers) EXPECT_TRUE(s == status::memory_allocation || s == status::success);
      EXPECT_EQ(ranks.group().failure(), status::memory_allocation);
      std::vector<status> next(k);
      ranks.run([&](int rank, sim_communicator& comm) {
        std::vector<int> all;
        next[static_cast<std::size_t>(rank)] = comm.meet(rank, all);
      });
      EXPECT_EQ(next, std::vector<status>(k, status::memory_allocation));
    }
  }
}

/// What one rank is refused, all are, and the communicator goes on: arrays that overlap, results inside of an output,
/// and parts whose sum no number holds.
void refuses_on_every_rank(device& d) {
  constexpr std::int64_t n = 300, too_many = std::numeric_limits<std::int64_t>::max();
  sim_ranks ranks(3, *d.stream().options, true);
  arrays_of_ranks<std::uint32_t, sim_ranks> items(ranks);
  ranks.run([&](int rank, sim_communicator& comm) {
    const sim_stream stream = ranks.device(rank).stream();
    std::uint32_t* const in = items.make(rank, random_items<std::uint32_t>(200000)).data();
    const bool wrong = rank == 1;
    std::uint32_t *const apart = in + n, *const askew = wrong ? in + 1 : apart, *const rejected = apart + n;
    std::uint32_t* const counts = rejected + n;
    const across_results<std::uint32_t> results{counts, counts + 1, counts + 2};
    const across_results<std::uint32_t> inside{counts, wrong ? in : counts + 1, counts + 2};
    const workspace w{counts + 4, 700000};
    EXPECT_EQ(select_if_across(w, comm, in, askew, results, n, has_low_bits{}, stream), status::invalid_value);
    EXPECT_EQ(select_if_across(w, comm, in, apart, inside, n, has_low_bits{}, stream), status::invalid_value);
    EXPECT_EQ(partition_if_across(w, comm, in, askew, rejected, results, n, has_low_bits{}, stream),
              status::invalid_value);
    EXPECT_EQ(partition_if_across(w, comm, in, apart, wrong ? in + 1 : rejected, results, n, has_low_bits{}, stream),
              status::invalid_value);
    const std::uint32_t* const from = in;
    // In 64 bits their sum is that of all items.
    const std::int64_t n_out = rank < 2 ? too_many : 3 * n + 2;
    EXPECT_EQ(rebalance_across(comm, from, apart, n, n_out, stream), status::invalid_value);
    EXPECT_EQ(sort_keys_across<by_cuts>(w, comm, from, apart, n, n_out, sort_order::ascending, stream),
              status::invalid_value);
    EXPECT_EQ(select_if_across(w, comm, in, apart, results, n, has_low_bits{}, stream), status::success);
  });
  EXPECT_EQ(ranks.group().failure(), status::success);
}

const bool added = [] {
  const auto add = [](const char* claim, auto body) { add_test<sim_stream>("across", claim, body); };
  add("scans_in_the_order_of_ranks", scans);
  if constexpr (!race_check) add("sums_in_place_and_out_of_place", sums);  // by the kernels of scans
  if constexpr (!race_check) add("scans_to_the_same_bits", scans_reproducibly);
  add("selects_and_says_where_a_rank_begins", selects);
  if constexpr (!race_check) add("moves_items_to_their_shares", rebalances);  // no kernels
  add("sorts_what_ranks_have", sorts_sizes);
  add("sorts_to_parts_of_any_size", sorts_to_any_sizes);
  add("sorts_any_distribution_by_cuts",
      [](device& d) { sorts_distributions<by_cuts, std::uint32_t>(d, true, all_distributions); });
  add("sorts_any_distribution_by_buckets",
      [](device& d) { sorts_distributions<by_buckets, std::uint32_t>(d, true, all_distributions); });
  add("sorts_any_distribution_by_merge", [](device& d) { sorts_by_merge<std::uint32_t>(d, all_distributions); });
  add("sorts_by_merge_in_shared_memory", [](device& d) { sorts_in_shared_memory<by_merge>(d, 2); });
  if constexpr (!race_check) {
    add("sorts_by_cuts_in_shared_memory", [](device& d) { sorts_in_shared_memory<by_cuts>(d, 3); });
    add("sends_where_one_does_not_share", sends_where_one_does_not_share);
    add("refuses_on_every_rank", refuses_on_every_rank);
    add("sorts_floats_by_merge", [](device& d) { sorts_by_merge<float>(d, {"specials"}); });
    add("sorts_any_distribution_by_sending",
        [](device& d) { sorts_distributions<by_cuts, std::uint32_t>(d, false, all_distributions); });
    add("sorts_floats", [](device& d) { sorts_distributions<by_cuts, float>(d, true, {"specials", "uniform"}); });
    add("sorts_64_bits", [](device& d) { sorts_distributions<by_cuts, std::uint64_t>(d, true, {"uniform", "runs"}); });
    for (const std::size_t way : {0, 1}) {  // who is at work when another fails
      const auto where = device::ways()[way];
      add_test_on<sim_stream>(where, "across", "failures_reach_every_rank",
                              [](device& d) { failures_reach_every_rank<by_cuts>(d, 3, true); });
      add_test_on<sim_stream>(where, "across", "failures_reach_every_rank_that_sends",
                              [](device& d) { failures_reach_every_rank<by_cuts>(d, 3, false); });
      add_test_on<sim_stream>(where, "across", "failures_reach_the_other_of_two_that_merge",
                              [](device& d) { failures_reach_every_rank<by_merge>(d, 2, true); });
    }
  }
  return true;
}();

}  // namespace
}  // namespace upsweep::test
