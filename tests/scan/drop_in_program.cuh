// A program written for cub::DeviceScan: every overload of 3.0.1. Where `cub` comes from is left to those that include
// it.
#pragma once

#include <cstdint>
#include <cuda/std/functional>
#include <vector>

#include "scan/drop_in_program.hpp"
#include "scan/gpu_fixture.cuh"
#include "support/iterators.hpp"
#include "support/operators.hpp"
#include "support/random_items.hpp"

namespace upsweep::test {
namespace {

/// Only a GPU has these, and their calls are not const.
struct device_compose {
  __device__ affine operator()(const affine& f, const affine& g) { return compose{}(f, g); }
};
struct same_but_for_low_bits {
  __device__ bool operator()(std::uint32_t a, std::uint32_t b) { return a >> 3 == b >> 3; }
};

/// The first half is one run, the others have 97 items on average.
std::vector<std::uint32_t> keys_of_runs(std::size_t n) {
  random_source random(n);
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = n / 2 + 1; i < n; ++i) keys[i] = keys[i - 1] + (random.below(97) == 0 ? 1u : 0u);
  return keys;
}

template <class T>
void upload(const device_array<T>& to, const std::vector<T>& from) {
  EXPECT_EQ(cudaMemcpy(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice), cudaSuccess);
}

program_results run_program(std::size_t count, cudaStream_t stream) {
  program_results results;
  // Both phases of `call`, and what it leaves in `out`.
  const auto run = [&](const char* name, const auto& out, auto call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess) << name;
    EXPECT_GE(bytes, 1u) << name;
    const device_array<unsigned char> storage(bytes);
    EXPECT_EQ(call(storage.data(), bytes), cudaSuccess) << name;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    results.push_back({name, std::vector<unsigned char>(out.bytes())});
    EXPECT_EQ(cudaMemcpy(results.back().bytes.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  };

  const auto n = static_cast<int>(count);
  const affine init{3, 7};
  const device_array<std::uint8_t> bytes(count), byte_sums(count);
  const device_array<int> ints(count);
  const device_array<affine> maps(count), composed(count), first(1);
  const device_array<std::uint32_t> words(count), keys(count);
  upload(bytes, random_items<std::uint8_t>(count));
  upload(maps, random_items<affine>(count));
  upload(first, {init});
  upload(keys, keys_of_runs(count));

  run("ExclusiveSum", ints, [&](void* storage, std::size_t& size) {  // of bytes, to what no byte holds
    return cub::DeviceScan::ExclusiveSum(storage, size, bytes.data(), ints.data(), n, stream);
  });
  run("ExclusiveSum in place", ints, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveSum(storage, size, ints.data(), static_cast<std::uint32_t>(n));
  });
  run("InclusiveSum", byte_sums, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(storage, size, bytes.data(), byte_sums.data(), std::int64_t{n}, stream);
  });
  run("InclusiveSum in place", byte_sums, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(storage, size, byte_sums.data(), static_cast<std::uint64_t>(n), stream);
  });

  run("ExclusiveScan", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, maps.data(), composed.data(), device_compose{}, init, n,
                                          stream);
  });
  run("ExclusiveScan in place", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, composed.data(), device_compose{}, init, n, stream);
  });
  run("ExclusiveScan, init of the future", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, maps.data(), composed.data(), device_compose{},
                                          cub::FutureValue(first.data()), n, stream);
  });
  run("ExclusiveScan in place, init of the future", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, composed.data(), device_compose{},
                                          cub::FutureValue<affine>(first.data()), n, stream);
  });
  run("InclusiveScan", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveScan(storage, size, maps.data(), composed.data(), device_compose{}, n, stream);
  });
  run("InclusiveScan in place", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveScan(storage, size, composed.data(), device_compose{}, n, stream);
  });
  run("InclusiveScanInit", words, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveScanInit(storage, size, squares{}, words.data(), cuda::std::plus<>{}, 9u, n,
                                              stream);
  });

  run("ExclusiveSumByKey", ints, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveSumByKey(storage, size, keys.data(), bytes.data(), ints.data(), n);
  });
  run("ExclusiveScanByKey", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScanByKey(storage, size, keys.data(), maps.data(), composed.data(),
                                               device_compose{}, init, static_cast<std::uint64_t>(n),
                                               same_but_for_low_bits{}, stream);
  });
  run("InclusiveScanByKey in place", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveScanByKey(storage, size, keys.data(), composed.data(), composed.data(),
                                               device_compose{}, n, same_but_for_low_bits{}, stream);
  });
  run("InclusiveSumByKey over the keys", keys, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveSumByKey(storage, size, keys.data(), words.data(), keys.data(),
                                              static_cast<std::uint32_t>(n));
  });
  return results;
}

}  // namespace
}  // namespace upsweep::test
