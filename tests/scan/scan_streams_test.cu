// Scans of many streams and host threads at once, and in captured graphs.
#include <memory>
#include <thread>
#include <vector>

#include "scan/gpu_fixture.cuh"

namespace upsweep::test {
namespace {

/// A scan with memory of its own, on a stream of its own.
template <class Policy>
class lane_of_work {
 public:
  explicit lane_of_work(std::int64_t n)
      : n_(n),
        in_(static_cast<std::size_t>(n)),
        out_(static_cast<std::size_t>(n)),
        work_(sum_workspace_bytes<Policy>(in_.data(), out_.data(), n)),
        wrong_(1) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(wrong_.data(), 0, wrong_.bytes(), stream_), cudaSuccess);
    if (work_.bytes() > 0) {
      EXPECT_EQ(cudaMemsetAsync(work_.data(), 0xff, work_.bytes(), stream_), cudaSuccess);
    }
  }
  lane_of_work(const lane_of_work&) = delete;
  lane_of_work& operator=(const lane_of_work&) = delete;
  ~lane_of_work() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }

  cudaStream_t stream() const { return stream_; }
  /// Enqueues new items.
  status refill(std::uint64_t salt) { return scramble(stream_, in_.data(), n_, salt); }
  /// Enqueues the scan.
  cudaError_t scan() {
    return inclusive_sum<Policy>({work_.data(), work_.bytes()}, in_.data(), out_.data(), n_, stream_);
  }
  /// Enqueues the comparison.
  status check() { return check_sums(stream_, in_.data(), out_.data(), n_, wrong_.data()); }
  /// Waits, and returns how many sums were wrong.
  unsigned long long wrong() {
    unsigned long long count = ~0ull;
    EXPECT_EQ(cudaMemcpyAsync(&count, wrong_.data(), sizeof count, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    return count;
  }

 private:
  std::int64_t n_;
  device_array<std::uint32_t> in_, out_;
  device_array<unsigned char> work_;
  device_array<unsigned long long> wrong_;
  cudaStream_t stream_ = nullptr;
};

template <class Policy>
class scans_at_once : public gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (Policy::variant.strategy == scan_strategy::cluster && !cuda_executor::has_clusters()) {
      GTEST_SKIP() << "clusters need sm_90";
    }
  }
};

using policies = testing::Types<decoupled_lookback<warp_scans<256>, 16>, decoupled_lookback<brent_kung<128>, 4>,
                                chained_scan<warp_scans<128>, 4>, reduce_then_scan<raking<128>, 4>,
                                scan_then_propagate<warp_scans<256>, 16>, single_block<warp_scans<1024>, 4>,
                                cluster<warp_scans<1024>, 4>>;
TYPED_TEST_SUITE(scans_at_once, policies);

TYPED_TEST(scans_at_once, of_many_streams_are_right) {
  std::vector<std::unique_ptr<lane_of_work<TypeParam>>> lanes;
  for (int i = 0; i < 16; ++i) lanes.push_back(std::make_unique<lane_of_work<TypeParam>>(1'000'000 + i * 4099));
  for (std::uint64_t round = 0; round < 10; ++round) {
    for (auto& lane : lanes) {
      ASSERT_EQ(lane->refill(round), status::success);
      ASSERT_EQ(lane->scan(), cudaSuccess);
      ASSERT_EQ(lane->check(), status::success);
    }
  }
  for (auto& lane : lanes) EXPECT_EQ(lane->wrong(), 0u);
}

TYPED_TEST(scans_at_once, of_many_host_threads_are_right) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      lane_of_work<TypeParam> lane(300'000 + t);
      for (std::uint64_t round = 0; round < 30; ++round) {
        EXPECT_EQ(lane.refill(round * 8 + static_cast<std::uint64_t>(t)), status::success);
        EXPECT_EQ(lane.scan(), cudaSuccess);
        EXPECT_EQ(lane.check(), status::success);
      }
      EXPECT_EQ(lane.wrong(), 0u);
    });
  }
  for (std::thread& t : threads) t.join();
}

TYPED_TEST(scans_at_once, of_a_captured_graph_are_right_every_time_it_is_replayed) {
  lane_of_work<TypeParam> lane(2'000'003);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(lane.stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
  const cudaError_t captured = lane.scan();
  ASSERT_EQ(cudaStreamEndCapture(lane.stream(), &graph), cudaSuccess);
  ASSERT_EQ(captured, cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (std::uint64_t round = 0; round < 20; ++round) {
    ASSERT_EQ(lane.refill(round), status::success);
    ASSERT_EQ(cudaGraphLaunch(replay, lane.stream()), cudaSuccess);
    ASSERT_EQ(lane.check(), status::success);
  }
  EXPECT_EQ(lane.wrong(), 0u);
  EXPECT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace upsweep::test
