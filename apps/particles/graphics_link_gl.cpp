#include "failure.hpp"
#include "graphics_link.hpp"
#include "interop/cuda_gl_buffer.hpp"

namespace upsweep::apps {
namespace {

class gl_link final : public graphics_link {
 public:
  gl_link(device_session& device, unsigned buffer) : device_(device) {
    check(buffer_.register_buffer(buffer), "import a buffer");
    check(buffer_.map(stream()), "map a buffer");
  }
  ~gl_link() override {
    if (is_mapped_) static_cast<void>(buffer_.unmap(stream()));
  }
  void* memory() const override { return buffer_.data(); }
  /// The buffer is CUDA's from here on; so it is when it was imported.
  void wait(std::uint64_t) override {
    if (!is_mapped_) check(buffer_.map(stream()), "map a buffer");
    is_mapped_ = true;
  }
  void signal(std::uint64_t) override {
    is_mapped_ = false;
    check(buffer_.unmap(stream()), "give back a buffer");
  }

 private:
  cudaStream_t stream() { return static_cast<cudaStream_t>(device_.stream().handle); }
  void check(cudaError_t e, const char* what) {
    if (e == cudaSuccess) return;
    fail(exit_code::device, "{}: CUDA cannot {} of OpenGL: {} ({})", device_.name(), what, cudaGetErrorName(e),
         cudaGetErrorString(e));
  }

  device_session& device_;
  interop::gl_buffer buffer_;
  bool is_mapped_ = true;
};

}  // namespace

cuda_gpu gpu_of(device_session& device) {
  int current = 0;
  device.check(static_cast<status>(cudaGetDevice(&current)), "selecting the GPU");
  return {uuid_of_gpu(device), current};
}

std::unique_ptr<graphics_link> import_from_opengl(device_session& device, unsigned buffer) {
  return std::make_unique<gl_link>(device, buffer);
}

}  // namespace upsweep::apps
