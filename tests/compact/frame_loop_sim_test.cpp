// The frame loop on the sim, by calls.
#include "compact/frame_loop.hpp"

namespace upsweep::test {
namespace {

template <class Cull>
void run_frames(test_device<sim_stream>& d, bool ordered, bool over_n) {
  constexpr std::uint32_t capacity = 1000, visible = capacity / 5, frames = 160;
  frame_loop<Cull, sim_stream> loop(d, capacity, visible, frames, over_n);
  frame_oracle oracle(capacity, visible, frames);
  for (std::uint32_t f = 1; f <= frames; ++f) {
    ASSERT_EQ(loop.frame(), status::success) << d.message();
    oracle.frame();
    if (f % 5 == 0) oracle.check(loop.snapshot(), ordered, loop.group_size);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_TRUE(oracle.has_seen_everything());
}

const bool added = [] {
  using device = test_device<sim_stream>;
  add_test<sim_stream>("frame_loop", "stable", [](device& d) { run_frames<default_compact_policy>(d, true, true); });
  add_test<sim_stream>("frame_loop", "hole_filling", [](device& d) { run_frames<hole_filling<>>(d, false, false); });
  return true;
}();

}  // namespace
}  // namespace upsweep::test
