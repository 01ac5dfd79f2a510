// Memory and a timeline semaphore of Vulkan in OpenGL (EXT_memory_object_fd, EXT_semaphore_fd, NV_timeline_semaphore).
// The context that imports them is current.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graphics_link.hpp"

namespace upsweep::apps {

class opengl_import {
 public:
  /// Whether the driver has what it takes.
  static bool is_possible();
  /// Whether the context is on the GPU of that UUID. Where is_possible.
  static bool draws_on(const gpu_uuid& wanted);

  /// Gives `buffer`, a name without storage, the memory. Takes both file descriptors. Failures are exit_code::device.
  opengl_import(unsigned buffer, int memory_fd, std::size_t bytes, int timeline_fd);
  ~opengl_import();
  opengl_import(const opengl_import&) = delete;
  opengl_import& operator=(const opengl_import&) = delete;

  /// What is drawn from here on waits for that value of the timeline.
  void wait(std::uint64_t value);
  /// It has that value when all that has been drawn so far is done.
  void signal(std::uint64_t value);

 private:
  unsigned buffer_, memory_ = 0, timeline_ = 0;
};

}  // namespace upsweep::apps
