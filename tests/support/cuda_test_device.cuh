// A stream of the GPU to test on.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "support/internals.hpp"
#include "support/test_device.hpp"

namespace upsweep::test {

/// "no GPU: <reason>", or empty when there is one.
inline std::string missing_gpu() {
  int count = 0;
  cudaError_t e = cudaGetDeviceCount(&count);
  if (e == cudaSuccess && count == 0) e = cudaErrorNoDevice;
  if (e == cudaSuccess) return {};
  static_cast<void>(cudaGetLastError());
  return std::string("no GPU: ") + cudaGetErrorString(e);
}

template <>
class test_device<cudaStream_t> {
 public:
  struct way {
    std::string name;
  };
  static std::vector<way> ways() { return {{"cuda"}}; }

  explicit test_device(const way&) : missing_(missing_gpu()) {
    if (!missing_.empty()) return;
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetAttribute(&major_, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  }
  ~test_device() {
    if (missing_.empty()) EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
  }
  test_device(const test_device&) = delete;
  test_device& operator=(const test_device&) = delete;

  std::string missing() const { return missing_; }
  cudaStream_t stream() const { return stream_; }
  cuda_executor executor() const { return cuda_executor(stream_); }
  bool has_phase_barriers() const { return major_ >= 9; }
  bool has_16_byte_atomics() const { return major_ >= 9; }
  bool has_clusters() const { return cuda_executor::has_clusters(); }
  bool follows_the_seed() const { return false; }
  std::string message() const { return cudaGetErrorString(cudaPeekAtLastError()); }

 private:
  std::string missing_;
  cudaStream_t stream_ = nullptr;
  int major_ = 0;
};

}  // namespace upsweep::test
