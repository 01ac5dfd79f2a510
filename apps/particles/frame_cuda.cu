#include <memory>

#include "frame.cuh"

namespace upsweep::apps {
namespace {

/// The frame as a graph. Event nodes stand between its stages.
class cuda_frame_program final : public frame_program {
 public:
  explicit cuda_frame_program(cudaStream_t stream) : stream_(stream) {}
  ~cuda_frame_program() override {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
    for (const cudaEvent_t e : events_) {
      if (e != nullptr) static_cast<void>(cudaEventDestroy(e));
    }
  }

  status capture(const frame_plan& plan) {
    for (cudaEvent_t& e : events_) {
      if (const cudaError_t wrong = cudaEventCreate(&e); wrong != cudaSuccess) return static_cast<status>(wrong);
    }
    cudaError_t e = cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return static_cast<status>(e);
    e = mark(0);
    const status enqueued = enqueue_frame(plan, stream_, {runtime::backend::cuda, stream_}, [&](frame_stage stage) {
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
  status times(std::array<float, frame_stage_names.size()>& ms) override {
    cudaError_t e = cudaStreamSynchronize(stream_);
    for (std::size_t i = 0; i < ms.size() && e == cudaSuccess; ++i) {
      e = cudaEventElapsedTime(&ms[i], events_[i], events_[i + 1]);
    }
    return static_cast<status>(e);
  }

 private:
  cudaError_t mark(std::size_t i) { return cudaEventRecordWithFlags(events_[i], stream_, cudaEventRecordExternal); }

  cudaStream_t stream_;
  cudaGraphExec_t graph_ = nullptr;
  std::array<cudaEvent_t, frame_stage_names.size() + 1> events_ = {};
};

}  // namespace

std::size_t cuda_frame_workspace_bytes(const frame_plan& plan, runtime::stream s) {
  return frame_workspace(plan, s);
}

std::unique_ptr<frame_program> make_cuda_frame_program(const frame_plan& plan, runtime::stream on, status& s) {
  auto program = std::make_unique<cuda_frame_program>(static_cast<cudaStream_t>(on.handle));
  s = program->capture(plan);
  if (s != status::success) program.reset();
  return program;
}

}  // namespace upsweep::apps
