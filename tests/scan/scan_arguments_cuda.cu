#include "contracts/scan_argument_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "scan/lane_of_work.cuh"
#include "support/captured_graph.cuh"

namespace upsweep::test {
namespace {

const bool added = add_scan_argument_contracts<cudaStream_t>();

/// Counts what an exclusive sum got wrong of which count, init and total lie in device memory. `out` held ~0.
struct check_arguments_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::uint32_t* in, const std::uint32_t* out,
                                 std::int64_t bound, const int* count, const std::uint32_t* init,
                                 const std::uint32_t* total, unsigned long long* wrong) const {
    const std::int64_t n = *count < 0 ? 0 : (*count < bound ? *count : bound);
    const auto before = [&](std::int64_t i) { return i < n ? out[i] : *total; };
    unsigned long long mine = 0;
    for (std::int64_t i = block.block_index() * block_threads + block.thread_rank(); i < bound;
         i += block.num_blocks() * block_threads) {
      if (i == 0) mine += before(0) != *init;
      mine += i < n ? before(i + 1) != out[i] + in[i] : out[i] != ~0u;
    }
    if (mine > 0) block.atomic_add(wrong, mine);
  }
};

template <class Policy>
class scans_of_arguments_in_memory : public gpu_test {};
using policies = testing::Types<decoupled_lookback<warp_scans<256>, 16>, direct_lookback<warp_scans<256>, 16>,
                                decoupled_lookback_pipelined<256, 32>, single_block<warp_scans<1024>, 4>,
                                cluster<warp_scans<1024>, 4>, reproducible, default_scan>;
TYPED_TEST_SUITE(scans_of_arguments_in_memory, policies);

TYPED_TEST(scans_of_arguments_in_memory, are_right_every_time_a_captured_graph_is_replayed) {
  if (TypeParam::variant.strategy == scan_strategy::cluster && !cuda_executor::has_clusters()) {
    GTEST_SKIP() << "clusters need sm_90";
  }
  constexpr std::int64_t bound = 300'003;
  const device_array<std::uint32_t> in(bound), out(bound), init(1), total(1);
  const device_array<int> count(1);
  const device_count n{count.data(), bound};
  const device_value first{init.data()};
  lane_of_work lane;
  lane.allocate_workspace(exclusive_scan_workspace_bytes<TypeParam>(in.data(), out.data(), n, plus{}, first));
  const cudaStream_t stream = lane.stream();
  const captured_graph graph(stream, [&] {
    return exclusive_scan_with_total<TypeParam>(lane.work(), in.data(), out.data(), n, plus{}, first, total.data(),
                                                stream);
  });
  for (std::uint32_t round = 0; round < 100; ++round) {
    const int counts[] = {static_cast<int>(bound), static_cast<int>(round * 2999), 0, -3, static_cast<int>(bound) + 7};
    ASSERT_EQ(cudaMemcpyAsync(count.data(), &counts[round % 5], sizeof(int), cudaMemcpyDefault, stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(init.data(), &round, sizeof round, cudaMemcpyDefault, stream), cudaSuccess);
    ASSERT_EQ(scramble(stream, in.data(), bound, round), status::success);
    ASSERT_EQ(cudaMemsetAsync(out.data(), 0xff, out.bytes(), stream), cudaSuccess);
    ASSERT_EQ(graph.launch(stream), cudaSuccess);
    ASSERT_EQ(cuda_executor(stream).launch(64, check_arguments_kernel{}, in.data(), out.data(), bound, count.data(),
                                           init.data(), total.data(), lane.found()),
              status::success);
  }
  lane.expect_right();
}

TYPED_TEST(scans_of_arguments_in_memory, are_right_behind_one_without_items_in_the_same_workspace) {
  if (TypeParam::variant.strategy == scan_strategy::cluster && !cuda_executor::has_clusters()) {
    GTEST_SKIP() << "clusters need sm_90";
  }
  constexpr std::int64_t bound = 100'003;
  const device_array<std::uint32_t> in(bound), out(bound), init(1), total(1);
  const device_array<int> count(2);
  const device_array<unsigned long long> wrong(1);
  const int counts[] = {0, static_cast<int>(bound)};
  ASSERT_EQ(cudaMemcpy(count.data(), counts, sizeof counts, cudaMemcpyDefault), cudaSuccess);
  ASSERT_EQ(cudaMemset(init.data(), 0x55, init.bytes()), cudaSuccess);
  ASSERT_EQ(cudaMemset(wrong.data(), 0, wrong.bytes()), cudaSuccess);
  const device_value first{init.data()};
  const device_array<unsigned char> work(exclusive_scan_workspace_bytes<TypeParam>(
      in.data(), out.data(), device_count{count.data(), bound}, plus{}, first));
  for (std::uint32_t round = 0; round < 1000; ++round) {
    ASSERT_EQ(scramble(nullptr, in.data(), bound, round), status::success);
    // The workspace is cleared by each; the first one's zeros must not come into the second.
    for (const int which : {0, 1}) {
      const device_count n{count.data() + which, bound};
      ASSERT_EQ(exclusive_scan_with_total<TypeParam>({work.data(), work.bytes()}, in.data(), out.data(), n, plus{},
                                                     first, total.data()),
                cudaSuccess);
    }
    ASSERT_EQ(cuda_executor().launch(64, check_arguments_kernel{}, in.data(), out.data(), bound, count.data() + 1,
                                     init.data(), total.data(), wrong.data()),
              status::success);
  }
  unsigned long long mistakes = ~0ull;
  ASSERT_EQ(cudaMemcpy(&mistakes, wrong.data(), sizeof mistakes, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(mistakes, 0u);
}

}  // namespace
}  // namespace upsweep::test
