// Compaction in place under every schedule of at most so many preemptions: no tile may overwrite what another has yet
// to read. And under random ones with n where the count goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/explored.hpp"
#include "support/guarded_array.hpp"
#include "support/race_check.hpp"
#include "upsweep/compact/select.cuh"

namespace upsweep::test {
namespace {

using detail::kernel_limits;
using detail::pipelined_compact_shape;

struct is_marked {
  UPSWEEP_HOST_DEVICE bool operator()(std::uint32_t x) const { return x < 1000; }
};

/// Items of which `rejects` says which are not kept; all schedules see the same memory. As bytes: their type is not
/// told.
template <class Policy, class Rejects>
void keeps_the_rest(std::int64_t n, bool in_place, int most, Rejects rejects, bool as_bytes = false) {
  const test_device<sim_stream> memory(explored());
  std::vector<std::uint32_t> items, expected;
  for (std::uint32_t i = 0; i < n; ++i) items.push_back(rejects(i) ? 1000 + i : i);
  std::copy_if(items.begin(), items.end(), std::back_inserter(expected), is_marked{});
  const auto kept = static_cast<std::int64_t>(expected.size());
  guarded_array<std::uint32_t, sim_stream> in(memory, items), apart(memory, items.size());
  auto& out = in_place ? in : apart;
  guarded_array<std::int64_t, sim_stream> count(memory, 1);
  const std::uint32_t* const from = in.data();
  const soa_array array{in.data(), out.data(), sizeof *from};
  const vote_if<std::uint32_t, is_marked> vote{from, {}};
  guarded_array<unsigned char, sim_stream> work(
      memory, as_bytes ? select_arrays_workspace_bytes<Policy>({&array, 1}, count.data(), n, vote)
                       : select_if_workspace_bytes<Policy>(from, out.data(), count.data(), n, is_marked{}));
  const workspace w{work.data(), work.size()};
  if (in_place) expected.insert(expected.end(), items.begin() + kept, items.end());
  under_all_schedules(most, [&](test_device<sim_stream>& device) {
    work.forget();
    in.set(items);
    ASSERT_EQ(as_bytes ? select_arrays<Policy>(w, {&array, 1}, count.data(), n, vote, device.stream())
                       : select_if<Policy>(w, from, out.data(), count.data(), n, is_marked{}, device.stream()),
              status::success)
        << device.message();
    ASSERT_EQ(count.items()[0], kept);
    auto got = out.items();
    got.resize(expected.size());
    ASSERT_TRUE(same_items(got, expected));
  });
}

/// One warp of each role.
struct one_warp_a_role : pipelined_compact_shape {
  static constexpr kernel_limits limits{.few_bytes = 0, .ring_bytes = 0};
  template <class Item>
  static constexpr int voters = 1;
  static constexpr int writers = 1, most_stages = 2, most_loads = 1;
  template <class Item>
  static constexpr int tile_items = 256;
};
using ring = fused<32, 1, one_warp_a_role>;
template <int ClusterBlocks>
struct only_tiles : pipelined_compact_shape {
  static constexpr kernel_limits limits{
      .few_bytes = 0, .ring_bytes = std::int64_t{1} << 60, .cluster_blocks = ClusterBlocks};
};
template <int ClusterBlocks>
using tiles = fused<32, 1, only_tiles<ClusterBlocks>>;

TEST(compact_schedules, of_a_ring_in_place) {
  keeps_the_rest<ring>(700, true, 1, [](std::uint32_t i) { return i < 200 || i % 7 == 0; });
}
/// The blocks of a grid begin late: all but two when another has ended.
struct late_blocks : sim_executor {
  using sim_executor::sim_executor;
  std::int64_t multiprocessors() const { return 12; }
};

/// None are kept of the one tile that there is, or there is no room for what is: the count, which goes where n lies,
/// becomes 0 while blocks begin.
void leaves_none(bool has_room, const sim_options& options) {
  constexpr std::int64_t n = 200, bound = 3000;
  const test_device<sim_stream> device({"", options});
  const std::vector<std::uint32_t> items(bound, has_room ? 1000 : 1);
  const guarded_array<std::uint32_t, sim_stream> in(device, items), out(device, items.size());
  guarded_array<std::int64_t, sim_stream> count(device, std::vector<std::int64_t>{n}), wanted(device, 1);
  const std::uint32_t* const from = in.data();
  select_results results(count.data());
  results.wanted = wanted.data();
  if (!has_room) results.capacity = 0;
  const guarded_array<unsigned char, sim_stream> work(
      device, select_if_workspace_bytes<ring>(from, out.data(), results, bound, is_marked{}));
  late_blocks executor(device.stream());
  ASSERT_EQ(ring{}.run_array(executor, workspace{work.data(), work.size()}, from, out.data(),
                             device_count<std::int64_t>{count.data(), bound},
                             vote_if<std::uint32_t, is_marked>{from, {}}, results),
            status::success)
      << device.message();
  EXPECT_EQ(count.items()[0], 0);
  EXPECT_EQ(wanted.items()[0], has_room ? 0 : n);
}

TEST(compact_schedules, of_a_ring_that_leaves_none_where_n_lies) {
  for (std::uint64_t run = 1; run <= 200; ++run) {
    sim_options options;
    options.order = sim_order::random;
    options.seed = run;
    options.blocks_backwards = run % 2 != 0;
    options.resident_blocks = 2;
    options.print = false;
    leaves_none(true, options);
    leaves_none(false, options);
  }
}
TEST(compact_schedules, of_three_tiles) {
  keeps_the_rest<tiles<1>>(
      90, false, 2, [](std::uint32_t i) { return i % 3 == 1; }, true);
}
TEST(compact_schedules, of_three_tiles_of_a_cluster) {
  keeps_the_rest<tiles<16>>(
      90, false, 2, [](std::uint32_t i) { return i % 3 == 1; }, true);
}
TEST(compact_schedules, of_three_tiles_in_registers_in_place) {
  keeps_the_rest<tiles<1>>(90, true, 2, [](std::uint32_t i) { return i % 3 == 1; });
}

}  // namespace
}  // namespace upsweep::test
