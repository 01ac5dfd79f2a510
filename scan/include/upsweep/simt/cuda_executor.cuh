// Runs kernels on a stream of the current CUDA device. sim_executor.hpp mirrors it on the CPU.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>

#include "upsweep/simt/cuda_block.cuh"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep {

namespace cuda {

/// Static shared memory ends here; a larger temp_storage lies in dynamic shared memory.
inline constexpr std::size_t max_static_shared = 48 * 1024;

/// The most that a block may have on any GPU so far (Hopper); older ones refuse the launch of less.
inline constexpr std::size_t max_dynamic_shared = 227 * 1024;

template <class Kernel>
inline constexpr bool storage_is_static = sizeof(typename Kernel::temp_storage) <= max_static_shared;

template <class Kernel>
inline constexpr std::size_t storage_in_dynamic = storage_is_static<Kernel>
                                                      ? 0
                                                      : (sizeof(typename Kernel::temp_storage) + 1023) / 1024 * 1024;

/// The one __global__ function: any kernel functor, any arguments.
template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::block_threads) kernel_entry(Kernel kernel, Args... args) {
  using storage = typename Kernel::temp_storage;
  if constexpr (storage_is_static<Kernel>) {
    __shared__ alignas(storage) unsigned char bytes[sizeof(storage)];
    cuda_block<Kernel::block_threads> block;
    kernel(block, *reinterpret_cast<storage*>(bytes), args...);
  } else {
    storage* const s = static_cast<storage*>(cuda_block<Kernel::block_threads>().dynamic_shared());
    cuda_block<Kernel::block_threads> block(static_cast<std::uint32_t>(storage_in_dynamic<Kernel>));
    kernel(block, *s, args...);
  }
}

/// Shows whether a kernel can run, and for what GPU kernels are compiled.
struct empty_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx&, temp_storage&) const {}
};

inline status as_status(cudaError_t e) {
  return static_cast<status>(e);
}

}  // namespace cuda

class cuda_executor {
 public:
  using error_type = cudaError_t;
  using event = cudaEvent_t;
  static constexpr bool is_sim = false;

  explicit cuda_executor(cudaStream_t stream = nullptr) : stream_(stream) {}

  /// Launches `kernel` on the stream. invalid_value for an impossible grid, else what CUDA says of the launch.
  template <class Kernel, class... Args>
  status launch(grid g, const Kernel& kernel, Args... args) {
    static_assert(sizeof(typename Kernel::temp_storage) <= cuda::max_dynamic_shared,
                  "temp_storage is larger than any GPU's shared memory: take a smaller tile");
    if (!is_possible(g)) return status::invalid_value;
    if (g.cluster_blocks > 1 && !has_clusters()) return status::not_supported;
    if (g.blocks == 0) return status::success;
    void (*const entry)(Kernel, Args...) = cuda::kernel_entry<Kernel, Args...>;
    const std::size_t dynamic = cuda::storage_in_dynamic<Kernel> + g.dynamic_bytes;
    if (dynamic > 0 && sizeof(typename Kernel::temp_storage) + g.dynamic_bytes > cuda::max_static_shared) {
      const cudaError_t e =
          cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic));
      if (e != cudaSuccess) return failed(e);
    }
    // Unlike <<<>>>, this answers for this launch alone, whatever error the host thread carries with it.
    void* pointers[] = {const_cast<Kernel*>(&kernel), static_cast<void*>(&args)...};
    const auto* const function = reinterpret_cast<const void*>(entry);
    const dim3 blocks(static_cast<unsigned>(g.blocks)), threads(Kernel::block_threads);
    if (g.cluster_blocks == 1) return failed(cudaLaunchKernel(function, blocks, threads, pointers, dynamic, stream_));
    if (g.cluster_blocks > portable_cluster_blocks) {
      const cudaError_t e = cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (e != cudaSuccess) return failed(e);
    }
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(g.cluster_blocks), 1, 1};
    const cudaLaunchConfig_t config{blocks, threads, dynamic, stream_, &cluster, 1};
    return failed(cudaLaunchKernelExC(&config, function, pointers));
  }

  /// Whether kernels of this program can be launched in clusters on the current device, which is asked once: it is of
  /// sm_90 or later, and so is the code that it runs.
  static bool has_clusters() {
    constexpr int devices = 64;
    enum : signed char { unknown, yes, no };
    static std::atomic<signed char> known[devices];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= devices) return false;
    signed char answer = known[device].load(std::memory_order_relaxed);
    if (answer == unknown) {
      cudaFuncAttributes code;
      if (failed(cudaFuncGetAttributes(&code, cuda::kernel_entry<cuda::empty_kernel>)) != status::success) return false;
      answer = code.ptxVersion >= 90 ? yes : no;
      known[device].store(answer, std::memory_order_relaxed);
    }
    return answer == yes;
  }

  /// False where a kernel that `needs_sm` was compiled for less than that, or the GPU has too little shared memory for
  /// it. For a launch with arguments of these types.
  template <class Kernel, class... Args>
  bool can_run() const {
    cudaFuncAttributes entry{};
    int device = 0, shared = 0;
    if (failed(cudaFuncGetAttributes(&entry, cuda::kernel_entry<Kernel, Args...>)) != status::success ||
        failed(cudaGetDevice(&device)) != status::success ||
        failed(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) != status::success) {
      return false;
    }
    return entry.ptxVersion >= Kernel::needs_sm &&
           sizeof(typename Kernel::temp_storage) <= static_cast<std::size_t>(shared);
  }

  /// Of the current device; 1 when it does not say.
  std::int64_t multiprocessors() const {
    int device = 0, count = 0;
    if (failed(cudaGetDevice(&device)) != status::success ||
        failed(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) != status::success) {
      return 1;
    }
    return count;
  }

  status allocate(void** p, std::size_t bytes) {
    *p = nullptr;
    return bytes == 0 ? status::success : failed(cudaMalloc(p, bytes));
  }
  status deallocate(void* p) { return failed(cudaFree(p)); }
  status copy(void* to, const void* from, std::size_t bytes) {
    return bytes == 0 ? status::success : failed(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  }
  status fill(void* p, unsigned char value, std::size_t bytes) {
    return bytes == 0 ? status::success : failed(cudaMemsetAsync(p, value, bytes, stream_));
  }
  status synchronize() { return failed(cudaStreamSynchronize(stream_)); }

  status make_event(event& e) { return failed(cudaEventCreate(&e)); }
  status destroy_event(event& e) { return failed(cudaEventDestroy(e)); }
  status record(event& e) { return failed(cudaEventRecord(e, stream_)); }
  status elapsed_ms(const event& from, const event& to, float& ms) {
    const cudaError_t e = cudaEventSynchronize(to);
    return failed(e != cudaSuccess ? e : cudaEventElapsedTime(&ms, from, to));
  }

 private:
  /// The error as a status. CUDA's memory of it is cleared, so that the next call starts clean.
  static status failed(cudaError_t e) {
    if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
    return cuda::as_status(e);
  }

  cudaStream_t stream_;
};

}  // namespace upsweep
