// The OpenGL renderer where its headers were not found.
#include "failure.hpp"
#include "renderer.hpp"

namespace upsweep::apps {

std::unique_ptr<renderer> make_opengl_renderer(device_session&, const renderer_options&) {
  fail(exit_code::usage,
       "this program was built without OpenGL (Debian: libegl-dev, libopengl-dev); expected --renderer software");
}

}  // namespace upsweep::apps
