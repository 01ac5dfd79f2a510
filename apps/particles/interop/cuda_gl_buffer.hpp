// A buffer of OpenGL in CUDA: to copy into a renderer, or to link. The context that has the buffer is current.
//
//   interop::gl_buffer particles;
//   cudaError_t e = particles.register_buffer(buffer);   // once
//   ...
//   particles.map(stream);                               // each frame: it is CUDA's, after all that OpenGL has begun,
//   cudaGraphLaunch(frame, stream);
//   particles.unmap(stream);                             // and OpenGL's again, after all that the stream has begun.
//
// Where the buffer lies is found out by the first map, and stays so: a captured graph may hold the address.
#pragma once

#include <GL/gl.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <cstddef>

namespace upsweep::interop {

class gl_buffer {
 public:
  gl_buffer() = default;
  ~gl_buffer() {
    if (resource_ != nullptr) static_cast<void>(cudaGraphicsUnregisterResource(resource_));
  }
  gl_buffer(const gl_buffer&) = delete;
  gl_buffer& operator=(const gl_buffer&) = delete;

  /// `buffer`: the name of a buffer that has its storage.
  cudaError_t register_buffer(GLuint buffer) {
    return cudaGraphicsGLRegisterBuffer(&resource_, buffer, cudaGraphicsRegisterFlagsNone);
  }
  /// cudaErrorInvalidDevicePointer where the driver has moved the buffer, which then is unmapped again.
  cudaError_t map(cudaStream_t stream) {
    cudaError_t e = cudaGraphicsMapResources(1, &resource_, stream);
    if (e != cudaSuccess) return e;
    void* at = nullptr;
    std::size_t bytes = 0;
    e = cudaGraphicsResourceGetMappedPointer(&at, &bytes, resource_);
    if (e == cudaSuccess && data_ != nullptr && at != data_) e = cudaErrorInvalidDevicePointer;
    if (e != cudaSuccess) {
      static_cast<void>(unmap(stream));
      return e;
    }
    data_ = at;
    return cudaSuccess;
  }
  cudaError_t unmap(cudaStream_t stream) { return cudaGraphicsUnmapResources(1, &resource_, stream); }
  void* data() const { return data_; }

 private:
  cudaGraphicsResource_t resource_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace upsweep::interop
