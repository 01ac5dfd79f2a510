// Look-back of columns under every schedule of at most two preemptions, of one where there are four blocks or more: all
// blocks in flight, sums in each of the forms in which they are published.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/explored.hpp"
#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "upsweep/scan/axis_scan.cuh"

namespace upsweep::test {
namespace {

/// Blocks of one warp with a row of 16 columns a thread and as many after it. The workspace holds what the schedule
/// before has left: other sums, so that none of them can pass for one of this schedule.
template <class Word, int GroupTiles = 0>
void scans_right(const array_axis& axis, int most) {
  using item = span_of<Word>;
  using policy = axis_lookback<32, sizeof(item), 16 * sizeof(item), 1, 2, 512, 768, GroupTiles>;
  ASSERT_EQ(policy::template tiling<item>(axis).chunks, axis.length / 2);
  const test_device<sim_stream> memory(explored());
  guarded_array<std::uint32_t, sim_stream> misused(memory, std::vector<std::uint32_t>{0});
  const join<Word> op{misused.data()};
  const auto n = static_cast<std::size_t>(axis.items());
  std::vector<item> items[2] = {std::vector<item>(n), std::vector<item>(n)}, expected[2] = {items[0], items[1]};
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::size_t turn : {0, 1}) {
      const auto row = i / static_cast<std::size_t>(axis.inner), column = i % static_cast<std::size_t>(axis.inner);
      const auto first = static_cast<Word>(1 + 1000 * column + 500 * turn);
      items[turn][i] = {static_cast<Word>(first + row), static_cast<Word>(first + row)};
      expected[turn][i] = {first, static_cast<Word>(first + row)};
    }
  }
  guarded_array<item, sim_stream> first(memory, items[0]), second(memory, items[1]), out(memory, n);
  guarded_array<unsigned char, sim_stream> work(
      memory, inclusive_scan_axis_workspace_bytes<policy>(first.data(), out.data(), axis, op));
  std::size_t turn = 0;
  under_all_schedules(most, [&](test_device<sim_stream>& device) {
    turn = 1 - turn;
    work.forget();
    out.set(std::vector<item>(n));
    out.forget();
    const item* const in = (turn == 0 ? first : second).data();
    ASSERT_EQ(inclusive_scan_axis<policy>({work.data(), work.size()}, in, out.data(), axis, op, device.stream()),
              status::success)
        << device.message();
    ASSERT_TRUE(same_items(out.items(), expected[turn]));
    ASSERT_EQ(misused.items()[0], 0u) << "the operator ran on values that do not adjoin";
  });
  work.expect_guards();
}

TEST(axis_schedules, of_two_chunks) {
  scans_right<std::uint32_t>({1, 4, 16}, 2);
}
TEST(axis_schedules, of_two_chunks_with_values_apart) {
  scans_right<std::uint64_t>({1, 4, 16}, 2);
}
TEST(axis_schedules, of_four_chunks) {
  scans_right<std::uint32_t>({1, 8, 16}, 1);
}
TEST(axis_schedules, of_four_chunks_in_groups_of_two) {
  scans_right<std::uint32_t, 2>({1, 8, 16}, 1);
}
TEST(axis_schedules, of_three_chunks_in_a_group_with_values_apart) {
  scans_right<std::uint64_t, 3>({1, 6, 16}, 1);
}
TEST(axis_schedules, of_two_chunks_of_three_strips) {
  scans_right<std::uint64_t>({1, 4, 48}, 1);
}

}  // namespace
}  // namespace upsweep::test
