#include "failure.hpp"
#include "graphics_link.hpp"
#include "interop/cuda_import.hpp"

namespace upsweep::apps {
namespace {

void check_import(device_session& device, cudaError_t e, const char* what) {
  if (e == cudaSuccess) return;
  fail(exit_code::device, "{}: CUDA cannot import {} from Vulkan: {} ({})", device.name(), what, cudaGetErrorName(e),
       cudaGetErrorString(e));
}

class vulkan_link final : public graphics_link {
 public:
  vulkan_link(device_session& device, int memory_fd, std::size_t bytes, int timeline_fd) : device_(device) {
    const cudaError_t m = memory_.import(memory_fd, bytes, true), t = timeline_.import(timeline_fd);
    check_import(device, m, "the memory");
    check_import(device, t, "the timeline semaphore");
  }
  void* memory() const override { return memory_.data(); }
  void wait(std::uint64_t value) override {
    device_.check(static_cast<status>(timeline_.wait(value, stream())), "waiting for the draw");
  }
  void signal(std::uint64_t value) override {
    device_.check(static_cast<status>(timeline_.signal(value, stream())), "signalling the draw");
  }

 private:
  cudaStream_t stream() { return static_cast<cudaStream_t>(device_.stream().handle); }

  device_session& device_;
  interop::imported_memory memory_;
  interop::imported_timeline timeline_;
};

}  // namespace

gpu_uuid uuid_of_gpu(device_session& device) {
  int current = 0;
  gpu_uuid uuid = {};
  device.check(static_cast<status>(cudaGetDevice(&current)), "selecting the GPU");
  device.check(static_cast<status>(interop::uuid_of(current, uuid)), "reading the GPU's UUID");
  return uuid;
}

std::unique_ptr<graphics_link> import_from_vulkan(device_session& device, int memory_fd, std::size_t bytes,
                                                  int timeline_fd) {
  return std::make_unique<vulkan_link>(device, memory_fd, bytes, timeline_fd);
}

}  // namespace upsweep::apps
