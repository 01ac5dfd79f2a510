#include "vulkan_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "failure.hpp"
#include "program.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";

const char* name_of_result(VkResult r) {
  switch (r) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "the driver cannot be initialised";
    case VK_ERROR_DEVICE_LOST:
      return "the device is lost";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "the validation layer is not installed (Debian: vulkan-validationlayers)";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "an extension is missing";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "a feature is missing";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "no driver is installed (Debian: mesa-vulkan-drivers, or the GPU's own)";
    default:
      return "an error";
  }
}

VkBool32 VKAPI_PTR note_message(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                const VkDebugUtilsMessengerCallbackDataEXT* data, void* messages) {
  static_cast<std::vector<std::string>*>(messages)->emplace_back(data->pMessage);
  return VK_FALSE;
}

/// What `ask` gives, which first says how many there are.
template <class Item, class Ask>
std::vector<Item> list_of(Ask ask) {
  std::uint32_t count = 0;
  ask(&count, static_cast<Item*>(nullptr));
  std::vector<Item> all(count);
  ask(&count, all.data());
  return all;
}

/// The first queue family that draws.
std::optional<std::uint32_t> drawing_family(VkPhysicalDevice d) {
  const auto families = list_of<VkQueueFamilyProperties>(
      [&](auto* count, auto* all) { vkGetPhysicalDeviceQueueFamilyProperties(d, count, all); });
  for (std::uint32_t i = 0; i < families.size(); ++i) {
    if (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) return i;
  }
  return {};
}

bool has_extension(VkPhysicalDevice d, const char* name) {
  const auto all = list_of<VkExtensionProperties>([&](auto* count, auto* extensions) {
    check_vulkan(vkEnumerateDeviceExtensionProperties(d, nullptr, count, extensions), "asking for extensions");
  });
  return std::any_of(all.begin(), all.end(),
                     [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; });
}

}  // namespace

void check_vulkan(VkResult r, const char* what) {
  if (r == VK_SUCCESS) return;
  fail(exit_code::device, "Vulkan: {} failed: {} ({})", what, name_of_result(r), static_cast<int>(r));
}

void check_running(VkResult r, const char* what) {
  try {
    check_vulkan(r, what);
  } catch (const failure& why) {
    give_up(why.what());
  }
}

vulkan_device::vulkan_device(const std::optional<gpu_uuid>& wanted) {
  try {
    make_instance();
    choose(wanted);
    make_device(wanted.has_value());
  } catch (...) {
    destroy();
    throw;
  }
}

vulkan_device::~vulkan_device() {
  destroy();
  // Where nothing else has failed yet; a failure of check_messages says the first one itself.
  if (!messages_.empty() && std::uncaught_exceptions() == 0) give_up(messages_text());
}

void vulkan_device::make_instance() {
  const bool validates = std::getenv("UPSWEEP_VULKAN_VALIDATION") != nullptr;
  const std::uint32_t layers = validates ? 1 : 0;
  const char* const extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "upsweep-particles";
  application.apiVersion = VK_API_VERSION_1_2;
  const VkInstanceCreateInfo info = {
      VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &application, layers, &validation_layer, layers, &extension};
  check_vulkan(vkCreateInstance(&info, nullptr, &instance_), "making an instance");
  if (!validates) return;
  VkDebugUtilsMessengerCreateInfoEXT messenger = {};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = note_message;
  messenger.pUserData = &messages_;
  const auto make = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  check_vulkan(make(instance_, &messenger, nullptr, &messenger_), "listening to the validation layer");
}

void vulkan_device::choose(const std::optional<gpu_uuid>& wanted) {
  const auto all = list_of<VkPhysicalDevice>([&](auto* count, auto* devices) {
    check_vulkan(vkEnumeratePhysicalDevices(instance_, count, devices), "looking for devices");
  });
  std::vector<std::string> names;
  for (const VkPhysicalDevice d : all) {
    VkPhysicalDeviceIDProperties id = {};
    id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties = {};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &id;
    vkGetPhysicalDeviceProperties2(d, &properties);
    names.emplace_back(properties.properties.deviceName);
    if (wanted && !std::equal(wanted->begin(), wanted->end(), id.deviceUUID)) continue;
    const auto family = drawing_family(d);
    if (!family || properties.properties.apiVersion < VK_API_VERSION_1_2) continue;
    physical_ = d;
    family_ = *family;
    name_ = names.back();
    tick_ = properties.properties.limits.timestampPeriod;
    largest_point_ = properties.properties.limits.pointSizeRange[1];
    return;
  }
  fail(exit_code::device, "Vulkan: no device {}supports Vulkan 1.2; there are {}",
       wanted ? "with the UUID of the CUDA device " : "", names.empty() ? "none" : list_text(names));
}

void vulkan_device::make_device(bool exports) {
  std::vector<const char*> extensions;
  if (exports) extensions = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
  for (const char* const e : extensions) {
    if (!has_extension(physical_, e)) fail(exit_code::device, "Vulkan: {} lacks {}", name_, e);
  }
  VkPhysicalDeviceVulkan12Features has12 = {}, use12 = {};
  has12.sType = use12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 has = {}, use = {};
  has.sType = use.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  has.pNext = &has12;
  use.pNext = &use12;
  vkGetPhysicalDeviceFeatures2(physical_, &has);
  if (!has12.timelineSemaphore) fail(exit_code::device, "Vulkan: {} lacks timeline semaphores", name_);
  if (!has.features.largePoints) fail(exit_code::device, "Vulkan: {} lacks points larger than a pixel", name_);
  use12.timelineSemaphore = VK_TRUE;
  use.features.largePoints = VK_TRUE;
  use.features.fullDrawIndexUint32 = has.features.fullDrawIndexUint32;
  const float priority = 1;
  const VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, family_, 1, &priority};
  VkDeviceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &use;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  check_vulkan(vkCreateDevice(physical_, &info, nullptr, &device_), "opening the device");
  vkGetDeviceQueue(device_, family_, 0, &queue_);
}

VkDeviceMemory vulkan_device::allocate(const VkMemoryRequirements& needs, VkMemoryPropertyFlags properties,
                                       const void* next, cleanup& undo) {
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
  for (std::uint32_t type = 0; type < memory.memoryTypeCount; ++type) {
    if ((needs.memoryTypeBits >> type & 1) == 0) continue;
    if ((memory.memoryTypes[type].propertyFlags & properties) != properties) continue;
    const VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, next, needs.size, type};
    return make_vulkan(vkAllocateMemory, vkFreeMemory, device_, info,
                       fmt::format("allocating {}", bytes_text(needs.size)).c_str(), undo);
  }
  fail(exit_code::device, "Vulkan: {} has no suitable memory", name_);
}

void vulkan_device::check_messages() const {
  if (!messages_.empty()) fail(exit_code::device, "{}", messages_text());
}

std::string vulkan_device::messages_text() const {
  return fmt::format("Vulkan: the validation layer has {} messages; the first is: {}", messages_.size(),
                     messages_.front());
}

void vulkan_device::destroy() {
  if (device_ != VK_NULL_HANDLE) vkDestroyDevice(device_, nullptr);
  if (messenger_ != VK_NULL_HANDLE) {
    const auto undo = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    undo(instance_, messenger_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

}  // namespace upsweep::apps
