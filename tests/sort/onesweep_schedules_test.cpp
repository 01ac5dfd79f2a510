// Two passes under every schedule of at most one preemption: a tile that is late must not be taken for what it was in
// the pass before. What tiles tell each other, under those of two: digit_lookback_schedules_test.cpp.
#include "contracts/onesweep_contract.hpp"
#include "support/explored.hpp"

namespace upsweep::test {
namespace {

TEST(onesweep_schedules, passes_take_nothing_for_theirs_that_the_one_before_left) {
  using method = onesweep_with<32, 1, 1>;
  constexpr std::int64_t n = 70;
  const auto keys = random_keys<std::uint32_t>(static_cast<std::size_t>(n), "uniform");
  const auto places =
      sorted_places(keys, sort_order::ascending, [](std::uint32_t a, std::uint32_t b) { return (a & 3) < (b & 3); });
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t p : places) expected.push_back(keys[p]);
  const test_device<sim_stream> memory(explored());
  guarded_array<std::uint32_t, sim_stream> in(memory, keys), out(memory, keys.size());
  const std::size_t bytes = method{}.template workspace_bytes<std::uint32_t, no_value>(n);
  guarded_array<unsigned char, sim_stream> work(memory, bytes);
  // What a schedule leaves would stand in for what the next one does not write.
  const std::vector<std::uint32_t> nothing(keys.size(), 0);
  const std::vector<unsigned char> noise(bytes, 0xa5);
  under_all_schedules(1, [&](test_device<sim_stream>& device) {
    out.set(nothing);
    work.set_bytes(noise);
    ASSERT_EQ(sort_keys<method>(workspace{work.data(), bytes}, static_cast<const std::uint32_t*>(in.data()), out.data(),
                                n, sort_order::ascending, bit_range{0, 2}, device.stream()),
              status::success)
        << device.message();
    ASSERT_TRUE(same_items(out.items(), expected));
  });
  work.expect_guards();
}

}  // namespace
}  // namespace upsweep::test
