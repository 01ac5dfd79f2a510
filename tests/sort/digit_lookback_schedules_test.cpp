// What the tiles of several passes tell each other, under every schedule of at most so many preemptions: a tile that is
// late must not be taken for what it was in the pass before.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/explored.hpp"
#include "support/guarded_array.hpp"
#include "upsweep/scan/flow/digit_lookback.cuh"
#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"

namespace upsweep::test {
namespace {

/// Tiles of one warp tell and ask for the sums of two digits, as those of a pass do: they tell sums[tile * 2 + digit],
/// and before[tile * 2 + digit] becomes what they are told.
template <class Lookback>
struct lookback_kernel {
  static constexpr int block_threads = 32;
  using temp_storage = ordered_tile_id::temp_storage;

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage& s, std::uint32_t* words, std::uint32_t turn,
                                 ordered_tile_id ids, const std::uint32_t* sums, std::uint32_t* before) const {
    const std::int64_t tile = ids.take(block, s);
    const Lookback states(words, block.num_blocks(), turn);
    const int d = block.thread_rank();
    if (d >= 2) return;
    const std::uint32_t mine = sums[tile * 2 + d];
    states.tell(block, tile, d, mine);
    before[tile * 2 + d] = tile > 0 ? states.sum_before(block, tile, d, mine) : 0;
  }
};

/// Passes over the same words, in each of which the tiles have other sums.
template <class Lookback>
void expect_sums_of_each_pass(int tiles, int passes, int most) {
  const auto items = static_cast<std::size_t>(tiles) * 2;
  const test_device<sim_stream> memory(explored());
  guarded_array<std::uint32_t, sim_stream> words(memory, static_cast<std::size_t>(Lookback::words_of(tiles)));
  guarded_array<std::uint32_t, sim_stream> sums(memory, items), before(memory, items), ticket(memory, 1);
  std::vector<std::vector<std::uint32_t>> given, expected;
  for (int pass = 0; pass < passes; ++pass) {
    given.emplace_back(items), expected.emplace_back(items);
    for (std::size_t i = 0; i < items; ++i) {
      given.back()[i] = static_cast<std::uint32_t>((i + 1) << 4 * pass);
      if (i >= 2) expected.back()[i] = expected.back()[i - 2] + given.back()[i - 2];
    }
  }
  under_all_schedules(most, [&](test_device<sim_stream>& device) {
    words.set(std::vector<std::uint32_t>(words.size(), 0));
    for (int pass = 0; pass < passes; ++pass) {
      const auto p = static_cast<std::size_t>(pass);
      sums.set(given[p]);
      ticket.set({0});
      before.set(std::vector<std::uint32_t>(items, 0xffffffffu));
      auto executor = device.executor();
      ASSERT_EQ(executor.launch(tiles, lookback_kernel<Lookback>{}, words.data(), static_cast<std::uint32_t>(pass),
                                ordered_tile_id{ticket.data()}, static_cast<const std::uint32_t*>(sums.data()),
                                before.data()),
                status::success)
          << device.message();
      ASSERT_TRUE(same_items(before.items(), expected[p])) << "pass " << pass;
    }
  });
  words.expect_guards();
}

TEST(digit_lookback_schedules, of_four_tiles) {
  expect_sums_of_each_pass<digit_lookback<2>>(4, 2, 2);
}
// The third pass marks its sums as the first one does.
TEST(digit_lookback_schedules, of_three_tiles_in_three_passes) {
  expect_sums_of_each_pass<digit_lookback<2>>(3, 3, 2);
}
// The last one looks back over two groups of two.
TEST(digit_lookback_schedules, of_five_tiles_by_groups_of_two) {
  expect_sums_of_each_pass<grouped_digit_lookback<2, 2, 4>>(5, 2, 2);
}
// More tiles than are looked at by groups.
TEST(digit_lookback_schedules, of_five_tiles_that_are_too_many_for_two_groups) {
  expect_sums_of_each_pass<grouped_digit_lookback<2, 2, 2>>(5, 3, 1);
}

}  // namespace
}  // namespace upsweep::test
