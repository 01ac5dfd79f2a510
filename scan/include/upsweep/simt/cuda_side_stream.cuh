// A stream of the current GPU beside the caller's. side_stream.hpp has that of the sim.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cuda_runtime_api.h>

#include <cstddef>

#include "upsweep/simt/cuda_executor.cuh"
#include "upsweep/simt/side_stream.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <>
struct side_stream<cuda_executor> {
  using event = cudaEvent_t;

  cuda_executor executor;
  cudaStream_t stream = nullptr;
  int device = 0;

  explicit side_stream(const cuda_executor& beside) : executor(beside) {}
  side_stream(const side_stream&) = delete;
  side_stream& operator=(const side_stream&) = delete;
  ~side_stream() {
    if (stream == nullptr) return;
    static_cast<void>(failed(cudaStreamSynchronize(stream)));
    static_cast<void>(failed(cudaStreamDestroy(stream)));
  }

  status open() {
    if (stream != nullptr) return status::success;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    executor = cuda_executor(stream);
    return failed(e);
  }
  void activate() const { static_cast<void>(failed(cudaSetDevice(device))); }
  status wait_for(const event& e) { return failed(cudaStreamWaitEvent(stream, e, 0)); }
  status wait_on_host(const event& e) { return failed(cudaEventSynchronize(e)); }

  /// The first and the last byte are asked: what is pinned is so as a whole.
  static bool is_pinned(const void* p, std::size_t bytes) {
    const auto* const first = static_cast<const unsigned char*>(p);
    return bytes == 0 || (is_pinned(first) && is_pinned(first + bytes - 1));
  }
  static status allocate_pinned(void** p, std::size_t bytes) { return failed(cudaMallocHost(p, bytes)); }
  static void free_pinned(void* p) { static_cast<void>(failed(cudaFreeHost(p))); }

 private:
  static bool is_pinned(const void* p) {
    cudaPointerAttributes found{};
    return failed(cudaPointerGetAttributes(&found, p)) == status::success && found.type != cudaMemoryTypeUnregistered;
  }
  static status failed(cudaError_t e) {
    if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
    return static_cast<status>(e);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
