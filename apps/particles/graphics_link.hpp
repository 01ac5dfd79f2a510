// What joins a renderer's memory and its order of work with the device of the particle system.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "device_session.hpp"

namespace upsweep::apps {

using gpu_uuid = std::array<unsigned char, 16>;

class graphics_link {
 public:
  virtual ~graphics_link() = default;
  virtual void* memory() const = 0;
  virtual void wait(std::uint64_t value) = 0;
  virtual void signal(std::uint64_t value) = 0;
};

/// The UUID of the session's GPU. Failures of these end the program with exit_code::device.
gpu_uuid uuid_of_gpu(device_session& device);

/// Takes both file descriptors.
std::unique_ptr<graphics_link> import_from_vulkan(device_session& device, int memory_fd, std::size_t bytes,
                                                  int timeline_fd);

struct cuda_gpu {
  gpu_uuid uuid;
  int number;  ///< among CUDA's devices
};
cuda_gpu gpu_of(device_session& device);

/// A buffer of the current context. It is CUDA's until the first signal, which like wait needs no value.
std::unique_ptr<graphics_link> import_from_opengl(device_session& device, unsigned buffer);

}  // namespace upsweep::apps
