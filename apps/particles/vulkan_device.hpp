// A Vulkan device without a window, and objects of it that free themselves. Every failure is exit_code::device and says
// what was being done, or what the driver lacks.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphics_link.hpp"

namespace upsweep::apps {

/// Fails unless the result is VK_SUCCESS.
void check_vulkan(VkResult r, const char* what);

/// The same while draws may be under way: the program is given up, as what would be destroyed may be in use.
void check_running(VkResult r, const char* what);

/// What is freed in the opposite order.
class cleanup {
 public:
  ~cleanup() {
    for (auto undo = all_.rbegin(); undo != all_.rend(); ++undo) (*undo)();
  }
  void add(std::function<void()> undo) { all_.push_back(std::move(undo)); }

 private:
  std::vector<std::function<void()>> all_;
};

class vulkan_device {
 public:
  /// `wanted`: the GPU of that UUID, whose memory can be exported; any without it. With UPSWEEP_VULKAN_VALIDATION in
  /// the environment, a message of the validation layer is a failure, at the end at the latest.
  explicit vulkan_device(const std::optional<gpu_uuid>& wanted);
  ~vulkan_device();
  vulkan_device(const vulkan_device&) = delete;
  vulkan_device& operator=(const vulkan_device&) = delete;

  VkDevice get() const { return device_; }
  VkQueue queue() const { return queue_; }
  std::uint32_t queue_family() const { return family_; }
  const std::string& name() const { return name_; }
  float nanoseconds_a_tick() const { return tick_; }
  float largest_point() const { return largest_point_; }
  /// The function of an extension.
  template <class F>
  F function(const char* name) const {
    return reinterpret_cast<F>(vkGetDeviceProcAddr(device_, name));
  }
  /// Memory for what asks for it, with these properties, freed by `undo`. `next`: the chain of VkMemoryAllocateInfo.
  VkDeviceMemory allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags properties, const void* next,
                          cleanup& undo);
  /// Fails when the validation layer has said something.
  void check_messages() const;

 private:
  void make_instance();
  void choose(const std::optional<gpu_uuid>& wanted);
  void make_device(bool exports);
  void destroy();
  std::string messages_text() const;

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkPhysicalDevice physical_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  std::uint32_t family_ = 0;
  std::string name_;
  float tick_ = 0, largest_point_ = 0;
  std::vector<std::string> messages_;
};

/// What a function of Vulkan makes of `info`; `undo` will destroy it.
template <class Info, class Made>
Made make_vulkan(VkResult(VKAPI_PTR* create)(VkDevice, const Info*, const VkAllocationCallbacks*, Made*),
                 void(VKAPI_PTR* destroy)(VkDevice, Made, const VkAllocationCallbacks*), VkDevice d, const Info& info,
                 const char* what, cleanup& undo) {
  Made made = VK_NULL_HANDLE;
  check_vulkan(create(d, &info, nullptr, &made), what);
  undo.add([destroy, d, made] { destroy(d, made, nullptr); });
  return made;
}

}  // namespace upsweep::apps
