#include "upsweep/sort/device/onesweep_plan.cuh"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/internals.hpp"

namespace upsweep::test {
namespace {

/// Follows the plan for every choice of passes, and says what the output then holds: the passes that sorted, in order.
TEST(plan_of_passes, ends_in_the_output_with_one_copy_at_most) {
  for (const sort_array input : {sort_array::in, sort_array::out, sort_array::spare}) {
    for (int digits = 1; digits <= 5; ++digits) {
      // From the spare, a sort that runs in full must end in the output.
      if (input == sort_array::spare && digits % 2 == 0) continue;
      for (unsigned run = 0; run < 2u << digits; ++run) {
        const bool makes_places = (run >> digits & 1u) != 0;
        const int passes = planned_passes(digits, {input, makes_places});
        ASSERT_LE(passes, input == sort_array::out ? digits + 1 : digits);
        std::vector<sort_pass> plan(static_cast<std::size_t>(passes));
        std::vector<int> expected;
        for (int p = 0; p < digits; ++p) {
          const bool runs = (run >> p & 1u) != 0;
          if (runs) expected.push_back(p);
        }
        for (int p = 0; p < passes; ++p) {
          plan[static_cast<std::size_t>(p)] = plan_pass(p, passes, run & ((1u << digits) - 1), {input, makes_places});
        }
        // What the keys have been through; of an array that the input lies in too, `in` is another name.
        std::vector<int> held[3] = {{}, {-1}, {-1}};
        held[static_cast<int>(input)] = {};
        bool places_made = !makes_places;
        int copies = 0;
        std::uint32_t turn = 0;
        for (int p = 0; p < passes; ++p) {
          const sort_pass& pass = plan[static_cast<std::size_t>(p)];
          if (pass.action == pass_action::skip) continue;
          const sort_array from = pass.from == sort_array::in ? input : pass.from;
          ASSERT_TRUE(from != pass.to || pass.action == pass_action::copy);
          ASSERT_NE(pass.to, sort_array::in);
          if (pass.from == sort_array::in) places_made = true;
          held[static_cast<int>(pass.to)] = held[static_cast<int>(from)];
          if (pass.action == pass_action::copy) {
            ++copies;
          } else {
            ASSERT_EQ(pass.turn, turn++);
            held[static_cast<int>(pass.to)].push_back(p);
          }
        }
        ASSERT_EQ(held[static_cast<int>(sort_array::out)], expected) << "run " << run << " of " << digits;
        ASSERT_TRUE(places_made) << "run " << run << " of " << digits;
        if (expected.empty()) {
          ASSERT_EQ(copies, input != sort_array::out || makes_places ? 1 : 0);
        } else {
          const bool ends_elsewhere = (expected.size() % 2 == 1) != (input == sort_array::spare);
          ASSERT_EQ(copies, input != sort_array::in && ends_elsewhere ? 1 : 0);
        }
      }
    }
  }
}

/// Of values alone the same passes run, and the last one leaves the keys away.
TEST(plan_of_passes, writes_no_keys_in_the_last_pass_where_values_are_all_that_is_wanted) {
  for (const sort_array input : {sort_array::in, sort_array::out, sort_array::spare}) {
    for (int digits = 1; digits <= 5; ++digits) {
      for (unsigned run = 0; run < 2u << digits; ++run) {
        const bool makes_places = (run >> digits & 1u) != 0;
        const unsigned sorts = run & ((1u << digits) - 1);
        const int passes = planned_passes(digits, {input, makes_places});
        ASSERT_EQ(planned_passes(digits, {input, makes_places, true}), passes);
        bool is_last = true;
        for (int p = passes - 1; p >= 0; --p) {
          const sort_pass both = plan_pass(p, passes, sorts, {input, makes_places});
          const sort_pass alone = plan_pass(p, passes, sorts, {input, makes_places, true});
          ASSERT_EQ(alone.action, both.action);
          ASSERT_EQ(alone.from, both.from);
          ASSERT_EQ(alone.turn, both.turn);
          const bool leaves_keys = is_last && both.action != pass_action::skip;
          ASSERT_EQ(alone.to, leaves_keys ? sort_array::out_values : both.to) << "run " << run << " of " << digits;
          if (leaves_keys) is_last = false;
        }
      }
    }
  }
}

/// Where keys and values of each array go.
TEST(plan_of_passes, names_the_arrays_that_are_written) {
  std::uint32_t out = 0, spare = 0, values_out = 0, values_spare = 0;
  const sort_arrays<std::uint32_t, std::uint32_t> arrays{nullptr, &out, &spare, nullptr, &values_out, &values_spare};
  EXPECT_EQ(arrays.keys_to(sort_array::out), &out);
  EXPECT_EQ(arrays.keys_to(sort_array::spare), &spare);
  EXPECT_EQ(arrays.keys_to(sort_array::out_values), nullptr);
  EXPECT_EQ(arrays.values_to(sort_array::out), &values_out);
  EXPECT_EQ(arrays.values_to(sort_array::spare), &values_spare);
  EXPECT_EQ(arrays.values_to(sort_array::out_values), &values_out);
}

}  // namespace
}  // namespace upsweep::test
