#include <cuda_runtime_api.h>

#include "backends.hpp"
#include "device_of.hpp"
#include "upsweep/simt/cuda_executor.cuh"

namespace upsweep::runtime::inline UPSWEEP_ABI {
namespace {

struct cuda_backend {
  int index;
  cudaStream_t stream;
  std::string device_name, device_architecture;

  std::string name() const { return device_name; }
  std::string architecture() const { return device_architecture; }
  void* stream_handle() const { return stream; }
  void activate() const { static_cast<void>(cudaSetDevice(index)); }
  void close() const {
    activate();
    static_cast<void>(cudaStreamDestroy(stream));
  }
  std::size_t free_bytes() const {
    std::size_t free = 0, total = 0;
    return cudaMemGetInfo(&free, &total) == cudaSuccess ? free : 0;
  }
  std::string message(status s) const { return s == status::success ? "" : cuda_error_text(s); }
};

/// True, or the reason in `why`.
bool works(cudaError_t e, const std::string& what, std::string& why) {
  if (e == cudaSuccess) return true;
  why = what + ": " + cudaGetErrorString(e) + " (" + cudaGetErrorName(e) + ")";
  static_cast<void>(cudaGetLastError());
  return false;
}

}  // namespace

bool has_cuda() {
  return true;
}
int cuda_device_count() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess) return count;
  static_cast<void>(cudaGetLastError());
  return 0;
}

const char* cuda_error_name(status s) {
  return cudaGetErrorName(static_cast<cudaError_t>(s));
}
const char* cuda_error_text(status s) {
  return cudaGetErrorString(static_cast<cudaError_t>(s));
}

std::unique_ptr<device> open_cuda_device(int index, std::string& why) {
  int count = 0;
  if (!works(cudaGetDeviceCount(&count), "no GPU can be used", why)) return nullptr;
  if (index >= count) {
    why = "there are " + std::to_string(count) + " GPUs, numbered from 0";
    return nullptr;
  }
  cudaDeviceProp properties;
  cudaStream_t stream;
  if (!works(cudaGetDeviceProperties(&properties, index), "the GPU does not answer", why)) return nullptr;
  if (!works(cudaSetDevice(index), "the GPU cannot be used", why)) return nullptr;
  if (!works(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "no stream", why)) return nullptr;
  cuda_executor executor(stream);
  const auto launched = static_cast<cudaError_t>(executor.launch(1, gpu::empty_kernel{}));
  const std::string what = std::string(properties.name) + " cannot run the kernels of this build";
  if (!works(launched, what, why) || !works(cudaStreamSynchronize(stream), what, why)) {
    static_cast<void>(cudaStreamDestroy(stream));
    return nullptr;
  }
  const std::string architecture = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
  return std::make_unique<device_of<cuda_executor, cuda_backend>>(
      executor, cuda_backend{index, stream, properties.name, architecture});
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
