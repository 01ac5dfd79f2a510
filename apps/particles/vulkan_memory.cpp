#include "vulkan_memory.hpp"

#include <chrono>

#include "shared_memory.hpp"

namespace upsweep::apps {
namespace {

wait_end end_of(VkResult r) {
  return r == VK_SUCCESS ? wait_end::reached : r == VK_TIMEOUT ? wait_end::stands_still : wait_end::lost;
}

template <class Function, class Info>
int exported_fd(const vulkan_device& d, const char* name, const Info& info, const char* what) {
  int fd = -1;
  check_vulkan(d.function<Function>(name)(d.get(), &info, &fd), what);
  return fd;
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
  wait_end wait(std::uint64_t value) const override { return end_of(wait_for(device_, timeline_, value)); }
  wait_end wait_awake(std::uint64_t value) const override {
    return end_of(apps::wait_awake(device_, timeline_, value));
  }

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
  const VkExternalMemoryBufferCreateInfo external = {VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                                     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  VkBufferCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.pNext = exported ? &external : nullptr;
  info.size = bytes;
  info.usage = usage;
  vulkan_memory made = {};
  made.buffer = make_vulkan(vkCreateBuffer, vkDestroyBuffer, d, info, "making a buffer", undo);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(d, made.buffer, &needs);
  const VkMemoryDedicatedAllocateInfo dedicated = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, nullptr,
                                                   VK_NULL_HANDLE, made.buffer};
  const VkExportMemoryAllocateInfo handle = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &dedicated,
                                             VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  constexpr VkMemoryPropertyFlags mapped = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  made.memory = exported ? device.allocate(needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, &handle, undo)
                         : device.allocate(needs, mapped, nullptr, undo);
  check_vulkan(vkBindBufferMemory(d, made.buffer, made.memory, 0), "making a buffer");
  made.allocated = needs.size;
  return made;
}

VkSemaphore make_vulkan_timeline(vulkan_device& device, bool exported, cleanup& undo) {
  const VkExportSemaphoreCreateInfo handle = {VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                              VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  const VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, exported ? &handle : nullptr,
                                          VK_SEMAPHORE_TYPE_TIMELINE, 0};
  const VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  return make_vulkan(vkCreateSemaphore, vkDestroySemaphore, device.get(), info, "making a timeline semaphore", undo);
}

VkResult wait_for(const vulkan_device& d, VkSemaphore timeline, std::uint64_t value) {
  constexpr std::uint64_t ten_seconds = 10'000'000'000;
  const VkSemaphoreWaitInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline, &value};
  std::uint64_t before = 0, now = 0;
  VkResult r = vkGetSemaphoreCounterValue(d.get(), timeline, &now);
  do {
    if (r != VK_SUCCESS) return r;
    before = now;
    r = vkWaitSemaphores(d.get(), &info, ten_seconds);
    if (r != VK_TIMEOUT) return r;
    r = vkGetSemaphoreCounterValue(d.get(), timeline, &now);
  } while (now != before);
  return r == VK_SUCCESS ? VK_TIMEOUT : r;
}

VkResult wait_awake(const vulkan_device& d, VkSemaphore timeline, std::uint64_t value) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (std::uint64_t now = 0;;) {
    const VkResult r = vkGetSemaphoreCounterValue(d.get(), timeline, &now);
    if (r != VK_SUCCESS || now >= value) return r;
    if (std::chrono::steady_clock::now() > until) return wait_for(d, timeline, value);
  }
}

int memory_fd_of(const vulkan_device& d, VkDeviceMemory memory) {
  const VkMemoryGetFdInfoKHR info = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, nullptr, memory,
                                     VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  return exported_fd<PFN_vkGetMemoryFdKHR>(d, "vkGetMemoryFdKHR", info, "exporting the particles' memory");
}

int timeline_fd_of(const vulkan_device& d, VkSemaphore timeline) {
  const VkSemaphoreGetFdInfoKHR info = {VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr, timeline,
                                        VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  return exported_fd<PFN_vkGetSemaphoreFdKHR>(d, "vkGetSemaphoreFdKHR", info, "exporting the timeline semaphore");
}

std::unique_ptr<shared_memory> make_shared_memory(device_session& session, std::size_t bytes) {
  return std::make_unique<vulkan_shared_memory>(session, bytes);
}

}  // namespace upsweep::apps
