#include "contracts/reproducible_contract.hpp"

namespace upsweep::test {
namespace {

const bool added = reproducible_bits_contract<sim_stream>::add();

template <class Policy>
std::vector<std::uint32_t> bits_with_blocks(sim_order order, int blocks, const bits_question& q) {
  sim_options options;
  options.order = order;
  options.resident_blocks = blocks;
  options.os_threads = 1;
  options.print = false;
  return bits_of_scan<Policy>(test_device<sim_stream>({"", options}), q);
}

TEST(reproducible_scan, does_not_depend_on_the_schedule_or_how_many_blocks_are_in_flight) {
  constexpr std::size_t n = reproducible_bits_contract<sim_stream>::many;
  const auto expected = bits_with_blocks<reproducible_scan<96, 1>>(sim_order::in_order, 1, {n});
  for (const sim_order order : {sim_order::in_order, sim_order::reversed, sim_order::random}) {
    for (const int blocks : {2, 40}) {
      for (const bool by_iterator : {false, true}) {
        SCOPED_TRACE(testing::Message() << blocks << " blocks" << (by_iterator ? ", by an iterator" : ""));
        EXPECT_TRUE(same_items(
            bits_with_blocks<reproducible_scan<96, 1>>(order, blocks, {n, scan_kind::exclusive, by_iterator}),
            expected));
      }
    }
  }
}

TEST(reproducible_scan, needs_no_less_workspace_for_more_items) {
  std::size_t last = 0;
  for (std::int64_t n = -2; n < std::int64_t{1} << 40; n += n < 9000 ? 1 : n / 7) {
    const std::size_t bytes = inclusive_sum_workspace_bytes<reproducible_scan<96, 1>>(
        static_cast<const float*>(nullptr), static_cast<float*>(nullptr), n);
    EXPECT_TRUE(n > 0 ? bytes >= last : bytes == 0) << n;
    last = bytes;
  }
}

TEST(reproducible_scan, is_tested_on_sums_that_depend_on_their_order) {
  using policy = decoupled_lookback<warp_scans<96>, 1>;
  constexpr std::size_t n = 96 * 64;
  EXPECT_NE(bits_with_blocks<policy>(sim_order::in_order, 1, {n}), bits_with_blocks<policy>(sim_order::random, 7, {n}));
}

}  // namespace
}  // namespace upsweep::test
