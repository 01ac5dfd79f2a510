// Workspaces from the stream's pool and from resources of cuda::mr's protocols, in and out of a captured graph.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cuda/stream_ref>
#include <vector>

#include "support/cuda_test_device.cuh"
#include "upsweep/compact/select.cuh"
#include "upsweep/scan/scan.cuh"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::test {
namespace {

std::uint64_t used_of_pool() {
  cudaMemPool_t pool;
  std::uint64_t used = 0;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  return used;
}

/// As cuda::mr of CCCL 3.0 has it.
struct async_resource {
  int open = 0;
  void* allocate_async(std::size_t bytes, std::size_t, cuda::stream_ref stream) {
    void* p = nullptr;
    if (cudaMallocAsync(&p, bytes, stream.get()) == cudaSuccess) ++open;
    return p;
  }
  void deallocate_async(void* p, std::size_t, std::size_t, cuda::stream_ref stream) {
    if (cudaFreeAsync(p, stream.get()) == cudaSuccess) --open;
  }
};
/// As later ones.
struct stream_first_resource {
  int open = 0;
  void* allocate(cuda::stream_ref stream, std::size_t bytes, std::size_t) {
    void* p = nullptr;
    if (cudaMallocAsync(&p, bytes, stream.get()) == cudaSuccess) ++open;
    return p;
  }
  void deallocate(cuda::stream_ref stream, void* p, std::size_t, std::size_t) {
    if (cudaFreeAsync(p, stream.get()) == cudaSuccess) --open;
  }
};

class memory_resource_on_the_gpu : public testing::Test {
 protected:
  static constexpr int n = 300'000;
  void SetUp() override {
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    for (int** p : {&in, &out, &sorted, &sums}) ASSERT_EQ(cudaMalloc(p, n * sizeof(int)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&count, sizeof *count), cudaSuccess);
    std::vector<int> items(n);
    for (int i = 0; i < n; ++i) items[i] = static_cast<int>(std::int64_t{i} * 7919 % 1000);
    ASSERT_EQ(cudaMemcpy(in, items.data(), n * sizeof(int), cudaMemcpyDefault), cudaSuccess);
    for (int x : items) {
      if (x >= 500) expected.push_back(x);
    }
    std::stable_sort(expected.begin(), expected.end());
    std::int64_t sum = 0;
    for (int x : expected) expected_sums.push_back(static_cast<int>(sum += x));
  }
  void TearDown() override {
    for (int* p : {in, out, sorted, sums}) EXPECT_EQ(cudaFree(p), cudaSuccess);
    EXPECT_EQ(cudaFree(count), cudaSuccess);
    if (stream != nullptr) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }

  /// A selection, a sort and a sum, whose n is in device memory.
  template <class Resource>
  void enqueue(Resource& resource) {
    const device_count kept{count, n};
    ASSERT_EQ(select_if(resource, in, out, count, n, between<int>{500, 1000}, stream), cudaSuccess);
    ASSERT_EQ(sort_keys(resource, out, sorted, kept, sort_order::ascending, {}, stream), cudaSuccess);
    ASSERT_EQ(inclusive_sum(resource, sorted, sums, kept, stream), cudaSuccess);
  }
  void expect_right() {
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::vector<int> got(expected.size()), got_sums(expected.size());
    ASSERT_EQ(cudaMemcpy(got.data(), sorted, got.size() * sizeof(int), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(got_sums.data(), sums, got.size() * sizeof(int), cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(got, expected);
    EXPECT_EQ(got_sums, expected_sums);
  }

  cudaStream_t stream = nullptr;
  int *in = nullptr, *out = nullptr, *sorted = nullptr, *sums = nullptr;
  int* count = nullptr;
  std::vector<int> expected, expected_sums;
};

TEST_F(memory_resource_on_the_gpu, of_the_stream_is_given_back) {
  const std::uint64_t before = used_of_pool();
  const stream_pool pool;
  for (int i = 0; i < 10; ++i) enqueue(pool);
  expect_right();
  EXPECT_EQ(used_of_pool(), before);
}

TEST_F(memory_resource_on_the_gpu, of_both_protocols_is_given_back) {
  async_resource async;
  enqueue(async);
  expect_right();
  EXPECT_EQ(async.open, 0);
  stream_first_resource stream_first;
  enqueue(stream_first);
  expect_right();
  EXPECT_EQ(stream_first.open, 0);
}

TEST_F(memory_resource_on_the_gpu, lives_in_a_captured_graph) {
  const std::uint64_t before = used_of_pool();
  const stream_pool pool;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  enqueue(pool);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(cudaMemsetAsync(sums, 0xff, n * sizeof(int), stream), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  }
  expect_right();
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaDeviceGraphMemTrim(0), cudaSuccess);
  EXPECT_EQ(used_of_pool(), before);
}

}  // namespace
}  // namespace upsweep::test
