// A program written for cub::DeviceScan: every overload of 3.0.1. Where `cub` comes from is left to those that include
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cuda/std/functional>
#include <iterator>
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

/// An array whose operators only a GPU has.
struct device_output {
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = int*;
  using reference = int&;
  using iterator_category = std::random_access_iterator_tag;
  int* at;
  __device__ int& operator*() const { return *at; }
  __device__ int& operator[](std::ptrdiff_t i) const { return at[i]; }
  __device__ device_output operator+(std::ptrdiff_t i) const { return {at + i}; }
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

/// Of more items than these, sums of integers alone.
constexpr std::size_t most_maps = 1'000'000;

program_results run_program(std::size_t count, cudaStream_t stream) {
  program_results results;
  const auto keep = [&](const char* name, const auto& out) {
    results.push_back({name, std::vector<unsigned char>(out.bytes())});
    EXPECT_EQ(cudaMemcpy(results.back().bytes.data(), out.data(), out.bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
  };
  // Both phases of `call`, and what it leaves in `out`. The stream does not wait for the default one, on which the
  // arrays are filled.
  const auto run = [&](const char* name, const auto& out, auto call) {
    std::size_t bytes = 0;
    EXPECT_EQ(call(nullptr, bytes), cudaSuccess) << name;
    EXPECT_GE(bytes, 1u) << name;
    const device_array<unsigned char> storage(bytes);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    EXPECT_EQ(call(storage.data(), bytes), cudaSuccess) << name;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
    keep(name, out);
  };
  const auto run_maps = [&](const char* name, const auto& out, auto call) {
    if (count <= most_maps) run(name, out, call);
  };

  const auto n = static_cast<int>(count);
  const std::size_t num_maps = count <= most_maps ? count : 0;
  const affine init{3, 7}, other_init{11, 5};
  const device_array<std::uint8_t> bytes(count), byte_sums(count);
  const device_array<int> ints(count);
  const device_array<double> doubles(count), double_sums(count);
  const device_array<float> floats(count);
  const device_array<affine> maps(num_maps), composed(num_maps), first(1);
  const device_array<std::uint32_t> words(count), keys(count);
  upload(bytes, random_items<std::uint8_t>(count));
  upload(doubles, random_items<double>(count));
  upload(floats, random_items<float>(count));
  upload(maps, random_items<affine>(num_maps));
  upload(first, {init});
  upload(keys, keys_of_runs(count));

  run("ExclusiveSum", ints, [&](void* storage, std::size_t& size) {  // of bytes, to what no byte holds
    return cub::DeviceScan::ExclusiveSum(storage, size, bytes.data(), ints.data(), n, stream);
  });
  run("ExclusiveSum in place", ints, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveSum(storage, size, ints.data(), static_cast<std::uint32_t>(n));
  });
  run("ExclusiveSum of floating-point numbers", double_sums, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveSum(storage, size, doubles.data(), double_sums.data(), n, stream);
  });
  run("InclusiveSum", byte_sums, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(storage, size, bytes.data(), byte_sums.data(), std::int64_t{n}, stream);
  });
  run("InclusiveSum in place", byte_sums, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(storage, size, byte_sums.data(), static_cast<std::uint64_t>(n), stream);
  });

  run("InclusiveSum to an iterator that only a GPU has", ints, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveSum(storage, size, bytes.data(), device_output{ints.data()}, n, stream);
  });

  run_maps("ExclusiveScan", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, maps.data(), composed.data(), device_compose{}, init, n,
                                          stream);
  });
  run_maps("ExclusiveScan in place", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, composed.data(), device_compose{}, init, n, stream);
  });
  const auto with_init_of_the_future = [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, maps.data(), composed.data(), device_compose{},
                                          cub::FutureValue(first.data()), n, stream);
  };
  run_maps("ExclusiveScan, init of the future", composed, with_init_of_the_future);
  if (count <= most_maps) {  // the second phase in a graph, which reads the init that is there when it is launched
    std::size_t size = 0;
    EXPECT_EQ(with_init_of_the_future(nullptr, size), cudaSuccess);
    const device_array<unsigned char> storage(size);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(with_init_of_the_future(storage.data(), size), cudaSuccess);
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
    for (const affine& now : {other_init, init}) {
      EXPECT_EQ(cudaMemcpyAsync(first.data(), &now, sizeof now, cudaMemcpyHostToDevice, stream), cudaSuccess);
      EXPECT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      keep("ExclusiveScan in a graph, init of the future", composed);
    }
    EXPECT_EQ(cudaGraphExecDestroy(replay), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  run_maps("ExclusiveScan in place, init of the future", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScan(storage, size, composed.data(), device_compose{},
                                          cub::FutureValue<affine>(first.data()), n, stream);
  });
  run_maps("InclusiveScan", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveScan(storage, size, maps.data(), composed.data(), device_compose{}, n, stream);
  });
  run_maps("InclusiveScan in place", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveScan(storage, size, composed.data(), device_compose{}, n, stream);
  });
  run("InclusiveScanInit", words, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveScanInit(storage, size, squares{}, words.data(), cuda::std::plus<>{}, 9u, n,
                                              stream);
  });

  run("ExclusiveSumByKey", ints, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveSumByKey(storage, size, keys.data(), bytes.data(), ints.data(), n);
  });
  run("InclusiveSumByKey of floating-point numbers in place", floats, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::InclusiveSumByKey(storage, size, keys.data(), floats.data(), floats.data(), n,
                                              cuda::std::equal_to<>{}, stream);
  });
  run_maps("ExclusiveScanByKey", composed, [&](void* storage, std::size_t& size) {
    return cub::DeviceScan::ExclusiveScanByKey(storage, size, keys.data(), maps.data(), composed.data(),
                                               device_compose{}, init, static_cast<std::uint64_t>(n),
                                               same_but_for_low_bits{}, stream);
  });
  run_maps("InclusiveScanByKey in place", composed, [&](void* storage, std::size_t& size) {
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
