// OpenGL's buffers in CUDA where there is no CUDA compiler.
#include "failure.hpp"
#include "graphics_link.hpp"

namespace upsweep::apps {

cuda_gpu gpu_of(device_session&) {
  fail(exit_code::device, "this build has no CUDA half");
}
std::unique_ptr<graphics_link> import_from_opengl(device_session&, unsigned) {
  fail(exit_code::device, "this build has no CUDA half");
}

}  // namespace upsweep::apps
