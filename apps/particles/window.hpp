// A window that shows pictures, whichever renderer has drawn them.
#pragma once

#include <memory>

#include "picture.hpp"

namespace upsweep::apps {

class window {
 public:
  virtual ~window() = default;
  /// Waits for the screen's next refresh.
  virtual void show(const picture& p) = 0;
  /// By Escape or as windows are closed.
  virtual bool is_closed() const = 0;
};

/// Null, and a note says why, where there is no display, or in a build without GLFW: then nothing is shown.
std::unique_ptr<window> open_window(int width, int height);

}  // namespace upsweep::apps
