// A context of OpenGL 4.5 without a window, by EGL.
#pragma once

#include <EGL/egl.h>

#include <optional>
#include <string>

#include "graphics_link.hpp"

namespace upsweep::apps {

class opengl_context {
 public:
  /// On that GPU; without one, what the system draws by. It is current from here on. Failures are exit_code::device and
  /// say what EGL lacks.
  explicit opengl_context(const std::optional<cuda_gpu>& wanted);
  ~opengl_context();
  opengl_context(const opengl_context&) = delete;
  opengl_context& operator=(const opengl_context&) = delete;

  const std::string& name() const { return name_; }
  /// Fails when OpenGL has noticed an error.
  void check(const char* what) const;
  /// Whether it answers no more, by a reset of the GPU or a draw that the driver has ended.
  bool is_lost() const;
  /// Gives the program up when it is lost.
  void check_not_lost() const;

 private:
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  std::string name_;
};

}  // namespace upsweep::apps
