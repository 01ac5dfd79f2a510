// The GPU's side of the particle system where there is no CUDA compiler.
#include "frame.hpp"

namespace upsweep::apps {

std::size_t cuda_frame_workspace_bytes(const frame_plan&, runtime::stream) {
  return 0;
}

std::unique_ptr<frame_program> make_cuda_frame_program(const frame_plan&, runtime::stream, status& s) {
  s = status::no_device;
  return nullptr;
}

}  // namespace upsweep::apps
