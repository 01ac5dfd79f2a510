#include "opengl_context.hpp"

#define GL_GLEXT_PROTOTYPES
#include <EGL/eglext.h>
#include <GL/glcorearb.h>

#include <cstring>
#include <vector>

#include "failure.hpp"
#include "program.hpp"

namespace upsweep::apps {
namespace {

template <class F>
F function(const char* name) {
  const auto f = reinterpret_cast<F>(eglGetProcAddress(name));
  if (f == nullptr) fail(exit_code::device, "EGL: it lacks {}", name);
  return f;
}

/// By its UUID, as Vulkan's device is found; by CUDA's number where EGL does not tell that, or fails to.
bool is_gpu(EGLDeviceEXT d, const cuda_gpu& wanted) {
  const char* const extensions = function<PFNEGLQUERYDEVICESTRINGEXTPROC>("eglQueryDeviceStringEXT")(d, EGL_EXTENSIONS);
  if (extensions != nullptr && std::strstr(extensions, "EGL_EXT_device_persistent_id") != nullptr) {
    gpu_uuid uuid = {};
    EGLint bytes = 0;
    const auto read = function<PFNEGLQUERYDEVICEBINARYEXTPROC>("eglQueryDeviceBinaryEXT");
    const auto size = static_cast<EGLint>(uuid.size());
    if (read(d, EGL_DEVICE_UUID_EXT, size, uuid.data(), &bytes) && bytes == size) return uuid == wanted.uuid;
  }
  EGLAttrib number = -1;
  const auto attribute = function<PFNEGLQUERYDEVICEATTRIBEXTPROC>("eglQueryDeviceAttribEXT");
  return attribute(d, EGL_CUDA_DEVICE_NV, &number) && number == wanted.number;
}

/// The display of a device, which needs no window system.
EGLDisplay display_of(const std::optional<cuda_gpu>& wanted) {
  const auto display = function<PFNEGLGETPLATFORMDISPLAYEXTPROC>("eglGetPlatformDisplayEXT");
  if (!wanted) return display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  const auto devices = function<PFNEGLQUERYDEVICESEXTPROC>("eglQueryDevicesEXT");
  EGLint count = 0;
  devices(0, nullptr, &count);
  std::vector<EGLDeviceEXT> all(static_cast<std::size_t>(count));
  devices(count, all.data(), &count);
  for (const EGLDeviceEXT d : all) {
    if (is_gpu(d, *wanted)) return display(EGL_PLATFORM_DEVICE_EXT, d, nullptr);
  }
  fail(exit_code::device, "EGL: none of its {} devices is CUDA device {}", count, wanted->number);
}

}  // namespace

opengl_context::opengl_context(const std::optional<cuda_gpu>& wanted) : display_(display_of(wanted)) {
  if (display_ == EGL_NO_DISPLAY || !eglInitialize(display_, nullptr, nullptr)) {
    fail(exit_code::device, "EGL: no display without a window (error {:#x}): no driver is installed", eglGetError());
  }
  eglBindAPI(EGL_OPENGL_API);
  const EGLint asked[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  eglChooseConfig(display_, asked, &config, 1, &count);
  std::vector<EGLint> version = {EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY,
                                 EGL_LOSE_CONTEXT_ON_RESET,
                                 EGL_CONTEXT_MAJOR_VERSION,
                                 4,
                                 EGL_CONTEXT_MINOR_VERSION,
                                 5,
                                 EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                 EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                 EGL_NONE};
  const EGLConfig used = count > 0 ? config : EGL_NO_CONFIG_KHR;
  context_ = eglCreateContext(display_, used, EGL_NO_CONTEXT, version.data());
  if (context_ == EGL_NO_CONTEXT) {
    version.erase(version.begin(), version.begin() + 2);  // a driver that tells of no reset
    context_ = eglCreateContext(display_, used, EGL_NO_CONTEXT, version.data());
  }
  if (context_ == EGL_NO_CONTEXT || !eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
    const EGLint error = eglGetError();
    eglTerminate(display_);
    fail(exit_code::device, "EGL: the driver has no OpenGL 4.5 without a surface (error {:#x})", error);
  }
  const GLubyte* const name = glGetString(GL_RENDERER);
  name_ = name == nullptr ? "unknown" : reinterpret_cast<const char*>(name);
}

opengl_context::~opengl_context() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

void opengl_context::check(const char* what) const {
  const GLenum e = glGetError();
  if (e != GL_NO_ERROR) fail(exit_code::device, "OpenGL: {}: {} failed (error {:#x})", name_, what, e);
}

bool opengl_context::is_lost() const {
  return glGetGraphicsResetStatus() != GL_NO_ERROR;
}

void opengl_context::check_not_lost() const {
  const GLenum reset = glGetGraphicsResetStatus();
  if (reset == GL_NO_ERROR) return;
  const char* const by = reset == GL_GUILTY_CONTEXT_RESET     ? "a draw of this program"
                         : reset == GL_INNOCENT_CONTEXT_RESET ? "another program"
                                                              : "a reset of the GPU";
  give_up(fmt::format("OpenGL: {}: the context is lost, by {} (status {:#x})", name_, by, reset));
}

}  // namespace upsweep::apps
