// One program text for cub::DeviceScan and for upsweep::drop_in::DeviceScan.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>
#include <cub/util_type.cuh>
#include <vector>

#include "scan/gpu_fixture.cuh"
#include "support/guarded_array.hpp"
#include "support/operators.hpp"
#include "support/random_items.hpp"
#include "upsweep/scan/drop_in.cuh"

namespace upsweep::test {
namespace {

struct of_cub {
  using DeviceScan = cub::DeviceScan;
  template <class It>
  static auto future(It it) {
    return cub::FutureValue(it);
  }
};
struct of_upsweep {
  using DeviceScan = drop_in::DeviceScan;
  template <class It>
  static auto future(It it) {
    return drop_in::FutureValue(it);
  }
};

/// Only a GPU has it.
struct device_compose {
  __device__ affine operator()(const affine& f, const affine& g) const { return compose{}(f, g); }
};
struct squared {
  __host__ __device__ std::uint32_t operator()(std::uint32_t i) const { return i * i; }
};

template <class T>
std::vector<T> items_of(const device_array<T>& array) {
  std::vector<T> items(array.bytes() / sizeof(T));
  EXPECT_EQ(cudaMemcpy(items.data(), array.data(), array.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  return items;
}

/// Both phases of a call: `scan(storage, bytes)`.
template <class Scan>
cudaError_t in_two_phases(Scan scan) {
  std::size_t bytes = 0;
  const cudaError_t asked = scan(nullptr, bytes);
  EXPECT_EQ(asked, cudaSuccess);
  EXPECT_GE(bytes, 1u);
  const device_array<unsigned char> storage(bytes);
  return scan(storage.data(), bytes);
}

/// What a program leaves in memory.
struct results {
  std::vector<std::uint8_t> bytes;
  std::vector<int> ints;
  std::vector<affine> maps, future_maps;
  std::vector<std::uint32_t> words;
};

template <class Library>
results run_program(std::size_t count, cudaStream_t stream) {
  using scan = typename Library::DeviceScan;
  const std::vector<std::uint8_t> small = random_items<std::uint8_t>(count);
  const std::vector<affine> maps = random_items<affine>(count);
  const affine init{3, 7};
  const auto n = static_cast<int>(count);
  const device_array<std::uint8_t> bytes(count);
  const device_array<int> ints(count);
  const device_array<affine> map_in(count), map_out(count), future_maps(count), first(1);
  const device_array<std::uint32_t> words(count);
  const auto upload = [&](const auto& to, const auto& from) {
    EXPECT_EQ(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, stream), cudaSuccess);
  };
  upload(bytes, small);
  upload(map_in, maps);
  EXPECT_EQ(cudaMemcpyAsync(first.data(), &init, sizeof init, cudaMemcpyHostToDevice, stream), cudaSuccess);
  const auto run = [](auto call) { EXPECT_EQ(in_two_phases(call), cudaSuccess); };

  run([&](void* storage, std::size_t& size) {  // sums of bytes that no byte holds
    return scan::ExclusiveSum(storage, size, bytes.data(), ints.data(), n, stream);
  });
  run([&](void* storage, std::size_t& size) {
    return scan::InclusiveSum(storage, size, bytes.data(), static_cast<std::uint64_t>(n), stream);
  });
  run([&](void* storage, std::size_t& size) {
    return scan::ExclusiveScan(storage, size, map_in.data(), map_out.data(), device_compose{}, init, n, stream);
  });
  run([&](void* storage, std::size_t& size) {  // in place
    return scan::InclusiveScan(storage, size, map_out.data(), device_compose{}, n, stream);
  });
  run([&](void* storage, std::size_t& size) {
    return scan::ExclusiveScan(storage, size, map_in.data(), future_maps.data(), device_compose{},
                               Library::future(first.data()), static_cast<std::int64_t>(n), stream);
  });
  run([&](void* storage, std::size_t& size) {
    const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(5), squared{});
    return scan::InclusiveScanInit(storage, size, squares, words.data(), plus{}, 9u, static_cast<unsigned>(n), stream);
  });
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  return {items_of(bytes), items_of(ints), items_of(map_out), items_of(future_maps), items_of(words)};
}

class drop_in_scan : public gpu_test {};

TEST_F(drop_in_scan, gives_what_cub_gives) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  for (const std::size_t n : {0, 1, 4096, 100'003}) {
    SCOPED_TRACE(n);
    const results ours = run_program<of_upsweep>(n, stream), theirs = run_program<of_cub>(n, stream);
    EXPECT_TRUE(same_items(ours.bytes, theirs.bytes));
    EXPECT_TRUE(same_items(ours.ints, theirs.ints));
    EXPECT_TRUE(same_items(ours.maps, theirs.maps));
    EXPECT_TRUE(same_items(ours.future_maps, theirs.future_maps));
    EXPECT_TRUE(same_items(ours.words, theirs.words));
  }
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
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
