// Memory and a timeline semaphore of Vulkan that CUDA and OpenGL both import, without a header of any of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "graphics_link.hpp"

namespace upsweep::apps {

/// How a wait for draws ends: `stands_still` if nothing has been drawn for ten seconds.
enum class wait_end { reached, stands_still, lost };

class shared_memory {
 public:
  virtual ~shared_memory() = default;
  /// All of the allocation, one buffer's alone.
  virtual std::size_t bytes() const = 0;
  /// New opaque file descriptors, the caller's.
  virtual int memory_fd() const = 0;
  virtual int timeline_fd() const = 0;
  /// Until the timeline is at `value`. The second one does not sleep at first.
  virtual wait_end wait(std::uint64_t value) const = 0;
  virtual wait_end wait_awake(std::uint64_t value) const = 0;
};

/// At least `bytes` bytes on the session's GPU. Null in a build without Vulkan; failures are exit_code::device.
std::unique_ptr<shared_memory> make_shared_memory(device_session& session, std::size_t bytes);

}  // namespace upsweep::apps
