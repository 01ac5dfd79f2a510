// Two ranks that sort by ranges which a sample cuts, by a local sort that takes the counts of the split.
#include "across/sim_ranks.hpp"
#include "contracts/across_contract.hpp"
#include "support/race_check.hpp"
#include "upsweep/sort/device/onesweep.cuh"

namespace upsweep::test {
namespace {

using device = test_device<sim_stream>;
using by_ranges = sort_across_policy<onesweep<>, std::int64_t{1} << 62, 3000, 100, 4000>;

/// Parts that meet elsewhere than the ranks' keys do; keys of one range, and too many equal ones.
template <class Key>
void sorts(device& d, const std::vector<const char*>& distributions, bool shares = false) {
  sort_order order = sort_order::descending;
  const auto sizes_of_two =
      race_check ? std::vector<rank_sizes>{{2100, 1900}} : std::vector<rank_sizes>{{8300, 8200}, {2500, 1900}};
  for (const char* distribution : distributions) {
    for (const rank_sizes& sizes : sizes_of_two) {
      SCOPED_TRACE(distribution);
      order = order == sort_order::descending ? sort_order::ascending : sort_order::descending;
      const std::int64_t total = sum_of(sizes);
      const auto keys = keys_across<Key>(total, distribution);
      const rank_sizes takes = sizes[0] > 8000 ? rank_sizes{total / 3, total - total / 3} : balanced(total, 2);
      sim_ranks ranks(2, *d.stream().options, true);
      if (shares) ranks.let_share();
      expect_sorted_across<by_ranges>(ranks, keys, sizes, takes, order);
    }
  }
}

constexpr std::int64_t of_each = 2400;
using bits_of_two = std::vector<std::vector<std::uint32_t>>;

/// What the ranks answer, and how many steps they take, for keys alone.
struct answers {
  std::vector<status> of;
  int steps = 0;
};
answers sort_two(sim_ranks& ranks, const bits_of_two& keys, bits_of_two& sorted) {
  answers a;
  a.of.assign(2, status::success);
  arrays_of_ranks<std::uint32_t, sim_ranks> in(ranks), out(ranks);
  arrays_of_ranks<unsigned char, sim_ranks> work(ranks);
  ranks.run([&](int rank, sim_communicator& comm) {
    const auto r = static_cast<std::size_t>(rank);
    const auto n = static_cast<std::int64_t>(keys[r].size());
    const std::uint32_t* const from = in.make(rank, keys[r]).data();
    std::uint32_t* const to = out.make(rank, keys[r].size()).data();
    const std::size_t bytes = sort_keys_across_workspace_bytes<by_ranges>(comm, from, to, n, n);
    const workspace w{work.make(rank, bytes).data(), bytes};
    a.of[r] = sort_keys_across<by_ranges>(w, comm, from, to, n, n, sort_order::ascending, ranks.device(rank).stream());
    if (rank == 0) a.steps = comm.steps();
  });
  sorted.clear();
  for (int rank = 0; rank < 2; ++rank) sorted.push_back(out[rank].items());
  return a;
}
bits_of_two keys_of_two(const char* distribution, std::int64_t n) {
  const auto all = random_keys<std::uint32_t>(static_cast<std::size_t>(2 * n), distribution);
  return {{all.begin(), all.begin() + n}, {all.begin() + n, all.end()}};
}
void expect_in_order(const bits_of_two& keys, const bits_of_two& sorted) {
  std::vector<std::uint32_t> expected(keys[0]), got(sorted[0]);
  expected.insert(expected.end(), keys[1].begin(), keys[1].end());
  got.insert(got.end(), sorted[1].begin(), sorted[1].end());
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(same_items(got, expected));
}

/// Keys that are as their sample says go by ranges; others are merged, as is seen by the number of steps.
void merges_where_the_sample_misleads(device& d) {
  constexpr std::int64_t n = 9000, stride = 3;
  bits_of_two keys = keys_of_two("uniform", n), sorted;
  sim_ranks ranks(2, *d.stream().options, true);
  const int steps = sort_two(ranks, keys, sorted).steps;
  expect_in_order(keys, sorted);
  bits_of_two equal = keys_of_two("constant", n);
  const int steps_of_equal = sort_two(ranks, equal, sorted).steps;
  expect_in_order(equal, sorted);
  EXPECT_LT(steps_of_equal, steps);
  // All but the sampled ones are half as large.
  for (auto& of_rank : keys) {
    std::vector<std::uint32_t> halves(of_rank);
    for (std::uint32_t& key : halves) key /= 2;
    for (std::int64_t i = 0; i * stride < n; ++i) {
      const auto at = static_cast<std::size_t>(detail::sampled_place(i, stride, n));
      halves[at] = of_rank[at];
    }
    of_rank = halves;
  }
  EXPECT_GT(sort_two(ranks, keys, sorted).steps, steps_of_equal);  // the split, in vain
  expect_in_order(keys, sorted);
}

/// A split alone, of pairs whose values are their places, to runs that begin anywhere.
template <class Key, int Items, bool IsStable, bool ByBulk>
void splits(device& d, std::int64_t n, std::int64_t lacks = 0, bool is_askew = false) {
  using digit = detail::digit_of<Key>;
  using split = detail::range_split_kernel<Key, std::uint32_t, digit, 1, 128, Items, 2, IsStable, ByBulk>;
  constexpr int ranges = detail::rank_ranges::count;
  auto keys = random_items<Key>(static_cast<std::size_t>(n), 5);
  if (is_askew) {  // runs that begin after a whole group and end before one, but for an item or two
    const Key of_range[] = {0, 3, 40, 41, 90, 200, 201};
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = of_range[std::min<std::size_t>(i / 34, ranges - 1)];
  }
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  detail::code_ranges<Key> cuts{{3, 40, 41, 90, 200, 201}};
  const auto range_of = [&](Key key) {
    int r = 0;
    while (r < ranges - 1 && key >= cuts.cut[r]) ++r;
    return r;
  };
  std::vector<std::vector<std::pair<Key, std::uint32_t>>> expected(ranges);
  std::vector<std::uint64_t> digits(ranges * 256);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    expected[static_cast<std::size_t>(range_of(keys[i]))].push_back({keys[i], places[i]});
    ++digits[static_cast<std::size_t>(range_of(keys[i]) * 256 + keys[i] % 256)];
  }
  detail::range_places to{};
  std::int64_t end = 0;
  for (int r = 0; r < ranges; ++r) {
    to.begin[r] = is_askew ? end / 16 * 16 + 31 : end + r * 5 % 7;
    to.room[r] = static_cast<std::int64_t>(expected[static_cast<std::size_t>(r)].size()) - (r == 3 ? lacks : 0);
    end = to.begin[r] + to.room[r];
  }
  const std::int64_t tiles = ceil_div(n, split::tile_items);
  guarded_array<Key, sim_stream> in(d, keys), out(d, static_cast<std::size_t>(end));
  guarded_array<std::uint32_t, sim_stream> values(d, places), values_out(d, static_cast<std::size_t>(end));
  guarded_array<std::uint64_t, sim_stream> counts(d, std::vector<std::uint64_t>(digits.size())),
      sums(d, std::vector<std::uint64_t>(2 * (ranges + 1)));
  guarded_array<std::uint32_t, sim_stream> words(
      d, std::vector<std::uint32_t>(static_cast<std::size_t>(tiles * (ranges + 1) + 1)));
  const detail::range_portion portion{
      0, n, words.data() + tiles * (ranges + 1), words.data(), sums.data(), sums.data() + ranges + 1};
  sim_executor ex(d.stream());
  ASSERT_EQ(ex.launch(3, split{}, static_cast<const Key*>(in.data()), static_cast<const std::uint32_t*>(values.data()),
                      digit{}, cuts, to, out.data(), values_out.data(), counts.data(), portion),
            status::success)
      << sim_diagnostic();
  EXPECT_EQ(counts.items(), digits);
  const auto got = out.items();
  const auto got_values = values_out.items();
  for (int r = 0; r < ranges; ++r) {
    auto run = expected[static_cast<std::size_t>(r)];
    EXPECT_EQ(sums.items()[static_cast<std::size_t>(ranges + 1 + r)], run.size());
    if (r == 3 && lacks > 0) continue;  // what has no room is counted; others must not be touched
    std::vector<std::pair<Key, std::uint32_t>> found;
    for (std::int64_t i = 0; i < to.room[r]; ++i) {
      const auto at = static_cast<std::size_t>(to.begin[r] + i);
      found.push_back({got[at], got_values[at]});
    }
    if (!IsStable) std::sort(found.begin(), found.end()), std::sort(run.begin(), run.end());
    EXPECT_EQ(found, run) << "range " << r;
  }
}
template <bool IsStable, bool ByBulk>
void splits_to_any_places(device& d) {
  for (const std::int64_t n : {1, 63, 128, 2000}) splits<std::uint8_t, 2, IsStable, ByBulk>(d, n);
  splits<std::uint32_t, 4, IsStable, ByBulk>(d, 1111);
  splits<std::uint8_t, 2, IsStable, ByBulk>(d, 2000, 9);
  splits<std::uint8_t, 2, IsStable, ByBulk>(d, 256, 0, true);
}

void failures_reach_the_other_rank(device& d) {
  const bits_of_two keys = keys_of_two("uniform", of_each);
  bits_of_two sorted;
  int steps = 0;
  {
    sim_ranks ranks(2, *d.stream().options, true);
    const answers a = sort_two(ranks, keys, sorted);
    steps = a.steps;
    EXPECT_EQ(a.of, std::vector<status>(2, status::success)) << sim_diagnostic();
    expect_in_order(keys, sorted);
  }
  EXPECT_GT(steps, 15);
  for (int fails = 0; fails < 2; ++fails) {
    for (int step = 1; step <= steps; ++step) {
      SCOPED_TRACE("rank " + std::to_string(fails) + ", step " + std::to_string(step));
      sim_ranks ranks(2, *d.stream().options, true, fails, step);
      const answers a = sort_two(ranks, keys, sorted);
      EXPECT_EQ(a.of[static_cast<std::size_t>(fails)], status::memory_allocation);
      for (const status s : a.of) EXPECT_TRUE(s == status::memory_allocation || s == status::success);
      EXPECT_EQ(ranks.group().failure(), status::memory_allocation);
    }
  }
}

const bool added = [] {
  const auto add = [](const char* claim, auto body) { add_test<sim_stream>("across_by_ranges", claim, body); };
  add("sorts_any_distribution", [](device& d) {
    sorts<std::uint32_t>(d, race_check ? std::vector<const char*>{"uniform"}
                                       : std::vector<const char*>{"uniform", "constant", "sorted", "runs", "zipf"});
  });
  add("splits_by_bulk_copies", splits_to_any_places<true, true>);
  if constexpr (!race_check) {
    add("splits_by_stores", splits_to_any_places<true, false>);
    add("splits_in_any_order", splits_to_any_places<false, true>);
    add("splits_by_stores_in_any_order", splits_to_any_places<false, false>);
    add("sorts_floats_and_64_bits", [](device& d) {
      sorts<float>(d, {"uniform"});
      sorts<std::uint64_t>(d, {"uniform"});
    });
    add("sorts_in_shared_memory", [](device& d) { sorts<std::uint32_t>(d, {"uniform"}, true); });
    add("merges_where_the_sample_misleads", merges_where_the_sample_misleads);
    add_test_on<sim_stream>(device::ways()[0], "across_by_ranges", "failures_reach_the_other_rank",
                            failures_reach_the_other_rank);
  }
  return true;
}();

}  // namespace
}  // namespace upsweep::test
