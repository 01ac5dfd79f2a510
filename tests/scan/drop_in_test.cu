// upsweep::drop_in::DeviceScan beside cub::DeviceScan.
#include <thrust/device_ptr.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <cub/iterator/cache_modified_input_iterator.cuh>
#include <cub/iterator/cache_modified_output_iterator.cuh>

#include <vector>

#include "scan/drop_in_program.hpp"
#include "scan/gpu_fixture.cuh"
#include "support/guarded_array.hpp"
#include "upsweep/scan/drop_in.cuh"

namespace upsweep::test {
namespace {

class drop_in_scan : public gpu_test {};

TEST_F(drop_in_scan, gives_what_cub_gives) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (const std::size_t n : {0, 1, 4096, 100'003, (1 << 23) + 5}) {  // the last pipelined, and by the ring by key
    const program_results ours = run_with_upsweep(n, stream), theirs = run_with_cub(n, stream);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      EXPECT_TRUE(same_items(ours[i].bytes, theirs[i].bytes)) << ours[i].call << ", n = " << n;
    }
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

struct plus_five {
  __host__ __device__ std::uint32_t operator()(std::uint32_t i) const { return i + 5; }
};

TEST_F(drop_in_scan, takes_thrusts_and_cubs_iterators) {
  constexpr std::uint32_t n = 100'003, length = 1000;
  std::vector<std::uint32_t> keys(n), sums(n), sums_by_key(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    keys[i] = i / length;
    sums[i] = i + 5 + (i > 0 ? sums[i - 1] : 0);
    sums_by_key[i] = i + 5 + (i % length > 0 ? sums_by_key[i - 1] : 0);
  }
  const device_array<std::uint32_t> data(n);
  ASSERT_EQ(cudaMemcpy(data.data(), keys.data(), data.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  const auto in = thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0), plus_five{});
  const auto out = thrust::device_pointer_cast(data.data());
  const auto expect = [&](const std::vector<std::uint32_t>& expected, auto call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess);
    const device_array<unsigned char> storage(bytes);
    EXPECT_EQ(call(storage.data(), bytes), cudaSuccess);
    std::vector<std::uint32_t> got(n);
    EXPECT_EQ(cudaMemcpy(got.data(), data.data(), data.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_TRUE(same_items(got, expected));
  };
  expect(sums_by_key, [&](void* storage, std::size_t& bytes) {  // over the keys
    return drop_in::DeviceScan::InclusiveSumByKey(storage, bytes, out, in, out, n);
  });
  expect(sums, [&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceScan::InclusiveSum(storage, bytes, in, out, n);
  });
  // CUB's own.
  std::vector<std::uint32_t> items(n);
  for (std::uint32_t i = 0; i < n; ++i) items[i] = i + 5;
  const device_array<std::uint32_t> from(n);
  ASSERT_EQ(cudaMemcpy(from.data(), items.data(), from.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemset(data.data(), 0, data.bytes()), cudaSuccess);
  expect(sums, [&](void* storage, std::size_t& bytes) {
    return drop_in::DeviceScan::InclusiveSum(
        storage, bytes, cub::CacheModifiedInputIterator<cub::LOAD_CG, std::uint32_t>(from.data()),
        cub::CacheModifiedOutputIterator<cub::STORE_CG, std::uint32_t>(data.data()), n);
  });
}

struct sum_of_pair {
  __host__ __device__ std::uint32_t operator()(const thrust::tuple<std::uint32_t, std::uint32_t>& pair) const {
    return thrust::get<0>(pair) + thrust::get<1>(pair);
  }
};
struct low_half {
  __host__ __device__ std::uint16_t operator()(std::uint32_t sum) const { return static_cast<std::uint16_t>(sum); }
};
struct half_of {
  __host__ __device__ std::int64_t operator()(std::int64_t i) const { return i / 2; }
};

/// As many items as the default scans in one block, by look-back and pipelined, if they are in arrays.
class drop_in_scan_of : public drop_in_scan, public testing::WithParamInterface<int> {
 protected:
  static std::vector<std::uint32_t> items() {
    std::vector<std::uint32_t> items(static_cast<std::size_t>(GetParam()));
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint32_t>(i * 2654435761u);
    return items;
  }
};
INSTANTIATE_TEST_SUITE_P(items, drop_in_scan_of, testing::Values(1000, 100'003, (1 << 23) + 5));

TEST_P(drop_in_scan_of, a_zip_transforms_what_it_puts_out) {
  const int n = GetParam();
  const std::vector<std::uint32_t> in = items();
  std::vector<std::uint16_t> sums(in.size()), got(in.size());
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) sums[i] = static_cast<std::uint16_t>(sum += in[i] + 3);
  const device_array<std::uint32_t> data(in.size());
  const device_array<std::uint16_t> out(in.size());
  ASSERT_EQ(cudaMemcpy(data.data(), in.data(), data.bytes(), cudaMemcpyHostToDevice), cudaSuccess);

  const auto from = thrust::make_transform_iterator(
      thrust::make_zip_iterator(thrust::make_tuple(static_cast<const std::uint32_t*>(data.data()),
                                                   thrust::constant_iterator<std::uint32_t>(3))),
      sum_of_pair{});
  const auto to = thrust::make_transform_output_iterator(out.data(), low_half{});
  std::size_t bytes = 0;
  ASSERT_EQ(drop_in::DeviceScan::InclusiveSum(nullptr, bytes, from, to, n), cudaSuccess);
  const device_array<unsigned char> storage(bytes);
  ASSERT_EQ(drop_in::DeviceScan::InclusiveSum(storage.data(), bytes, from, to, n), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(got.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_TRUE(same_items(got, sums));
}

TEST_P(drop_in_scan_of, a_permutation_keeps_the_total_alone) {
  const int n = GetParam();
  const std::vector<std::uint32_t> in = items();
  std::uint32_t sum = 0, got = 0;
  for (std::size_t i = 0; i < in.size(); ++i) sum += in[i / 2];
  const device_array<std::uint32_t> data(in.size()), total(1);
  ASSERT_EQ(cudaMemcpy(data.data(), in.data(), data.bytes(), cudaMemcpyHostToDevice), cudaSuccess);

  const auto from = thrust::make_permutation_iterator(
      static_cast<const std::uint32_t*>(data.data()),
      thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), half_of{}));
  const auto to = thrust::make_discard_iterator();
  const device_array<unsigned char> work(inclusive_scan_workspace_bytes(from, to, n, plus{}));
  ASSERT_EQ(inclusive_scan_with_total({work.data(), work.bytes()}, from, to, total.data(), n, plus{}), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(&got, total.data(), sizeof got, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(got, sum);
}

TEST_F(drop_in_scan, takes_storage_at_any_address) {
  constexpr int n = 100'003;
  const test_device<cudaStream_t> device(test_device<cudaStream_t>::ways().front());
  guarded_array<int, cudaStream_t> data(device, std::vector<int>(n, 1));
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[static_cast<std::size_t>(i)] = i;
  std::size_t bytes = 0;
  ASSERT_EQ(drop_in::DeviceScan::ExclusiveSum(nullptr, bytes, data.data(), n), cudaSuccess);
  for (const std::size_t offset : {1, 255}) {
    guarded_array<unsigned char, cudaStream_t> storage(device, bytes, offset);
    data.set(std::vector<int>(n, 1));
    ASSERT_EQ(drop_in::DeviceScan::ExclusiveSum(storage.data(), bytes, data.data(), n, device.stream()), cudaSuccess);
    EXPECT_TRUE(same_items(data.items(), expected));
    storage.expect_guards();
  }
}

TEST_F(drop_in_scan, refuses_storage_one_byte_too_small) {
  const device_array<int> data(1000);
  ASSERT_EQ(cudaMemset(data.data(), 0, data.bytes()), cudaSuccess);
  std::size_t bytes = 0;
  ASSERT_EQ(drop_in::DeviceScan::ExclusiveSum(nullptr, bytes, data.data(), 1000), cudaSuccess);
  const device_array<unsigned char> storage(bytes);
  EXPECT_EQ(drop_in::DeviceScan::ExclusiveSum(storage.data(), bytes, data.data(), 1000), cudaSuccess);
  --bytes;
  EXPECT_EQ(drop_in::DeviceScan::ExclusiveSum(storage.data(), bytes, data.data(), 1000), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace upsweep::test
