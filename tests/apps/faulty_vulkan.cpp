// Vulkan's loader with a fault in it, for LD_PRELOAD: UPSWEEP_FAULT="vkQueueSubmit 3 -4" has the third call of that
// function return -4 without doing anything, and all that follow.
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <cstdlib>
#include <sstream>
#include <string>

namespace {

struct fault {
  std::string function;
  int call = 0, result = 0;
  fault() {
    if (const char* const words = std::getenv("UPSWEEP_FAULT")) std::istringstream(words) >> function >> call >> result;
  }
};

template <class Result, class... Of, class... Args>
Result passed_on(Result (*)(Of...), const char* name, int& calls, Args... args) {
  static const fault wanted;
  if (name == wanted.function && ++calls >= wanted.call) return static_cast<Result>(wanted.result);
  return reinterpret_cast<Result (*)(Of...)>(dlsym(RTLD_NEXT, name))(args...);
}

}  // namespace

#define UPSWEEP_PASS_ON(name, parameters, ...)          \
  VKAPI_ATTR VkResult VKAPI_CALL name parameters {      \
    static int calls = 0;                               \
    return passed_on(&name, #name, calls, __VA_ARGS__); \
  }

extern "C" {
UPSWEEP_PASS_ON(vkCreateDevice,
                (VkPhysicalDevice d, const VkDeviceCreateInfo* i, const VkAllocationCallbacks* a, VkDevice* made), d, i,
                a, made)
UPSWEEP_PASS_ON(vkAllocateMemory,
                (VkDevice d, const VkMemoryAllocateInfo* i, const VkAllocationCallbacks* a, VkDeviceMemory* made), d, i,
                a, made)
UPSWEEP_PASS_ON(vkQueueSubmit, (VkQueue q, uint32_t n, const VkSubmitInfo* i, VkFence f), q, n, i, f)
UPSWEEP_PASS_ON(vkWaitSemaphores, (VkDevice d, const VkSemaphoreWaitInfo* i, uint64_t t), d, i, t)
}
