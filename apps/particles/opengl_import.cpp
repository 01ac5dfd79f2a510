#include "opengl_import.hpp"

#include <EGL/egl.h>
#include <GL/gl.h>
// After gl.h.
#include <GL/glext.h>
#include <unistd.h>

#include <cstring>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

/// The functions of the extensions; looked for once, as each frame calls some of them.
template <class F>
F function(const char* name) {
  return reinterpret_cast<F>(eglGetProcAddress(name));
}

struct functions {
  PFNGLCREATEMEMORYOBJECTSEXTPROC create_memory = function<PFNGLCREATEMEMORYOBJECTSEXTPROC>("glCreateMemoryObjectsEXT");
  PFNGLDELETEMEMORYOBJECTSEXTPROC delete_memory = function<PFNGLDELETEMEMORYOBJECTSEXTPROC>("glDeleteMemoryObjectsEXT");
  PFNGLMEMORYOBJECTPARAMETERIVEXTPROC set_memory =
      function<PFNGLMEMORYOBJECTPARAMETERIVEXTPROC>("glMemoryObjectParameterivEXT");
  PFNGLIMPORTMEMORYFDEXTPROC import_memory = function<PFNGLIMPORTMEMORYFDEXTPROC>("glImportMemoryFdEXT");
  PFNGLNAMEDBUFFERSTORAGEMEMEXTPROC give_memory =
      function<PFNGLNAMEDBUFFERSTORAGEMEMEXTPROC>("glNamedBufferStorageMemEXT");
  PFNGLGETUNSIGNEDBYTEI_VEXTPROC get_bytes = function<PFNGLGETUNSIGNEDBYTEI_VEXTPROC>("glGetUnsignedBytei_vEXT");
  PFNGLCREATESEMAPHORESNVPROC create_semaphores = function<PFNGLCREATESEMAPHORESNVPROC>("glCreateSemaphoresNV");
  PFNGLDELETESEMAPHORESEXTPROC delete_semaphores = function<PFNGLDELETESEMAPHORESEXTPROC>("glDeleteSemaphoresEXT");
  PFNGLSEMAPHOREPARAMETERIVNVPROC set_type = function<PFNGLSEMAPHOREPARAMETERIVNVPROC>("glSemaphoreParameterivNV");
  PFNGLSEMAPHOREPARAMETERUI64VEXTPROC set_value =
      function<PFNGLSEMAPHOREPARAMETERUI64VEXTPROC>("glSemaphoreParameterui64vEXT");
  PFNGLIMPORTSEMAPHOREFDEXTPROC import_semaphore = function<PFNGLIMPORTSEMAPHOREFDEXTPROC>("glImportSemaphoreFdEXT");
  PFNGLWAITSEMAPHOREEXTPROC wait = function<PFNGLWAITSEMAPHOREEXTPROC>("glWaitSemaphoreEXT");
  PFNGLSIGNALSEMAPHOREEXTPROC signal = function<PFNGLSIGNALSEMAPHOREEXTPROC>("glSignalSemaphoreEXT");
};

const functions& gl() {
  static const functions all;
  return all;
}

}  // namespace

bool opengl_import::is_possible() {
  const auto name = function<PFNGLGETSTRINGIPROC>("glGetStringi");
  GLint count = 0;
  glGetIntegerv(GL_NUM_EXTENSIONS, &count);
  int found = 0;
  for (GLint i = 0; i < count; ++i) {
    const auto* const n = reinterpret_cast<const char*>(name(GL_EXTENSIONS, static_cast<GLuint>(i)));
    for (const char* const wanted : {"GL_EXT_memory_object_fd", "GL_EXT_semaphore_fd", "GL_NV_timeline_semaphore"}) {
      found += std::strcmp(n, wanted) == 0;
    }
  }
  return found == 3;
}

bool opengl_import::draws_on(const gpu_uuid& wanted) {
  GLint count = 0;
  glGetIntegerv(GL_NUM_DEVICE_UUIDS_EXT, &count);
  for (GLint i = 0; i < count; ++i) {
    gpu_uuid uuid = {};
    gl().get_bytes(GL_DEVICE_UUID_EXT, static_cast<GLuint>(i), uuid.data());
    if (uuid == wanted) return true;
  }
  return false;
}

opengl_import::opengl_import(unsigned buffer, int memory_fd, std::size_t bytes, int timeline_fd) : buffer_(buffer) {
  gl().create_memory(1, &memory_);
  const GLint dedicated = GL_TRUE, type = GL_SEMAPHORE_TYPE_TIMELINE_NV;
  gl().set_memory(memory_, GL_DEDICATED_MEMORY_OBJECT_EXT, &dedicated);
  gl().import_memory(memory_, bytes, GL_HANDLE_TYPE_OPAQUE_FD_EXT, memory_fd);
  const bool has_memory = glGetError() == GL_NO_ERROR;
  if (!has_memory) ::close(memory_fd);
  gl().create_semaphores(1, &timeline_);
  gl().set_type(timeline_, GL_SEMAPHORE_TYPE_NV, &type);
  gl().import_semaphore(timeline_, GL_HANDLE_TYPE_OPAQUE_FD_EXT, timeline_fd);
  const bool has_timeline = glGetError() == GL_NO_ERROR;
  if (!has_timeline) ::close(timeline_fd);
  if (has_memory) gl().give_memory(buffer, static_cast<GLsizeiptr>(bytes), memory_, 0);
  if (!has_memory || !has_timeline || glGetError() != GL_NO_ERROR) {
    fail(exit_code::device, "OpenGL: the driver cannot import {} from Vulkan",
         has_memory ? has_timeline ? "a buffer" : "the timeline semaphore" : "the memory");
  }
}

opengl_import::~opengl_import() {
  gl().delete_semaphores(1, &timeline_);
  gl().delete_memory(1, &memory_);
}

void opengl_import::wait(std::uint64_t value) {
  gl().set_value(timeline_, GL_TIMELINE_SEMAPHORE_VALUE_NV, &value);
  gl().wait(timeline_, 1, &buffer_, 0, nullptr, nullptr);
}

void opengl_import::signal(std::uint64_t value) {
  gl().set_value(timeline_, GL_TIMELINE_SEMAPHORE_VALUE_NV, &value);
  gl().signal(timeline_, 1, &buffer_, 0, nullptr, nullptr);
}

}  // namespace upsweep::apps
