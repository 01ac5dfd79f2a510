// The same scans by CUB.
#include "upsweep/scan/scan.cuh"

using namespace upsweep;  // must not hide what CUB's headers name

#include <cub/device/device_scan.cuh>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/random_items.hpp"

namespace upsweep::test {
namespace {

class scan_beside_cub : public gpu_test {};

TEST_F(scan_beside_cub, gives_the_same_inclusive_sums) {
  constexpr std::int64_t n = (1 << 24) + 12345;
  constexpr auto count = static_cast<std::size_t>(n);
  const device_array<std::uint32_t> in(count), ours(count), theirs(count);
  const device_array<unsigned char> work(inclusive_sum_workspace_bytes(in.data(), ours.data(), n));
  ASSERT_TRUE(in.ok() && ours.ok() && theirs.ok() && work.ok());
  ASSERT_EQ(scramble(nullptr, in.data(), n, 5), status::success);
  ASSERT_EQ(inclusive_sum({work.data(), work.bytes()}, in.data(), ours.data(), n), cudaSuccess);
  std::size_t bytes = 0;
  ASSERT_EQ(cub::DeviceScan::InclusiveSum(nullptr, bytes, in.data(), theirs.data(), n), cudaSuccess);
  const device_array<unsigned char> temporary(bytes);
  ASSERT_EQ(cub::DeviceScan::InclusiveSum(temporary.data(), bytes, in.data(), theirs.data(), n), cudaSuccess);
  std::vector<std::uint32_t> a(count), b(count);
  ASSERT_EQ(cudaMemcpy(a.data(), ours.data(), ours.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(b.data(), theirs.data(), theirs.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(same_items(a, b));
}

TEST_F(scan_beside_cub, gives_the_same_exclusive_scan_of_an_operator_that_does_not_commute) {
  constexpr std::int64_t n = (1 << 20) + 77;
  constexpr auto count = static_cast<std::size_t>(n);
  const std::vector<affine> items = random_items<affine>(count);
  const affine init{3, 7};
  const device_array<affine> in(count), ours(count), theirs(count);
  const device_array<unsigned char> work(exclusive_scan_workspace_bytes(in.data(), ours.data(), n, compose{}, init));
  ASSERT_TRUE(in.ok() && ours.ok() && theirs.ok() && work.ok());
  ASSERT_EQ(cudaMemcpy(in.data(), items.data(), in.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(exclusive_scan({work.data(), work.bytes()}, in.data(), ours.data(), n, compose{}, init), cudaSuccess);
  std::size_t bytes = 0;
  ASSERT_EQ(cub::DeviceScan::ExclusiveScan(nullptr, bytes, in.data(), theirs.data(), compose{}, init, n), cudaSuccess);
  const device_array<unsigned char> temporary(bytes);
  ASSERT_EQ(cub::DeviceScan::ExclusiveScan(temporary.data(), bytes, in.data(), theirs.data(), compose{}, init, n),
            cudaSuccess);
  std::vector<affine> a(count), b(count);
  ASSERT_EQ(cudaMemcpy(a.data(), ours.data(), ours.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(b.data(), theirs.data(), theirs.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(same_items(a, b));
}

}  // namespace
}  // namespace upsweep::test
