// Windows where GLFW was not found.
#include "program.hpp"
#include "window.hpp"

namespace upsweep::apps {

std::unique_ptr<window> open_window(int, int) {
  say("note     no window: this program was built without GLFW (Debian: libglfw3-dev)");
  return nullptr;
}

}  // namespace upsweep::apps
