// The GPU's side of the particle system where there is no CUDA compiler.
#include "failure.hpp"
#include "frame.hpp"
#include "graphics_link.hpp"
#include "splat_frame.hpp"

namespace upsweep::apps {

std::size_t cuda_frame_workspace_bytes(const frame_plan&, runtime::stream) {
  return 0;
}

std::unique_ptr<frame_program> make_cuda_frame_program(const frame_plan&, runtime::stream, status& s) {
  s = status::no_device;
  return nullptr;
}

std::size_t cuda_splat_workspace_bytes(const splat_plan&) {
  return 0;
}

std::unique_ptr<splat_program> make_cuda_splat_program(const splat_plan&, runtime::stream, status& s) {
  s = status::no_device;
  return nullptr;
}

gpu_uuid uuid_of_gpu(device_session&) {
  fail(exit_code::device, "this build has no CUDA half");
}

std::unique_ptr<graphics_link> import_from_vulkan(device_session&, int, std::size_t, int) {
  fail(exit_code::device, "this build has no CUDA half");
}

}  // namespace upsweep::apps
