#include "frame.cuh"
#include "timed_graph.cuh"

namespace upsweep::apps {

std::size_t cuda_frame_workspace_bytes(const frame_plan& plan, runtime::stream s) {
  return frame_workspace(plan, s);
}

std::unique_ptr<frame_program> make_cuda_frame_program(const frame_plan& plan, runtime::stream on, status& s) {
  auto program = std::make_unique<timed_graph<frame_program, frame_stage_names.size()>>(on.handle);
  s = program->capture([&](cudaStream_t stream, auto mark) { return enqueue_frame(plan, stream, on, mark); });
  if (s != status::success) program.reset();
  return program;
}

}  // namespace upsweep::apps
