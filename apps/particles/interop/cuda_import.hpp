// Memory and timeline semaphores of Vulkan in CUDA: to copy into a renderer, or to link. It needs the CUDA runtime
// alone.
//
//   interop::imported_memory particles;
//   interop::imported_timeline timeline;
//   cudaError_t e = particles.import(memory_fd, bytes);            // the file descriptors of vkGetMemoryFdKHR
//   if (e == cudaSuccess) e = timeline.import(semaphore_fd);       // and of vkGetSemaphoreFdKHR
//   ...
//   timeline.wait(drawn, stream);                                  // each frame: until the last draw has read them,
//   cudaGraphLaunch(frame, stream);                                // the frame,
//   timeline.signal(ready, stream);                                // and the draw may begin.
//
// A file descriptor is taken in any case: by CUDA, or closed where CUDA refuses it.
#pragma once

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace upsweep::interop {

using device_uuid = std::array<unsigned char, 16>;

/// The UUID of a CUDA device, as VkPhysicalDeviceIDProperties::deviceUUID has it.
inline cudaError_t uuid_of(int device, device_uuid& uuid) {
  cudaDeviceProp properties;
  const cudaError_t e = cudaGetDeviceProperties(&properties, device);
  if (e == cudaSuccess) std::memcpy(uuid.data(), properties.uuid.bytes, uuid.size());
  return e;
}

/// The CUDA device of that UUID; -1 where there is none.
inline int device_with(const device_uuid& wanted) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return -1;
  for (int i = 0; i < count; ++i) {
    device_uuid uuid;
    if (uuid_of(i, uuid) == cudaSuccess && uuid == wanted) return i;
  }
  return -1;
}

/// Exported memory of another API, mapped as one array of the current device.
class imported_memory {
 public:
  imported_memory() = default;
  ~imported_memory() {
    if (data_ != nullptr) static_cast<void>(cudaFree(data_));
    if (memory_ != nullptr) static_cast<void>(cudaDestroyExternalMemory(memory_));
  }
  imported_memory(const imported_memory&) = delete;
  imported_memory& operator=(const imported_memory&) = delete;

  /// `fd`: an opaque file descriptor of `bytes` bytes, all of its allocation. `dedicated`: it was allocated for one
  /// buffer alone.
  cudaError_t import(int fd, std::size_t bytes, bool dedicated = false) {
    cudaExternalMemoryHandleDesc handle = {};
    handle.type = cudaExternalMemoryHandleTypeOpaqueFd;
    handle.handle.fd = fd;
    handle.size = bytes;
    handle.flags = dedicated ? cudaExternalMemoryDedicated : 0;
    const cudaError_t e = cudaImportExternalMemory(&memory_, &handle);
    if (e != cudaSuccess) {
      ::close(fd);
      return e;
    }
    cudaExternalMemoryBufferDesc buffer = {};
    buffer.size = bytes;
    return cudaExternalMemoryGetMappedBuffer(&data_, memory_, &buffer);
  }
  void* data() const { return data_; }

 private:
  cudaExternalMemory_t memory_ = nullptr;
  void* data_ = nullptr;
};

/// A timeline semaphore of Vulkan, for which a stream waits, and which it signals.
class imported_timeline {
 public:
  imported_timeline() = default;
  ~imported_timeline() {
    if (semaphore_ != nullptr) static_cast<void>(cudaDestroyExternalSemaphore(semaphore_));
  }
  imported_timeline(const imported_timeline&) = delete;
  imported_timeline& operator=(const imported_timeline&) = delete;

  cudaError_t import(int fd) {
    cudaExternalSemaphoreHandleDesc handle = {};
    handle.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    handle.handle.fd = fd;
    const cudaError_t e = cudaImportExternalSemaphore(&semaphore_, &handle);
    if (e != cudaSuccess) ::close(fd);
    return e;
  }
  cudaError_t wait(std::uint64_t value, cudaStream_t stream) {
    cudaExternalSemaphoreWaitParams p = {};
    p.params.fence.value = value;
    return cudaWaitExternalSemaphoresAsync(&semaphore_, &p, 1, stream);
  }
  cudaError_t signal(std::uint64_t value, cudaStream_t stream) {
    cudaExternalSemaphoreSignalParams p = {};
    p.params.fence.value = value;
    return cudaSignalExternalSemaphoresAsync(&semaphore_, &p, 1, stream);
  }

 private:
  cudaExternalSemaphore_t semaphore_ = nullptr;
};

}  // namespace upsweep::interop
