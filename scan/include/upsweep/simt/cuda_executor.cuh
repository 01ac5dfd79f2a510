// Runs kernels on a stream of the current CUDA device. sim_executor.hpp mirrors it on the CPU.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cuda_runtime_api.h>

#include <cstddef>

#include "upsweep/simt/cuda_block.cuh"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI {

/// The most bytes of static shared memory; a larger temp_storage lies in dynamic shared memory.
inline constexpr std::size_t max_static_shared = 48 * 1024;

/// The most bytes of shared memory that a block may have on any GPU (Hopper); other GPUs allow fewer.
inline constexpr std::size_t max_dynamic_shared = 227 * 1024;

/// Whether a kernel's temp_storage lies in static shared memory.
template <class Kernel>
inline constexpr bool storage_is_static = sizeof(typename Kernel::temp_storage) <= max_static_shared;

/// How many bytes of dynamic shared memory a kernel's temp_storage takes.
template <class Kernel>
inline constexpr std::size_t storage_in_dynamic = storage_is_static<Kernel>
                                                      ? 0
                                                      : (sizeof(typename Kernel::temp_storage) + 1023) / 1024 * 1024;

/// The next kernel of the stream may begin, if it was launched to overlap this one.
__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// The threads that a multiprocessor of the architecture holds. ptxas warns of kernels that ask for more.
#if __CUDA_ARCH__ == 750
inline constexpr int threads_at_once = 1024;
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 880 || __CUDA_ARCH__ == 890 || \
    __CUDA_ARCH__ >= 1100
inline constexpr int threads_at_once = 1536;
#else
inline constexpr int threads_at_once = 2048;
#endif

/// How many blocks of the kernel a multiprocessor should hold at once; the compiler uses so few registers. 0: the
/// compiler decides.
template <class Kernel>
constexpr int blocks_at_once() {
  if constexpr (requires { Kernel::blocks_per_multiprocessor; }) {
    constexpr int wanted = Kernel::blocks_per_multiprocessor, most = threads_at_once / Kernel::block_threads;
    return wanted < most ? wanted : most;
  }
  return 0;
}

/// The one __global__ function: it runs any kernel functor with any arguments. It waits for the previous kernel of the
/// stream, unless the functor says `begins_early`. Such a functor calls wait_for_previous itself, in at least one
/// thread, before it touches what the previous kernel writes; without that it could end before the previous kernel, and
/// the next call would find a workspace that is still written. A functor that says `lets_next_begin` allows the next
/// kernel's blocks to run beside its own: see grid::overlaps_next.
template <class Kernel, class... Args>
__global__ void __launch_bounds__(Kernel::block_threads, blocks_at_once<Kernel>())
    kernel_entry(Kernel kernel, Args... args) {
  using storage = typename Kernel::temp_storage;
  if constexpr (requires { Kernel::lets_next_begin; }) let_next_begin();
  if constexpr (!requires { Kernel::begins_early; }) wait_for_previous();
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

/// Sets `bytes` bytes from p on to zero; p is a multiple of 16.
struct clear_kernel {
  static constexpr int block_threads = 256;  ///< of a block
  /// None.
  struct temp_storage {};
  /// Each thread clears 16 bytes; some clear one more.
  template <class Ctx>
  __device__ void operator()(Ctx& block, temp_storage&, unsigned char* p, std::int64_t bytes) const {
    let_next_begin();
    constexpr std::int64_t wide = sizeof(uint4);
    const std::int64_t mine = block.block_index() * block_threads + block.thread_rank();
    if (mine < bytes / wide) reinterpret_cast<uint4*>(p)[mine] = uint4{};
    if (mine < bytes % wide) p[bytes / wide * wide + mine] = 0;
  }
};

/// A kernel that does nothing; it tells for which GPUs kernels were compiled.
struct empty_kernel {
  static constexpr int block_threads = 32;  ///< of a block
  /// None.
  struct temp_storage {};
  /// Does nothing.
  template <class Ctx>
  UPSWEEP_DEVICE void operator()(Ctx&, temp_storage&) const {}
};

/// CUDA's error as a status.
inline status as_status(cudaError_t e) {
  return static_cast<status>(e);
}

}  // namespace upsweep::gpu::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Launches kernels on a CUDA stream: functors with `block_threads`, a type `temp_storage` of shared memory, and a call
/// operator that takes a cuda_block, that storage and the arguments. Its methods return the first error, and clear it
/// from CUDA's state of the thread.
///     upsweep::status s = upsweep::cuda_executor(stream).launch(blocks, kernel{}, in, out, n);
class cuda_executor {
 public:
  using error_type = cudaError_t;        ///< what public calls on such a stream return
  using event = cudaEvent_t;             ///< a point in the stream's work
  static constexpr bool is_sim = false;  ///< whether kernels run on the CPU

