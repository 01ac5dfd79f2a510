#include "splat_frame.cuh"
#include "timed_calls.hpp"

namespace upsweep::apps {

std::size_t splat_workspace_bytes(const splat_plan& plan, runtime::stream s) {
  return s.where == runtime::backend::cuda ? cuda_splat_workspace_bytes(plan) : splat_workspace(plan);
}

std::unique_ptr<splat_program> make_splat_program(const splat_plan& plan, runtime::stream on, status& s) {
  if (on.where == runtime::backend::cuda) return make_cuda_splat_program(plan, on, s);
  s = status::success;
  return make_timed_calls<splat_program, splat_stage_names.size()>([plan, on](auto mark) {
    return enqueue_splats(plan, sim_stream{static_cast<const sim_options*>(on.handle)}, mark);
  });
}

}  // namespace upsweep::apps
