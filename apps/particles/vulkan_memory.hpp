// Buffers with memory of their own, and timeline semaphores, that CUDA and OpenGL can import.
#pragma once

#include "vulkan_device.hpp"

namespace upsweep::apps {

struct vulkan_memory {
  VkBuffer buffer;
  VkDeviceMemory memory;
  VkDeviceSize allocated;  ///< bytes of the memory, all of which is the buffer's
};

/// `exported` memory is for another API, other memory can be mapped. What is made is freed by `undo`.
vulkan_memory make_vulkan_memory(vulkan_device& d, VkDeviceSize bytes, VkBufferUsageFlags usage, bool exported,
                                 cleanup& undo);
VkSemaphore make_vulkan_timeline(vulkan_device& d, bool exported, cleanup& undo);

/// Waits until the timeline is at `value`, for ten seconds; again where it has come nearer. VK_TIMEOUT: it is not
/// there.
VkResult wait_for(const vulkan_device& d, VkSemaphore timeline, std::uint64_t value);
/// The same without sleeping, for a second: a host that has slept takes longer for its next calls.
VkResult wait_awake(const vulkan_device& d, VkSemaphore timeline, std::uint64_t value);

/// A new opaque file descriptor, the caller's.
int memory_fd_of(const vulkan_device& d, VkDeviceMemory memory);
int timeline_fd_of(const vulkan_device& d, VkSemaphore timeline);

}  // namespace upsweep::apps
