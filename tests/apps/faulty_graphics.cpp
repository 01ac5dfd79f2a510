// The loaders of Vulkan and OpenGL with a fault in them, for LD_PRELOAD: UPSWEEP_FAULT="vkQueueSubmit 3 -4" has the
// third call of that function return -4 without doing anything, and all that follow. With "vkQueueSubmit 3 0" no draw
// ends from the third on, and who waits for it waits a tenth of a second instead of longer. "glImportMemoryFdEXT 1 0"
// has that function of an extension, or glDrawElementsIndirect, end with an error of OpenGL's, and "glGetStringi 1 0"
// has OpenGL name no extension. "glGetString 1 0" has it tell no name, and "eglQueryDeviceBinaryEXT 1 0" has EGL tell
// no UUID of a device.
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <algorithm>
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

const fault wanted;
bool nothing_ends = false;

template <class Result, class... Of>
Result (*next(Result (*)(Of...), const char* name))(Of...) {
  return reinterpret_cast<Result (*)(Of...)>(dlsym(RTLD_NEXT, name));
}

template <class Result, class... Of, class... Args>
Result passed_on(Result (*f)(Of...), const char* name, int& calls, Args... args) {
  if (name == wanted.function && ++calls >= wanted.call) {
    nothing_ends |= wanted.result == 0;
    return static_cast<Result>(wanted.result);
  }
  return next(f, name)(args...);
}

}  // namespace

#define UPSWEEP_PASS_ON(name, parameters, ...)                        \
  VKAPI_ATTR VkResult VKAPI_CALL name parameters {                    \
    static int calls = 0;                                             \
    return passed_on(&name, #name, calls __VA_OPT__(, ) __VA_ARGS__); \
  }

extern "C" {
using gl_function = void (*)();
void glEnable(unsigned what);

/// An enumerator that OpenGL does not know.
static void refused() {
  next(&glEnable, "glEnable")(0xdead);
}
static const char* no_extension(unsigned, unsigned) {
  return "";
}
static unsigned no_uuid(void*, int, int, void*, int*) {
  return 0;
}
gl_function eglGetProcAddress(const char* name) {
  if (name != wanted.function) return next(&eglGetProcAddress, "eglGetProcAddress")(name);
  if (wanted.function == "eglQueryDeviceBinaryEXT") return reinterpret_cast<gl_function>(&no_uuid);
  return wanted.function == "glGetStringi" ? reinterpret_cast<gl_function>(&no_extension) : &refused;
}
const unsigned char* glGetString(unsigned what) {
  return wanted.function == "glGetString" ? nullptr : next(&glGetString, "glGetString")(what);
}
unsigned glGetGraphicsResetStatus() {
  static int calls = 0;
  return passed_on(&glGetGraphicsResetStatus, "glGetGraphicsResetStatus", calls);
}
void glDrawElementsIndirect(unsigned mode, unsigned type, const void* arguments) {
  static int calls = 0;
  if (wanted.function == "glDrawElementsIndirect" && ++calls >= wanted.call) return refused();
  next(&glDrawElementsIndirect, "glDrawElementsIndirect")(mode, type, arguments);
}

UPSWEEP_PASS_ON(vkCreateDevice,
                (VkPhysicalDevice d, const VkDeviceCreateInfo* i, const VkAllocationCallbacks* a, VkDevice* made), d, i,
                a, made)
UPSWEEP_PASS_ON(vkAllocateMemory,
                (VkDevice d, const VkMemoryAllocateInfo* i, const VkAllocationCallbacks* a, VkDeviceMemory* made), d, i,
                a, made)
UPSWEEP_PASS_ON(vkQueueSubmit, (VkQueue q, uint32_t n, const VkSubmitInfo* i, VkFence f), q, n, i, f)
UPSWEEP_PASS_ON(vkWaitSemaphores, (VkDevice d, const VkSemaphoreWaitInfo* i, uint64_t t), d, i,
                nothing_ends ? std::min<uint64_t>(t, 100'000'000) : t)
}
