#include "splats.cuh"

namespace upsweep::apps {

std::size_t splats_workspace_bytes(const primitive_arrays& a) {
  return splats_plan(a).bytes;
}

status splats(runtime::stream s, workspace w, const primitive_arrays& a) {
  if (s.where == runtime::backend::cuda) return splats_on_cuda(s.handle, w, a);
  return splats_on(sim_stream{static_cast<const sim_options*>(s.handle)}, w, a);
}

}  // namespace upsweep::apps
