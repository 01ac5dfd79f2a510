// A test under every schedule of the sim with at most so many preemptions.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>

#include "support/internals.hpp"
#include "support/test_device.hpp"
#include "upsweep/simt/sim_exploration.hpp"

namespace upsweep::test {

/// The sim in the order explored, by preemptions that `e` holds; without it, by none.
inline test_device<sim_stream>::way explored(sim_exploration* e = nullptr) {
  sim_options options;
  options.order = sim_order::explored;
  options.exploration = e;
  options.print = false;
  return {"sim_explored", options};
}

/// Calls check(device) under every schedule of at most `most` preemptions until one fails, whose preemptions are shown.
template <class Check>
void under_all_schedules(int most, Check check) {
  const std::size_t count = explore_schedules(most, [&](sim_exploration& e) {
    SCOPED_TRACE("preemptions " + to_string(e.preemptions));
    test_device<sim_stream> device(explored(&e));
    check(device);
    return !testing::Test::HasFailure();
  });
  testing::Test::RecordProperty("schedules", std::to_string(count));
  std::printf("%zu schedules of at most %d preemptions\n", count, most);
}

}  // namespace upsweep::test
