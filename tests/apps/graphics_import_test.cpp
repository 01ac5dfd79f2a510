// CUDA refuses what Vulkan has exported: the linker takes these functions instead of those of CUDA (--wrap).
#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "failure.hpp"
#include "graphics_link.hpp"

namespace {

cudaError_t of_memory, of_mapping, of_semaphore;
int taken, freed;

/// As CUDA does with what it imports.
cudaError_t take(int fd, cudaError_t e) {
  if (e == cudaSuccess) {
    ++taken;
    ::close(fd);
  }
  return e;
}

}  // namespace

extern "C" {
cudaError_t __wrap_cudaImportExternalMemory(cudaExternalMemory_t* m, const cudaExternalMemoryHandleDesc* d) {
  static int memory;
  *m = of_memory == cudaSuccess ? reinterpret_cast<cudaExternalMemory_t>(&memory) : nullptr;
  return take(d->handle.fd, of_memory);
}
cudaError_t __wrap_cudaExternalMemoryGetMappedBuffer(void**, cudaExternalMemory_t,
                                                     const cudaExternalMemoryBufferDesc*) {
  return of_mapping;
}
cudaError_t __wrap_cudaDestroyExternalMemory(cudaExternalMemory_t) {
  ++freed;
  return cudaSuccess;
}
cudaError_t __wrap_cudaImportExternalSemaphore(cudaExternalSemaphore_t* s, const cudaExternalSemaphoreHandleDesc* d) {
  static int semaphore;
  *s = of_semaphore == cudaSuccess ? reinterpret_cast<cudaExternalSemaphore_t>(&semaphore) : nullptr;
  return take(d->handle.fd, of_semaphore);
}
cudaError_t __wrap_cudaDestroyExternalSemaphore(cudaExternalSemaphore_t) {
  ++freed;
  return cudaSuccess;
}
}

namespace upsweep::test {
namespace {

void expect_refused(const char* what) {
  const int memory = ::open("/dev/null", O_RDONLY), timeline = ::open("/dev/null", O_RDONLY);
  taken = freed = 0;
  apps::device_session session("sim");
  try {
    apps::import_from_vulkan(session, memory, 1 << 20, timeline);
    FAIL() << "nothing was refused";
  } catch (const apps::failure& why) {
    EXPECT_EQ(why.code(), apps::exit_code::device);
    const std::string words = why.what();
    EXPECT_NE(words.find(std::string("CUDA cannot import ") + what + " from Vulkan: cudaErrorInvalid"), words.npos)
        << words;
  }
  for (const int fd : {memory, timeline}) EXPECT_EQ(::fcntl(fd, F_GETFD), -1) << "a file descriptor is left open";
  EXPECT_EQ(freed, taken);
}

TEST(graphics_import, says_what_cuda_refuses_and_leaves_nothing_open) {
  of_memory = cudaErrorInvalidValue;
  expect_refused("the memory");
  of_memory = cudaSuccess;
  of_mapping = cudaErrorInvalidValue;
  expect_refused("the memory");
  of_mapping = cudaSuccess;
  of_semaphore = cudaErrorInvalidResourceHandle;
  expect_refused("the timeline semaphore");
}

}  // namespace
}  // namespace upsweep::test
