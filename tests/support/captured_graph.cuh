// A graph of calls, for tests that replay it.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace upsweep::test {

/// What `call`, which returns a status or a cudaError_t, enqueues on `stream`. If it fails or cannot be captured, the
/// test fails, and so does every launch. Other host threads may allocate meanwhile. The graph ends before the memory
/// that it works on.
class captured_graph {
 public:
  template <class Call>
  captured_graph(cudaStream_t stream, const Call& call) {
    capture(stream, call);
  }
  captured_graph(const captured_graph&) = delete;
  captured_graph& operator=(const captured_graph&) = delete;
  ~captured_graph() {
    if (replay_ != nullptr) EXPECT_EQ(cudaGraphExecDestroy(replay_), cudaSuccess);
  }

  cudaError_t launch(cudaStream_t stream) const { return cudaGraphLaunch(replay_, stream); }

 private:
  template <class Call>
  void capture(cudaStream_t stream, const Call& call) {  // a constructor cannot ASSERT
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    const auto called = static_cast<cudaError_t>(call());
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    ASSERT_EQ(called, cudaSuccess) << cudaGetErrorString(called);
    ASSERT_EQ(ended, cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&replay_, graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }

  cudaGraphExec_t replay_ = nullptr;
};

}  // namespace upsweep::test
