#include "contracts/context_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_context_contract<cudaStream_t>();

struct idle_kernel {
  static constexpr int block_threads = 256;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx&, temp_storage&) const {}
};

/// By the blocks of a cluster, whether CUDA says that one has room on the GPU.
bool has_room(int blocks) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(idle_kernel::block_threads);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const cudaError_t e = cudaOccupancyMaxActiveClusters(&clusters, upsweep::gpu::kernel_entry<idle_kernel>, &config);
  static_cast<void>(cudaGetLastError());
  return e == cudaSuccess && clusters > 0;
}

TEST(cuda_executor, launches_clusters_as_large_as_the_gpu_takes) {
  using namespace upsweep;
  if (!test::missing_gpu().empty()) GTEST_SKIP() << test::missing_gpu();
  const int most = cuda_executor::most_cluster_blocks<idle_kernel>();
  cuda_executor executor;
  for (const int blocks : {2, 4, 8, 16}) {
    SCOPED_TRACE(blocks);
    EXPECT_EQ(blocks <= most, cuda_executor::has_clusters() && has_room(blocks));
    EXPECT_EQ(executor.launch(grid(blocks, 0, blocks), idle_kernel{}),
              blocks <= most ? status::success : status::not_supported);
  }
  EXPECT_EQ(executor.synchronize(), status::success);
}

TEST(print_status, says_the_name_of_what_cuda_answers) {
  EXPECT_EQ(testing::PrintToString(cudaErrorInvalidValue), "cudaErrorInvalidValue");
}

}  // namespace
