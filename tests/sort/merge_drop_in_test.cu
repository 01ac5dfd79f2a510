// upsweep::drop_in::DeviceMerge beside cub::DeviceMerge, where the CUB in use has it, and beside std::merge.
#if __has_include(<cub/device/device_merge.cuh>)
#include <cub/device/device_merge.cuh>
#define UPSWEEP_CUB_MERGES
#endif

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "contracts/merge_contract.hpp"
#include "scan/gpu_fixture.cuh"
#include "sort/both_phases.cuh"
#include "upsweep/sort/drop_in.cuh"

namespace upsweep::test {
namespace {

class drop_in_merge : public gpu_test {};

struct merged_pairs {
  std::vector<std::uint32_t> keys_alone, keys, origins;
};

/// What a program written for cub::DeviceMerge leaves in memory.
template <class DeviceMerge, class... Compare>
merged_pairs merge_by(test_device<cudaStream_t>& d, const std::vector<std::uint32_t>& a,
                      const std::vector<std::uint32_t>& b, Compare... compare) {
  using words = guarded_array<std::uint32_t, cudaStream_t>;
  const std::size_t n = a.size() + b.size();
  const words in_a(d, a), in_b(d, b), values_a(d, values_of_origins<std::uint32_t>(false, a.size())),
      values_b(d, values_of_origins<std::uint32_t>(true, b.size()));
  words keys_alone(d, n), keys(d, n), values(d, n);
  const auto n_a = static_cast<int>(a.size()), n_b = static_cast<int>(b.size());
  both_phases([&](void* storage, std::size_t& bytes) {
    return DeviceMerge::MergeKeys(storage, bytes, in_a.data(), n_a, in_b.data(), n_b, keys_alone.data(), compare...);
  });
  both_phases([&](void* storage, std::size_t& bytes) {
    return DeviceMerge::MergePairs(storage, bytes, in_a.data(), values_a.data(), n_a, in_b.data(), values_b.data(), n_b,
                                   keys.data(), values.data(), compare...);
  });
  return {keys_alone.items(), keys.items(), values.items()};
}

void expect_same(const merged_pairs& got, const std::vector<std::uint32_t>& keys,
                 const std::vector<std::uint32_t>& origins) {
  EXPECT_TRUE(same_items(got.keys_alone, keys));
  EXPECT_TRUE(same_items(got.keys, keys));
  EXPECT_TRUE(same_items(got.origins, origins));
}

TEST_F(drop_in_merge, gives_what_others_give) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways()[0]);
  for (const std::size_t n : {0, 1, 1000, 30'011, 1'100'001}) {
    auto a = sorted_kinds(n, n / 3 + 1, 1), b = sorted_kinds(n / 2, n / 3 + 1, 2);
    SCOPED_TRACE(n);
    const expected_merge<std::uint32_t> expected(a, b, std::less<>{});
    expect_same(merge_by<drop_in::DeviceMerge>(d, a, b), expected.keys, expected.origins);
    expect_same(merge_by<drop_in::DeviceMerge>(d, a, b, less{}, d.stream()), expected.keys, expected.origins);
#if defined(UPSWEEP_CUB_MERGES)
    // CUB promises no order of equal keys.
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint32_t>(2 * i);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint32_t>(6 * i + 1);
    const merged_pairs by_cub = merge_by<cub::DeviceMerge>(d, a, b);
    expect_same(merge_by<drop_in::DeviceMerge>(d, a, b), by_cub.keys, by_cub.origins);
    std::reverse(a.begin(), a.end());
    std::reverse(b.begin(), b.end());
    const merged_pairs downwards = merge_by<cub::DeviceMerge>(d, a, b, ::cuda::std::greater<>{}, d.stream());
    expect_same(merge_by<drop_in::DeviceMerge>(d, a, b, ::cuda::std::greater<>{}, d.stream()), downwards.keys,
                downwards.origins);
#endif
  }
}

TEST_F(drop_in_merge, refuses_storage_one_byte_too_small) {
  constexpr std::int64_t n = 2'000'000;
  const device_array<unsigned> in(n), out(2 * n);
  std::size_t bytes = 0;
  ASSERT_EQ(drop_in::DeviceMerge::MergeKeys(nullptr, bytes, in.data(), n, in.data(), n, out.data()), cudaSuccess);
  const device_array<unsigned char> storage(bytes);
  --bytes;
  EXPECT_EQ(drop_in::DeviceMerge::MergeKeys(storage.data(), bytes, in.data(), n, in.data(), n, out.data()),
            cudaErrorInvalidValue);
}

#if defined(UPSWEEP_HAS_ENVIRONMENTS)
TEST_F(drop_in_merge, takes_memory_from_the_pool_of_the_environments_stream) {
  test_device<cudaStream_t> d(test_device<cudaStream_t>::ways()[0]);
  using words = guarded_array<std::uint32_t, cudaStream_t>;
  const words a(d, std::vector<std::uint32_t>{1, 4}), b(d, std::vector<std::uint32_t>{2, 3, 9});
  words out(d, 5), values(d, 5);
  const std::vector<std::uint32_t> expected{1, 2, 3, 4, 9};
  const ::cuda::stream_ref stream{d.stream()};
  using merge = drop_in::DeviceMerge;
  const auto expect = [&](cudaError_t e, words& got) {
    EXPECT_EQ(e, cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(got.items(), expected);
    got.set(std::vector<std::uint32_t>(5, 7));
  };
  expect(merge::MergeKeys(a.data(), 2, b.data(), 3, out.data()), out);
  expect(merge::MergeKeys(a.data(), 2, b.data(), 3, out.data(), less{}, stream), out);
  expect(merge::MergePairs(a.data(), a.data(), 2, b.data(), b.data(), 3, out.data(), values.data()), values);
  expect(merge::MergePairs(a.data(), a.data(), 2, b.data(), b.data(), 3, out.data(), values.data(), less{}, stream),
         values);
}
#endif

}  // namespace
}  // namespace upsweep::test