  /// Work is enqueued on this stream, the caller's; null is the default stream.
  explicit cuda_executor(cudaStream_t stream = nullptr) : stream_(stream) {}

  /// Launches a kernel on the stream.
  ///   g       how many blocks; is_possible(g)
  ///   kernel  the functor, copied to the GPU
  ///   args    its arguments, copied too
  /// Errors: invalid_value for an impossible grid, not_supported for a cluster of more blocks than the device takes
  /// (most_cluster_blocks); otherwise CUDA's error of the launch. Cost: one launch, none for a grid without blocks.
  template <class Kernel, class... Args>
  status launch(grid g, const Kernel& kernel, Args... args) {
    static_assert(sizeof(typename Kernel::temp_storage) <= gpu::max_dynamic_shared,
                  "temp_storage is larger than any GPU's shared memory: take a smaller tile");
    if (!is_possible(g)) return status::invalid_value;
    if (g.cluster_blocks > 1 && g.cluster_blocks > most_cluster_blocks<Kernel, Args...>()) return status::not_supported;
    if (g.blocks == 0) return status::success;
    void (*const entry)(Kernel, Args...) = gpu::kernel_entry<Kernel, Args...>;
    const std::size_t dynamic = gpu::storage_in_dynamic<Kernel> + g.dynamic_bytes;
    if (dynamic > 0 && sizeof(typename Kernel::temp_storage) + g.dynamic_bytes > gpu::max_static_shared) {
      const cudaError_t e =
          cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic));
      if (e != cudaSuccess) return failed(e);
    }
    // Unlike <<<>>>, this answers for this launch alone, whatever error the host thread carries with it.
    void* pointers[] = {const_cast<Kernel*>(&kernel), static_cast<void*>(__builtin_addressof(args))...};
    const auto* const function = reinterpret_cast<const void*>(entry);
    const dim3 blocks(static_cast<unsigned>(g.blocks)), threads(Kernel::block_threads);
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t config{blocks, threads, dynamic, stream_, attributes, 0};
    if (g.cluster_blocks > 1) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {static_cast<unsigned>(g.cluster_blocks), 1, 1};
    }
    if (g.cluster_blocks > portable_cluster_blocks) {
      const cudaError_t e = cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
      if (e != cudaSuccess) return failed(e);
    }
    if (next_overlaps_ && compiled_for<&gpu::kernel_entry<Kernel, Args...>>() >= 90) {
      cudaLaunchAttribute& overlap = attributes[config.numAttrs++];
      overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      overlap.val.programmaticStreamSerializationAllowed = 1;
    }
    const status launched = failed(cudaLaunchKernelExC(&config, function, pointers));
    next_overlaps_ = launched == status::success && g.overlaps_next;
    return launched;
  }

  /// Sets `bytes` bytes from p on to zero, for the next kernel: that kernel is launched while this happens, and its
  /// threads wait before they begin. `p` is a multiple of 16.
  status clear(void* p, std::size_t bytes) {
    const auto count = static_cast<std::int64_t>(bytes);
    using kernel = gpu::clear_kernel;
    const std::int64_t blocks = ceil_div(count, std::int64_t{sizeof(uint4)} * kernel::block_threads);
    const status cleared = launch(blocks, kernel{}, static_cast<unsigned char*>(p), count);
    next_overlaps_ = cleared == status::success;
    return cleared;
  }

  /// The architecture that a kernel was compiled for, such as 90 for sm_90; 0 if the current device cannot run it. CUDA
  /// is asked once for each kernel and device.
  template <auto* Entry>
  static int compiled_for() {
    return asked_once_a_device([] {
      cudaFuncAttributes code;
      return failed(cudaFuncGetAttributes(&code, Entry)) == status::success ? code.ptxVersion : 0;
    });
  }

  /// Whether kernels can be launched in clusters.
  static bool has_clusters() { return compiled_for<&gpu::kernel_entry<gpu::empty_kernel>>() >= 90; }

  /// The most blocks that a cluster of this kernel, launched with arguments of these types, may have on the current
  /// device, or on the part of it that the process may use; 1 without clusters. CUDA is asked once for each kernel and
  /// device, without work on a stream. If it does not answer, max_cluster_blocks: then the launch reports the error.
  template <class Kernel, class... Args>
  static int most_cluster_blocks() {
    const int most = asked_once_a_device([] {
      int blocks = 1;
      if (!has_clusters()) return blocks;
      return failed(ask_most_cluster_blocks<Kernel, Args...>(blocks)) == status::success ? blocks : max_cluster_blocks;
    });
    return most > 1 ? most : 1;
  }

  /// Whether the current device can run the kernel: its `needs_sm`, if it has one, is at most what it was compiled for,
  /// and its temp_storage fits into shared memory. `Args`, the types of its arguments, matter only with `needs_sm`.
  template <class Kernel, class... Args>
  static bool can_run() {
    if constexpr (requires { Kernel::needs_sm; }) {
      if (compiled_for<&gpu::kernel_entry<Kernel, Args...>>() < Kernel::needs_sm) return false;
    }
    int device = 0, shared = 0;
    return failed(cudaGetDevice(&device)) == status::success &&
           failed(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) ==
               status::success &&
           sizeof(typename Kernel::temp_storage) <= static_cast<std::size_t>(shared);
  }

  /// How many multiprocessors the current device has; 1 if it does not say.
  std::int64_t multiprocessors() const {
    int device = 0, count = 0;
    if (failed(cudaGetDevice(&device)) != status::success ||
        failed(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) != status::success) {
      return 1;
    }
    return count;
  }

  /// Sets *p to new device memory of `bytes` bytes, to be given back by deallocate; null for 0 bytes. Waits as
  /// cudaMalloc does.
  status allocate(void** p, std::size_t bytes) {
    *p = nullptr;
    return bytes == 0 ? status::success : failed(cudaMalloc(p, bytes));
  }
  /// Frees what allocate returned; null is allowed. Waits as cudaFree does.
  status deallocate(void* p) { return failed(cudaFree(p)); }
  /// Copies `bytes` bytes between host and device memory, in any direction, in the order of the stream.
  status copy(void* to, const void* from, std::size_t bytes) {
    next_overlaps_ = false;
    return bytes == 0 ? status::success : failed(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_));
  }
  /// Sets `bytes` bytes from p on to `value`, in the order of the stream.
  status fill(void* p, unsigned char value, std::size_t bytes) {
    next_overlaps_ = false;
    return bytes == 0 ? status::success : failed(cudaMemsetAsync(p, value, bytes, stream_));
  }
  /// Waits until the stream's work is done.
  status synchronize() { return failed(cudaStreamSynchronize(stream_)); }

  /// Makes an event for timing, to be given back by destroy_event.
  status make_event(event& e) { return failed(cudaEventCreate(&e)); }
  /// Frees an event.
  status destroy_event(event& e) { return failed(cudaEventDestroy(e)); }
  /// Puts the event after the work that is enqueued so far.
  status record(event& e) { return failed(cudaEventRecord(e, stream_)); }
  /// Sets ms to the milliseconds from one event to the other; waits for the later one, `to`.
  status elapsed_ms(const event& from, const event& to, float& ms) {
    const cudaError_t e = cudaEventSynchronize(to);
    return failed(e != cudaSuccess ? e : cudaEventElapsedTime(&ms, from, to));
  }

 private:
  /// What `ask` answers for the current device. For each type of ask, it is asked once a device; again after a 0.
  /// By the compiler's atomics: those of the standard library bring strings and errors to each call.
  template <class Ask>
  static int asked_once_a_device(Ask ask) {
    constexpr int devices = 64;
    static int known[devices];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= devices) return 0;
    int answer = __atomic_load_n(&known[device], __ATOMIC_RELAXED);
    if (answer == 0) {
      answer = ask();
      __atomic_store_n(&known[device], answer, __ATOMIC_RELAXED);
    }
    return answer;
  }

  template <class Kernel, class... Args>
  static cudaError_t ask_most_cluster_blocks(int& blocks) {
    void (*const entry)(Kernel, Args...) = gpu::kernel_entry<Kernel, Args...>;
    constexpr std::size_t dynamic = gpu::storage_in_dynamic<Kernel>;
    cudaError_t e = cudaFuncSetAttribute(entry, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (e == cudaSuccess && dynamic > 0) {
      e = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic));
    }
    if (e != cudaSuccess) return e;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(max_cluster_blocks);
    config.blockDim = dim3(Kernel::block_threads);
    config.dynamicSmemBytes = dynamic;
    return cudaOccupancyMaxPotentialClusterSize(&blocks, reinterpret_cast<const void*>(entry), &config);
  }

  /// The error as a status. CUDA's memory of it is cleared, so that the next call starts clean.
  static status failed(cudaError_t e) {
    if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
    return gpu::as_status(e);
  }

  cudaStream_t stream_;
  bool next_overlaps_ = false;  // the next launch may begin while the one before runs
};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
