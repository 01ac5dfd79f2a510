// Windows where GLFW or OpenGL was not found.
#include "program.hpp"
#include "window.hpp"

namespace upsweep::apps {

std::unique_ptr<window> open_window(int, int) {
  say("note     no window: this program was built without GLFW and OpenGL (Debian: libglfw3-dev, libegl-dev, "
      "libopengl-dev)");
  return nullptr;
}

}  // namespace upsweep::apps
