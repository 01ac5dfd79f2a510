// What enqueues a frame, as a graph with event nodes between its stages. There are two graphs, each with events of its
// own, which take turns: so the times of a frame can be read while the next one runs.
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
    for (const turn& t : turns_) {
      if (t.graph != nullptr) static_cast<void>(cudaGraphExecDestroy(t.graph));
      for (const cudaEvent_t e : t.events) destroy(e);
      destroy(t.done);
    }
  }

  /// enqueue(stream, mark): a status; mark(stage) must be called after each stage.
  template <class Enqueue>
  status capture(Enqueue enqueue) {
    for (turn& t : turns_) {
      if (const status s = capture(t, enqueue); s != status::success) return s;
    }
    return status::success;
  }

  status run() override {
    next_ ^= 1;
    const turn& t = turns_[next_];
    const cudaError_t e = cudaGraphLaunch(t.graph, stream_);
    return static_cast<status>(e != cudaSuccess ? e : cudaEventRecord(t.done, stream_));
  }
  status times(std::size_t back, std::array<float, Stages>& ms) override {
    const turn& t = turns_[next_ ^ back];
    cudaError_t e = cudaEventSynchronize(t.done);
    for (std::size_t i = 0; i < Stages && e == cudaSuccess; ++i) {
      e = cudaEventElapsedTime(&ms[i], t.events[i], t.events[i + 1]);
    }
    return static_cast<status>(e);
  }

 private:
  struct turn {
    cudaGraphExec_t graph = nullptr;
    std::array<cudaEvent_t, Stages + 1> events = {};
    cudaEvent_t done = nullptr;  ///< after the graph, for the host, which cannot wait for an event that a node records
  };

  static void destroy(cudaEvent_t e) {
    if (e != nullptr) static_cast<void>(cudaEventDestroy(e));
  }

  template <class Enqueue>
  status capture(turn& t, Enqueue& enqueue) {
    cudaError_t e = cudaEventCreateWithFlags(&t.done, cudaEventDisableTiming);
    for (std::size_t i = 0; i <= Stages && e == cudaSuccess; ++i) e = cudaEventCreate(&t.events[i]);
    if (e != cudaSuccess) return static_cast<status>(e);
    const auto mark = [&](std::size_t i) {
      return cudaEventRecordWithFlags(t.events[i], stream_, cudaEventRecordExternal);
    };
    e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return static_cast<status>(e);
    e = mark(0);
    const status enqueued = enqueue(stream_, [&](auto stage) {
      if (const cudaError_t wrong = mark(static_cast<std::size_t>(stage) + 1); e == cudaSuccess) e = wrong;
    });
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
    status s = enqueued != status::success ? enqueued : static_cast<status>(e != cudaSuccess ? e : ended);
    if (s == status::success) s = static_cast<status>(cudaGraphInstantiate(&t.graph, graph, 0));
    if (s == status::success) s = static_cast<status>(cudaGraphUpload(t.graph, stream_));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    return s;
  }

  cudaStream_t stream_;
  std::array<turn, 2> turns_;
  std::size_t next_ = 0;
};

}  // namespace upsweep::apps
