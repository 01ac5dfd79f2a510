// upsweep::drop_in::DeviceRadixSort beside cub::DeviceRadixSort.
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "sort/sort_drop_in_program.hpp"
#include "support/guarded_array.hpp"
#include "upsweep/sort/drop_in.cuh"

namespace upsweep::test {
namespace {

class drop_in_sort : public gpu_test {};

TEST_F(drop_in_sort, gives_what_cub_gives) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (const std::size_t n : {0, 1, 1000, 30'011, 150'001, 1'100'001}) {
    const auto ours = sort_with_upsweep(n, stream), theirs = sort_with_cub(n, stream);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_TRUE(same_items(ours[i].bytes, theirs[i].bytes)) << ours[i].call << ", n = " << n;
    }
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(drop_in_sort, refuses_storage_one_byte_too_small) {
  const device_array<unsigned> in(100'000), out(100'000);
  std::size_t bytes = 0;
  ASSERT_EQ(drop_in::DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), out.data(), 100'000), cudaSuccess);
  const device_array<unsigned char> storage(bytes);
  --bytes;
  EXPECT_EQ(drop_in::DeviceRadixSort::SortKeys(storage.data(), bytes, in.data(), out.data(), 100'000),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(drop_in_sort, keeps_the_selector_when_it_refuses) {
  const device_array<unsigned> a(100), b(100);
  const device_array<unsigned char> storage(1 << 20);
  drop_in::DoubleBuffer<unsigned> keys(a.data(), b.data());
  std::size_t bytes = 1 << 20;
  EXPECT_EQ(drop_in::DeviceRadixSort::SortKeys(storage.data(), bytes, keys, 100, 5, 40), cudaErrorInvalidValue);
  EXPECT_EQ(drop_in::DeviceRadixSort::SortKeys(storage.data(), bytes, keys, 100, 0, -1), cudaErrorInvalidValue);
  EXPECT_EQ(keys.Current(), a.data());
  EXPECT_EQ(drop_in::DeviceRadixSort::SortKeys(storage.data(), bytes, a.data(), b.data(), 100, 0, -1),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace upsweep::test
