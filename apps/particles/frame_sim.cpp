#include "frame.cuh"
#include "timed_calls.hpp"

namespace upsweep::apps {

std::size_t frame_workspace_bytes(const frame_plan& plan, runtime::stream s) {
  return s.where == runtime::backend::cuda ? cuda_frame_workspace_bytes(plan, s) : frame_workspace(plan, s);
}

std::unique_ptr<frame_program> make_frame_program(const frame_plan& plan, runtime::stream on, status& s) {
  if (on.where == runtime::backend::cuda) return make_cuda_frame_program(plan, on, s);
  s = status::success;
  return make_timed_calls<frame_program, frame_stage_names.size()>([plan, on](auto mark) {
    return enqueue_frame(plan, sim_stream{static_cast<const sim_options*>(on.handle)}, on, mark);
  });
}

}  // namespace upsweep::apps
