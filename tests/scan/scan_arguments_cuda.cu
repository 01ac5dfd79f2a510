#include "contracts/scan_argument_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "scan/lane_of_work.cuh"
#include "support/captured_graph.cuh"

namespace upsweep::test {
namespace {

const bool added = add_scan_argument_contracts<cudaStream_t>();

template <class Policy, class T = std::uint32_t>
struct scan_of {
  using policy = Policy;
  using item = T;
};

template <class Scan>
class scans_of_arguments_in_memory : public gpu_test {
 protected:
  using Policy = typename Scan::policy;
  using T = typename Scan::item;
  using Op = op_of_noise<T>;

  void SetUp() override {
    gpu_test::SetUp();
    if (Policy::variant.strategy == scan_strategy::cluster && !cuda_executor::has_clusters()) {
      GTEST_SKIP() << "clusters need sm_90";
    }
  }
};
// Sums of 4 bytes, of 8, and items whose status lies apart.
using scans =
    testing::Types<scan_of<decoupled_lookback<warp_scans<256>, 16>, std::uint64_t>,
                   scan_of<decoupled_lookback<warp_scans<256>, 4>, affine>,
                   scan_of<direct_lookback<warp_scans<256>, 16>>, scan_of<decoupled_lookback_pipelined<256, 32>>,
                   scan_of<decoupled_lookback_pipelined<384, 32>, std::uint64_t>,
                   scan_of<decoupled_lookback_pipelined<384, 32>, affine>, scan_of<single_block<warp_scans<1024>, 4>>,
                   scan_of<cluster<warp_scans<1024>, 4>, std::uint64_t>, scan_of<reproducible>, scan_of<default_scan>,
                   scan_of<default_scan, affine>>;
TYPED_TEST_SUITE(scans_of_arguments_in_memory, scans);

TYPED_TEST(scans_of_arguments_in_memory, are_right_every_time_a_captured_graph_is_replayed) {
  using Policy = typename TestFixture::Policy;
  using T = typename TestFixture::T;
  using Op = typename TestFixture::Op;
  constexpr std::int64_t bound = 300'003;
  const device_array<T> in(bound), out(bound), init(1), total(1);
  const device_array<int> count(1);
  const device_count n{count.data(), bound};
  const device_value first{init.data()};
  lane_of_work lane;
  lane.allocate_workspace(exclusive_scan_workspace_bytes<Policy>(in.data(), out.data(), n, Op{}, first));
  const cudaStream_t stream = lane.stream();
  const captured_graph graph(stream, [&] {
    return exclusive_scan_with_total<Policy>(lane.work(), in.data(), out.data(), total.data(), n, Op{}, first, stream);
  });
  for (std::uint32_t round = 0; round < 100; ++round) {
    const int counts[] = {static_cast<int>(bound), static_cast<int>(round * 2999), 0, -3, static_cast<int>(bound) + 7};
    ASSERT_EQ(cudaMemcpyAsync(count.data(), &counts[round % 5], sizeof(int), cudaMemcpyDefault, stream), cudaSuccess);
    ASSERT_EQ(scramble(stream, init.data(), 1, ~std::uint64_t{round}), status::success);
    ASSERT_EQ(scramble(stream, in.data(), bound, round), status::success);
    ASSERT_EQ(cudaMemsetAsync(out.data(), 0xff, out.bytes(), stream), cudaSuccess);
    ASSERT_EQ(graph.launch(stream), cudaSuccess);
    ASSERT_EQ(
        check_exclusive(stream, in.data(), out.data(), bound, count.data(), init.data(), total.data(), lane.found()),
        status::success);
  }
  lane.expect_right();
}

TYPED_TEST(scans_of_arguments_in_memory, are_right_behind_one_without_items_in_the_same_workspace) {
  using Policy = typename TestFixture::Policy;
  using T = typename TestFixture::T;
  using Op = typename TestFixture::Op;
  constexpr std::int64_t bound = 100'003;
  const device_array<T> in(bound), out(bound), init(1), total(1);
  const device_array<int> count(2);
  const device_array<unsigned long long> wrong(1);
  const int counts[] = {0, static_cast<int>(bound)};
  ASSERT_EQ(cudaMemcpy(count.data(), counts, sizeof counts, cudaMemcpyDefault), cudaSuccess);
  ASSERT_EQ(cudaMemset(init.data(), 0x55, init.bytes()), cudaSuccess);
  ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
  const device_value first{init.data()};
  const device_array<unsigned char> work(
      exclusive_scan_workspace_bytes<Policy>(in.data(), out.data(), device_count{count.data(), bound}, Op{}, first));
  for (std::uint32_t round = 0; round < 1000; ++round) {
    ASSERT_EQ(scramble(nullptr, in.data(), bound, round), status::success);
    // The workspace is cleared by each; the first one's zeros must not come into the second.
    for (const int which : {0, 1}) {
      const device_count n{count.data() + which, bound};
      ASSERT_EQ(exclusive_scan_with_total<Policy>({work.data(), work.bytes()}, in.data(), out.data(), total.data(), n,
                                                  Op{}, first),
                cudaSuccess);
    }
    ASSERT_EQ(check_exclusive(nullptr, in.data(), out.data(), bound, count.data() + 1, init.data(), total.data(),
                              wrong.data()),
              status::success);
  }
  unsigned long long mistakes = ~0ull;
  ASSERT_EQ(cudaMemcpy(&mistakes, wrong.data(), sizeof mistakes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(mistakes, 0u);
}

}  // namespace
}  // namespace upsweep::test
