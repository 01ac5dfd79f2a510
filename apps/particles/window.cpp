#include "window.hpp"

#include <EGL/egl.h>
#define GLFW_INCLUDE_NONE
#include <GL/gl.h>
#include <GLFW/glfw3.h>

#include <utility>

#include "program.hpp"

namespace upsweep::apps {
namespace {

/// Makes a window's context current, and then again that of EGL which was, by which a renderer draws: a thread has one
/// context at a time, and the window's may be GLX's.
class current_context {
 public:
  explicit current_context(GLFWwindow* of) {
    if (context_ != EGL_NO_CONTEXT) eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    glfwMakeContextCurrent(of);
  }
  ~current_context() {
    glfwMakeContextCurrent(nullptr);
    if (context_ != EGL_NO_CONTEXT) eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_);
  }
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;

 private:
  EGLDisplay display_ = eglGetCurrentDisplay();
  EGLContext context_ = eglGetCurrentContext();
};

/// Ends a window, and GLFW.
struct closing {
  void operator()(GLFWwindow* of) const {
    glfwDestroyWindow(of);
    glfwTerminate();
  }
};
using glfw_handle = std::unique_ptr<GLFWwindow, closing>;

class glfw_window final : public window {
 public:
  explicit glfw_window(glfw_handle opened) : window_(std::move(opened)) {
    const current_context use(window_.get());
    glfwSwapInterval(1);
    const GLubyte* const name = glGetString(GL_RENDERER);
    say("window   {}", name == nullptr ? "unknown" : reinterpret_cast<const char*>(name));
  }
  void show(const picture& p) override {
    const current_context use(window_.get());
    int width = 0, height = 0;
    glfwGetFramebufferSize(window_.get(), &width, &height);
    glViewport(0, 0, width, height);
    glRasterPos2f(-1, 1);  // the picture's first row is its top
    glPixelZoom(static_cast<float>(width) / static_cast<float>(p.width()),
                -static_cast<float>(height) / static_cast<float>(p.height()));
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glDrawPixels(p.width(), p.height(), GL_RGB, GL_UNSIGNED_BYTE, p.bytes().data());
    glfwSwapBuffers(window_.get());
    glfwPollEvents();
  }
  bool is_closed() const override {
    return glfwWindowShouldClose(window_.get()) != 0 || glfwGetKey(window_.get(), GLFW_KEY_ESCAPE) == GLFW_PRESS;
  }

 private:
  glfw_handle window_;
};

}  // namespace

std::unique_ptr<window> open_window(int width, int height) {
  GLFWwindow* opened = nullptr;
  if (glfwInit()) {
    // The display's own way, which on X11 is GLX: a GPU's driver may have that alone there. Else EGL.
    for (const int by : {GLFW_NATIVE_CONTEXT_API, GLFW_EGL_CONTEXT_API}) {
      glfwWindowHint(GLFW_CONTEXT_CREATION_API, by);
      if (opened == nullptr) opened = glfwCreateWindow(width, height, "upsweep-particles", nullptr, nullptr);
    }
  }
  if (opened != nullptr) return std::make_unique<glfw_window>(glfw_handle(opened));
  const char* why = nullptr;
  glfwGetError(&why);
  say("note     no window: {}", why == nullptr ? "GLFW cannot open one" : why);
  glfwTerminate();
  return nullptr;
}

}  // namespace upsweep::apps
