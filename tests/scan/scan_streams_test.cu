// Scans of many streams and host threads at once, in captured graphs, and in workspaces that hold anything.
#include <memory>
#include <thread>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "scan/lane_of_work.cuh"
#include "support/captured_graph.cuh"
#include "support/iterators.hpp"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

namespace upsweep::test {
namespace {

using word = std::uint32_t;

UPSWEEP_DEVICE word low_bits(std::uint64_t item) {
  return static_cast<word>(item);
}
UPSWEEP_DEVICE word low_bits(const affine& item) {
  return static_cast<word>(item.b);
}

/// With delays, a few of its calls wait, by what they add: in one scan in these tiles, in the next one in others.
template <class T>
struct delaying_op {
  bool delays;
  __device__ T operator()(const T& a, const T& b) const {
    if (delays && (low_bits(a) ^ low_bits(b)) >> 18 == 0) __nanosleep(10'000);
    return op_of_noise<T>{}(a, b);
  }
};
using delaying_plus = delaying_op<word>;

// Inclusive scans, of all items or segment by segment. There is an item after the last.

template <class Policy, class T = word>
struct sums {
  using item = T;
  static constexpr bool needs_clusters = Policy::variant.strategy == scan_strategy::cluster;
  static constexpr no_heads heads{};
  static std::size_t workspace_bytes(const T* in, T* out, std::int64_t n) {
    return inclusive_scan_workspace_bytes<Policy>(in, out, n, delaying_op<T>{});
  }
  static cudaError_t scan(workspace w, const T* in, T* out, std::int64_t n, delaying_op<T> op, cudaStream_t s) {
    return inclusive_scan<Policy>(w, in, out, n, op, s);
  }
};

/// The same by an exclusive scan of the items after the first, which is init.
template <class Policy, class T>
struct exclusive_sums : sums<Policy, T> {
  static std::size_t workspace_bytes(const T* in, T* out, std::int64_t n) {
    return exclusive_scan_workspace_bytes<Policy>(in + 1, out, n, delaying_op<T>{}, device_value{in});
  }
  static cudaError_t scan(workspace w, const T* in, T* out, std::int64_t n, delaying_op<T> op, cudaStream_t s) {
    return exclusive_scan<Policy>(w, in + 1, out, n, op, device_value{in}, s);
  }
};

/// The items are the keys too: new items, new segments. One in 16384 begins one.
constexpr heads_at_small_items small_items{1 << 18};
struct goes_on {
  UPSWEEP_DEVICE bool operator()(word, word item) const { return item >= small_items.below; }
};
template <class Policy>
struct sums_by_key {
  using item = word;
  static constexpr bool needs_clusters = false;
  static constexpr heads_at_small_items heads = small_items;
  static std::size_t workspace_bytes(const word* in, word* out, std::int64_t n) {
    return inclusive_scan_by_key_workspace_bytes<Policy>(in, in, out, n, delaying_plus{});
  }
  static cudaError_t scan(workspace w, const word* in, word* out, std::int64_t n, delaying_plus op, cudaStream_t s) {
    return inclusive_scan_by_key<Policy>(w, in, in, out, n, op, goes_on{}, s);
  }
};

template <class Policy>
struct segmented_sums {
  using item = word;
  static constexpr bool needs_clusters = false;
  static constexpr heads_at_multiples heads{10'007};
  static steps offsets(std::int64_t n) { return {1, heads.length, n}; }
  static std::size_t workspace_bytes(const word* in, word* out, std::int64_t n) {
    return inclusive_scan_segmented_workspace_bytes<Policy>(in, offsets(n), out, n, 0, delaying_plus{});
  }
  static cudaError_t scan(workspace w, const word* in, word* out, std::int64_t n, delaying_plus op, cudaStream_t s) {
    return inclusive_scan_segmented<Policy>(w, in, offsets(n), out, n, ceil_div(n, heads.length), op, s);
  }
};

template <class Sums>
class scanning_lane : public lane_of_work {
 public:
  explicit scanning_lane(std::int64_t n)
      : n_(n), in_(static_cast<std::size_t>(n) + 1), out_(static_cast<std::size_t>(n)) {
    allocate_workspace(Sums::workspace_bytes(in_.data(), out_.data(), n));
  }

  /// From now on, fewer items.
  void shrink(std::int64_t by) { n_ -= by; }
  /// Enqueues new items.
  status refill(std::uint64_t salt) { return scramble(stream(), in_.data(), n_ + 1, salt); }
  /// Enqueues the scan.
  cudaError_t scan(bool delays) { return Sums::scan(work(), in_.data(), out_.data(), n_, {delays}, stream()); }
  /// Enqueues the comparison.
  status check() { return check_sums(stream(), in_.data(), out_.data(), n_, found(), Sums::heads); }

