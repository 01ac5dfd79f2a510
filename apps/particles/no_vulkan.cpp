// The Vulkan renderer where its headers were not found.
#include "failure.hpp"
#include "renderer.hpp"
#include "shared_memory.hpp"

namespace upsweep::apps {

std::unique_ptr<renderer> make_vulkan_renderer(device_session&, const renderer_options&) {
  fail(exit_code::usage, "this program was built without Vulkan (Debian: libvulkan-dev); expected --renderer software");
}

std::unique_ptr<shared_memory> make_shared_memory(device_session&, std::size_t) {
  return nullptr;
}

}  // namespace upsweep::apps
