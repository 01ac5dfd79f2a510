#include "splat_frame.cuh"
#include "timed_graph.cuh"

namespace upsweep::apps {

std::size_t cuda_splat_workspace_bytes(const splat_plan& plan) {
  return splat_workspace(plan);
}

std::unique_ptr<splat_program> make_cuda_splat_program(const splat_plan& plan, runtime::stream on, status& s) {
  auto program = std::make_unique<timed_graph<splat_program, splat_stage_names.size()>>(on.handle);
  s = program->capture([&](cudaStream_t stream, auto mark) { return enqueue_splats(plan, stream, mark); });
  if (s != status::success) program.reset();
  return program;
}

}  // namespace upsweep::apps
