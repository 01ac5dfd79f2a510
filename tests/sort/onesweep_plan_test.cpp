#include "upsweep/sort/device/onesweep_plan.cuh"

#include <gtest/gtest.h>

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
            ASSERT_EQ(pass.turn + pass.left + 1u, expected.size());
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

TEST(plan_of_passes, sorts_without_gaps_where_they_are_filled) {
  const sort_input input{sort_array::in, true, true};
  for (unsigned run = 0; run < 16; ++run) {
    int first = 4, last = -1;
    for (int p = 0; p < 4; ++p) {
      if ((run >> p & 1u) == 0) continue;
      first = p < first ? p : first;
      last = p;
    }
    for (int p = 0; p < 4; ++p) {
      const sort_pass pass = plan_pass(p, 4, run, input);
      if (p < first || p > last) {
        ASSERT_EQ(pass.action, run == 0 && p == 3 ? pass_action::copy : pass_action::skip) << run;
        continue;
      }
      ASSERT_EQ(pass.action, pass_action::sort) << run;
      ASSERT_EQ(pass.from == sort_array::in, p == first) << run;
      ASSERT_EQ(pass.turn, p - first) << run;
      ASSERT_EQ(pass.left, last - p) << run;
    }
  }
}

}  // namespace
}  // namespace upsweep::test
