// What enqueues a frame, as a graph with event nodes between its stages.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>

#include "upsweep/simt/error.hpp"

namespace upsweep::apps {

template <class Program, std::size_t Stages>
class timed_graph final : public Program {
 public:
  explicit timed_graph(void* stream) : stream_(static_cast<cudaStream_t>(stream)) {}
  ~timed_graph() override {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
    for (const cudaEvent_t e : events_) {
      if (e != nullptr) static_cast<void>(cudaEventDestroy(e));
    }
  }

  /// enqueue(stream, mark): a status; mark(stage) is to be called behind each stage.
  template <class Enqueue>
  status capture(Enqueue enqueue) {
    for (cudaEvent_t& e : events_) {
      if (const cudaError_t wrong = cudaEventCreate(&e); wrong != cudaSuccess) return static_cast<status>(wrong);
    }
    cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return static_cast<status>(e);
    e = mark(0);
    const status enqueued = enqueue(stream_, [&](auto stage) {
      if (const cudaError_t wrong = mark(static_cast<std::size_t>(stage) + 1); e == cudaSuccess) e = wrong;
    });
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    status s = enqueued != status::success ? enqueued : static_cast<status>(e != cudaSuccess ? e : ended);
    if (s == status::success) s = static_cast<status>(cudaGraphInstantiate(&graph_, graph, 0));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    return s;
  }

  status run() override { return static_cast<status>(cudaGraphLaunch(graph_, stream_)); }
  status times(std::array<float, Stages>& ms) override {
    cudaError_t e = cudaStreamSynchronize(stream_);
    for (std::size_t i = 0; i < Stages && e == cudaSuccess; ++i) {
      e = cudaEventElapsedTime(&ms[i], events_[i], events_[i + 1]);
    }
    return static_cast<status>(e);
  }

 private:
  cudaError_t mark(std::size_t i) { return cudaEventRecordWithFlags(events_[i], stream_, cudaEventRecordExternal); }

  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
  std::array<cudaEvent_t, Stages + 1> events_ = {};
};

}  // namespace upsweep::apps
