// The frame loop as one captured graph, replayed without waiting for it.
#include "compact/frame_loop.hpp"
#include "support/captured_graph.cuh"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

template <class Cull>
void replay_frames(test_device<cudaStream_t>& d, bool ordered, bool over_n) {
  constexpr std::uint32_t capacity = 4'000'000, visible = capacity / 5, frames = 1000, between_checks = 50;
  frame_loop<Cull, cudaStream_t> loop(d, capacity, visible, frames, over_n);
  frame_oracle oracle(capacity, visible, frames);
  const captured_graph graph(d.stream(), [&] { return loop.frame(); });
  for (std::uint32_t f = 0; f < frames && !testing::Test::HasFatalFailure(); f += between_checks) {
    for (std::uint32_t i = 0; i < between_checks; ++i) EXPECT_EQ(graph.launch(d.stream()), cudaSuccess);
    for (std::uint32_t i = 0; i < between_checks; ++i) oracle.frame();  // meanwhile
    oracle.check(loop.snapshot(), ordered, loop.group_size);
  }
  EXPECT_TRUE(oracle.has_seen_everything() || testing::Test::HasFatalFailure());
}

const bool added = [] {
  using device = test_device<cudaStream_t>;
  add_test<cudaStream_t>("frame_loop", "stable",
                         [](device& d) { replay_frames<default_compact_policy>(d, true, true); });
  add_test<cudaStream_t>("frame_loop", "hole_filling",
                         [](device& d) { replay_frames<hole_filling<>>(d, false, false); });
  return true;
}();

}  // namespace
}  // namespace upsweep::test
