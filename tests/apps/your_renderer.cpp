// What docs/particles.md shows of apps/particles/interop, compiled beside copies of its two headers alone: they need
// the CUDA runtime, and no other file of this project.
#include "cuda_gl_buffer.hpp"
#include "cuda_import.hpp"

using namespace upsweep;

/// Particles in memory of Vulkan, which has exported it and a timeline semaphore as opaque file descriptors
/// (VK_KHR_external_memory_fd, VK_KHR_external_semaphore_fd). `of_vulkan`: VkPhysicalDeviceIDProperties::deviceUUID.
struct vulkan_particles {
  interop::imported_memory memory;
  interop::imported_timeline timeline;
  std::uint64_t turn = 0;

  cudaError_t import(const interop::device_uuid& of_vulkan, int memory_fd, std::size_t allocated, int timeline_fd) {
    const int device = interop::device_with(of_vulkan);
    const cudaError_t chosen = device < 0 ? cudaErrorInvalidDevice : cudaSetDevice(device);
    if (chosen != cudaSuccess) {
      ::close(memory_fd);  // taken in any case, as by both calls of import
      ::close(timeline_fd);
      return chosen;
    }
    const cudaError_t m = memory.import(memory_fd, allocated, /*dedicated=*/true), t = timeline.import(timeline_fd);
    return m != cudaSuccess ? m : t;
  }
  /// After it vkQueueSubmit draws: it waits for turn - 1, and signals turn.
  cudaError_t enqueue(cudaGraphExec_t frame, cudaStream_t stream) {
    cudaError_t e = timeline.wait(turn, stream);  // the last draw has read the particles
    if (e == cudaSuccess) e = cudaGraphLaunch(frame, stream);
    if (e == cudaSuccess) e = timeline.signal(turn + 1, stream);  // the draw may begin
    turn += 2;
    return e;
  }
};

/// The same in a buffer of OpenGL, which is CUDA's, at buffer.data(), between map and unmap.
cudaError_t enqueue(interop::gl_buffer& buffer, cudaGraphExec_t frame, cudaStream_t stream) {
  const cudaError_t mapped = buffer.map(stream);  // after all draws so far
  if (mapped != cudaSuccess) return mapped;
  const cudaError_t launched = cudaGraphLaunch(frame, stream), unmapped = buffer.unmap(stream);
  return launched != cudaSuccess ? launched : unmapped;
}
