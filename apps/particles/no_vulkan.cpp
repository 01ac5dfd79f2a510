// The Vulkan renderer where its headers were not found.
#include "failure.hpp"
#include "renderer.hpp"

namespace upsweep::apps {

std::unique_ptr<renderer> make_vulkan_renderer(device_session&, const renderer_options&) {
  fail(exit_code::usage, "this program was built without Vulkan (Debian: libvulkan-dev); expected --renderer software");
}

}  // namespace upsweep::apps
