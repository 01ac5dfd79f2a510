// The same scans of segments, by CUB.
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "support/guarded_array.hpp"
#include "support/random_items.hpp"
#include "upsweep/scan/scan_by_key.cuh"
#include "upsweep/scan/segmented_scan.cuh"

namespace upsweep::test {
namespace {

class segments_beside_cub : public gpu_test {};

template <class T>
std::vector<T> items_of(const device_array<T>& a) {
  std::vector<T> items(a.bytes() / sizeof(T));
  EXPECT_EQ(cudaMemcpy(items.data(), a.data(), a.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  return items;
}

TEST_F(segments_beside_cub, give_the_same_inclusive_sums) {
  constexpr std::int64_t n = (1 << 24) + 12345;
  constexpr auto count = static_cast<std::size_t>(n);
  for (const std::uint64_t longest : {7u, 3000u, 5'000'000u}) {
    SCOPED_TRACE(longest);
    random_source random(longest);
    std::vector<std::int64_t> offset{0};
    std::vector<std::uint32_t> key(count);
    while (offset.back() < n) {
      const std::int64_t end = std::min(n, offset.back() + 1 + static_cast<std::int64_t>(random.below(longest)));
      std::fill(key.begin() + offset.back(), key.begin() + end, static_cast<std::uint32_t>(offset.size()));
      offset.push_back(end);
    }
    const auto segments = static_cast<std::int64_t>(offset.size()) - 1;
    const device_array<std::uint32_t> keys(count), in(count), ours(count), theirs(count);
    const device_array<std::int64_t> offsets(offset.size());
    const device_array<unsigned char> work(sum_by_key_workspace_bytes(keys.data(), in.data(), ours.data(), n)),
        more(sum_segmented_workspace_bytes(in.data(), ours.data(), n, offsets.data(), segments));
    ASSERT_TRUE(keys.ok() && in.ok() && ours.ok() && theirs.ok() && offsets.ok() && work.ok() && more.ok());
    ASSERT_EQ(cudaMemcpy(keys.data(), key.data(), keys.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(offsets.data(), offset.data(), offsets.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
    ASSERT_EQ(scramble(nullptr, in.data(), n, 5), status::success);

    std::size_t bytes = 0;
    const auto cub_sums = [&](void* storage) {
      return cub::DeviceScan::InclusiveSumByKey(storage, bytes, keys.data(), in.data(), theirs.data(), n);
    };
    ASSERT_EQ(cub_sums(nullptr), cudaSuccess);
    const device_array<unsigned char> temporary(bytes);
    ASSERT_EQ(cub_sums(temporary.data()), cudaSuccess);
    const std::vector<std::uint32_t> expected = items_of(theirs);

    ASSERT_EQ(inclusive_sum_by_key({work.data(), work.bytes()}, keys.data(), in.data(), ours.data(), n), cudaSuccess);
    EXPECT_TRUE(same_items(items_of(ours), expected));
    ASSERT_EQ(cudaMemset(ours.data(), 0xa5, ours.bytes()), cudaSuccess);
    ASSERT_EQ(inclusive_sum_segmented({more.data(), more.bytes()}, in.data(), ours.data(), n,
                                      static_cast<const std::int64_t*>(offsets.data()), segments),
              cudaSuccess);
    EXPECT_TRUE(same_items(items_of(ours), expected));
  }
}

}  // namespace
}  // namespace upsweep::test
