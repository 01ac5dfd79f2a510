#include "vulkan_memory.hpp"

#include <chrono>

#include "shared_memory.hpp"

namespace upsweep::apps {
namespace {

std::uint64_t value_of(const vulkan_device& d, VkSemaphore timeline) {
  std::uint64_t value = 0;
  check_running(vkGetSemaphoreCounterValue(d.get(), timeline, &value), "waiting for the draw");
  return value;
}

class vulkan_shared_memory final : public shared_memory {
 public:
  vulkan_shared_memory(device_session& session, std::size_t bytes)
      : device_(uuid_of_gpu(session)),
        memory_(make_vulkan_memory(device_, bytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, true, undo_)),
        timeline_(make_vulkan_timeline(device_, true, undo_)) {}
  std::size_t bytes() const override { return memory_.allocated; }
  int memory_fd() const override { return memory_fd_of(device_, memory_.memory); }
  int timeline_fd() const override { return timeline_fd_of(device_, timeline_); }
  bool reaches(std::uint64_t value) const override { return apps::reaches(device_, timeline_, value); }
  bool reaches_soon(std::uint64_t value) const override { return apps::reaches_soon(device_, timeline_, value); }

 private:
  vulkan_device device_;
  cleanup undo_;
  vulkan_memory memory_;
  VkSemaphore timeline_;
};

}  // namespace

vulkan_memory make_vulkan_memory(vulkan_device& device, VkDeviceSize bytes, VkBufferUsageFlags usage, bool exported,
                                 cleanup& undo) {
  const VkDevice d = device.get();
  VkExternalMemoryBufferCreateInfo external = {};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = exported ? &external : nullptr;
  info.size = bytes;
  info.usage = usage;
  vulkan_memory made = {};
  check_vulkan(vkCreateBuffer(d, &info, nullptr, &made.buffer), "making a buffer");
  undo.add([d, b = made.buffer] { vkDestroyBuffer(d, b, nullptr); });
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(d, made.buffer, &needs);
  VkMemoryDedicatedAllocateInfo dedicated = {};
  dedicated.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO;
  dedicated.buffer = made.buffer;
  VkExportMemoryAllocateInfo handle = {};
  handle.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  handle.pNext = &dedicated;
  handle.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  constexpr VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  made.memory = exported ? device.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &handle)
                         : device.allocate(needs, mapped, nullptr);
  undo.add([d, m = made.memory] { vkFreeMemory(d, m, nullptr); });
  check_vulkan(vkBindBufferMemory(d, made.buffer, made.memory, 0), "making a buffer");
  made.allocated = needs.size;
  return made;
}

VkSemaphore make_vulkan_timeline(vulkan_device& device, bool exported, cleanup& undo) {
  VkExportSemaphoreCreateInfo handle = {};
  handle.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  handle.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.pNext = exported ? &handle : nullptr;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  VkSemaphore timeline = VK_NULL_HANDLE;
  check_vulkan(vkCreateSemaphore(device.get(), &info, nullptr, &timeline), "making a timeline semaphore");
  undo.add([d = device.get(), timeline] { vkDestroySemaphore(d, timeline, nullptr); });
  return timeline;
}

bool reaches(const vulkan_device& d, VkSemaphore timeline, std::uint64_t value) {
  constexpr std::uint64_t ten_seconds = 10'000'000'000;
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &timeline;
  info.pValues = &value;
  for (std::uint64_t before = value_of(d, timeline);;) {
    const VkResult r = vkWaitSemaphores(d.get(), &info, ten_seconds);
    if (r == VK_SUCCESS) return true;
    if (r != VK_TIMEOUT) check_running(r, "waiting for the draw");
    const std::uint64_t now = value_of(d, timeline);
    if (now == before) return false;
    before = now;
  }
}

bool reaches_soon(const vulkan_device& d, VkSemaphore timeline, std::uint64_t value) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (value_of(d, timeline) < value) {
    if (std::chrono::steady_clock::now() > until) return reaches(d, timeline, value);
  }
  return true;
}

int memory_fd_of(const vulkan_device& d, VkDeviceMemory memory) {
  VkMemoryGetFdInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check_vulkan(d.function<PFN_vkGetMemoryFdKHR>("vkGetMemoryFdKHR")(d.get(), &info, &fd),
               "exporting the particles' memory");
  return fd;
}

int timeline_fd_of(const vulkan_device& d, VkSemaphore timeline) {
  VkSemaphoreGetFdInfoKHR info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  info.semaphore = timeline;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  check_vulkan(d.function<PFN_vkGetSemaphoreFdKHR>("vkGetSemaphoreFdKHR")(d.get(), &info, &fd),
               "exporting the timeline semaphore");
  return fd;
}

std::unique_ptr<shared_memory> make_shared_memory(device_session& session, std::size_t bytes) {
  return std::make_unique<vulkan_shared_memory>(session, bytes);
}

}  // namespace upsweep::apps