 private:
  std::int64_t n_;
  device_array<typename Sums::item> in_, out_;
};

template <class Sums>
class scans_at_once : public gpu_test {
 protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (Sums::needs_clusters && !cuda_executor::has_clusters()) GTEST_SKIP() << "clusters need sm_90";
  }
};

/// The default takes this ring, and the large tile by offsets, from 32 MiB of up to 4 bytes on: more than there are
/// here.
using by_ring_and_large_tile = segmented_pipelined<segmented_lookback<warp_scans<256>, 16>, 384, 16, 6, 4, 0,
                                                   segmented_lookback<warp_scans<256>, 32, 3>>;

// A tile's status and its sum of 4 bytes are one word of 8, of 8 one of 16; of `affine` they lie apart.
using every_sums =
    testing::Types<sums<decoupled_lookback<warp_scans<256>, 16>>,
                   sums<decoupled_lookback<brent_kung<128>, 4>, std::uint64_t>,
                   sums<decoupled_lookback<warp_scans<128>, 4>, affine>, sums<direct_lookback<warp_scans<256>, 16>>,
                   sums<direct_lookback<warp_scans<256>, 4>, affine>, sums<decoupled_lookback_pipelined<256, 32>>,
                   sums<decoupled_lookback_pipelined<384, 32>, std::uint64_t>,
                   sums<decoupled_lookback_pipelined<384, 32>, affine>, sums<chained_scan<warp_scans<128>, 4>>,
                   sums<reduce_then_scan<raking<128>, 4>>, sums<scan_then_propagate<warp_scans<256>, 16>>,
                   sums<single_block<warp_scans<1024>, 4>>, sums<cluster<warp_scans<1024>, 4>>, sums<reproducible>,
                   sums<default_scan>, sums<default_scan, affine>, exclusive_sums<default_scan, std::uint64_t>,
                   sums_by_key<default_segments_policy>, sums_by_key<by_ring_and_large_tile>,
                   segmented_sums<default_segments_policy>, segmented_sums<by_ring_and_large_tile>>;
TYPED_TEST_SUITE(scans_at_once, every_sums);

/// Words that the default scans by a cluster, by look-back in small tiles and in larger ones, and pipelined; of larger
/// items as many take the later of these ways.
constexpr std::int64_t sizes_of_lanes[] = {30'000, 300'000, 2'000'003, 5'000'000};

TYPED_TEST(scans_at_once, of_many_streams_are_right) {
  std::vector<std::unique_ptr<scanning_lane<TypeParam>>> lanes;
  for (int i = 0; i < 64; ++i) {
    lanes.push_back(std::make_unique<scanning_lane<TypeParam>>(sizes_of_lanes[i % 4] + i * 4099));
  }
  for (std::uint64_t round = 0; round < 10; ++round) {
    for (auto& lane : lanes) {
      ASSERT_EQ(lane->refill(round), status::success);
      ASSERT_EQ(lane->scan(round % 2 == 1), cudaSuccess);
      ASSERT_EQ(lane->check(), status::success);
    }
  }
  for (auto& lane : lanes) lane->expect_right();
}

TYPED_TEST(scans_at_once, of_many_host_threads_are_right) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      scanning_lane<TypeParam> lane(sizes_of_lanes[t % 4] + t);
      for (std::uint64_t round = 0; round < 30; ++round) {
        EXPECT_EQ(lane.refill(round * 8 + static_cast<std::uint64_t>(t)), status::success);
        EXPECT_EQ(lane.scan(round % 2 == 1), cudaSuccess);
        EXPECT_EQ(lane.check(), status::success);
      }
      lane.expect_right();
    });
  }
  for (std::thread& t : threads) t.join();
}

TYPED_TEST(scans_at_once, of_a_captured_graph_are_right_every_time_it_is_replayed) {
  for (const bool delays : {false, true}) {
    scanning_lane<TypeParam> lane(delays ? 2'000'003 : 5'000'000);
    const captured_graph graph(lane.stream(), [&] { return lane.scan(delays); });
    for (std::uint64_t round = 0; round < 100; ++round) {
      ASSERT_EQ(lane.refill(round), status::success);
      ASSERT_EQ(graph.launch(lane.stream()), cudaSuccess);
      ASSERT_EQ(lane.check(), status::success);
    }
    lane.expect_right();
  }
}

TYPED_TEST(scans_at_once, of_one_workspace_are_right_whatever_it_holds) {
  scanning_lane<TypeParam> lane(300'003);
  for (std::uint64_t round = 0; round < 1000; ++round) {
    lane.shrink(299);  // what is left of the scan before lies elsewhere; the last scans are of a thousand items
    lane.fill_workspace(round % 4, round);
    ASSERT_EQ(lane.refill(round), status::success);
    ASSERT_EQ(lane.scan(round % 8 > 4), cudaSuccess);
    ASSERT_EQ(lane.check(), status::success);
  }
  lane.expect_right();
}

}  // namespace
}  // namespace upsweep::test
