// Device memory that processes of one host share, by CUDA's handles for that: what nccl_communicator::share brings.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// CUDA's error as a status. The thread's last error is cleared.
///   e  of a call of CUDA
inline status status_of(cudaError_t e) {
  if (e != cudaSuccess) static_cast<void>(cudaGetLastError());
  return static_cast<status>(e);
}

}  // namespace upsweep::inline UPSWEEP_ABI

namespace upsweep::detail::inline UPSWEEP_ABI {

/// A name for the host, the same in all of its processes.
inline std::uint64_t host_of_process() {
  char name[256] = {}, boot[64] = {};
  static_cast<void>(gethostname(name, sizeof name - 1));
  if (std::FILE* const file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
    static_cast<void>(!std::fgets(boot, sizeof boot, file));
    std::fclose(file);
  }
  return std::hash<std::string>{}(std::string(name) + boot);
}

/// A call of the driver's library, which is not linked; null where it has none of that name.
template <class Call>
Call driver_call(const char* name) {
  void* call = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  const cudaError_t e = cudaGetDriverEntryPointByVersion(name, &call, 12000, cudaEnableDefault, &found);
#else
  const cudaError_t e = cudaGetDriverEntryPoint(name, &call, cudaEnableDefault, &found);
#endif
  return e == cudaSuccess && found == cudaDriverEntryPointSuccess ? reinterpret_cast<Call>(call) : nullptr;
}

/// A number of the allocation that has this memory, which no other one of the process gets; 0 where there is none.
inline std::uint64_t allocation_of(const void* memory) {
  unsigned long long id = 0;
  const auto attribute_of = driver_call<decltype(&cuPointerGetAttribute)>("cuPointerGetAttribute");
  const auto at = reinterpret_cast<CUdeviceptr>(memory);
  const bool is_known =
      attribute_of != nullptr && attribute_of(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, at) == CUDA_SUCCESS;
  return is_known ? id : 0;
}

/// Device memory as another process of the host opens it.
struct memory_handle {
  status found;               ///< why there is none
  cudaIpcMemHandle_t handle;  ///< of the allocation that has it
  std::uintptr_t address;     ///< where its process has it
  std::size_t in_front;       ///< bytes of the allocation in front of it
  std::size_t bytes;          ///< of it; 0: nothing to be opened

  static memory_handle of(workspace memory) {
    memory_handle h{status::success, {}, reinterpret_cast<std::uintptr_t>(memory.data), 0, memory.bytes};
    if (memory.bytes == 0) return h;
    CUdeviceptr base = 0;
    const auto range_of = driver_call<decltype(&cuMemGetAddressRange)>("cuMemGetAddressRange");
    cudaError_t e = cudaErrorNotSupported;
    if (range_of != nullptr && range_of(&base, nullptr, h.address) == CUDA_SUCCESS) {
      h.in_front = h.address - base;
      e = cudaIpcGetMemHandle(&h.handle, memory.data);
    }
    h.found = status_of(e);
    return h;
  }
};

/// Memory that processes share, as this one reaches it.
class shared_memory {
 public:
  /// Opens what the other ranks have. Only if all of them could tell, and this one reaches them all, is it whole.
  shared_memory(workspace mine, int rank, std::vector<memory_handle> all)
      : mine_(mine), allocation_(allocation_of(mine.data)), all_(std::move(all)), opened_(all_.size()) {
    is_whole_ =
        std::all_of(all_.begin(), all_.end(), [](const memory_handle& h) { return h.found == status::success; });
    for (std::size_t r = 0; r < all_.size() && is_whole_; ++r) {
      if (r == static_cast<std::size_t>(rank) || all_[r].bytes == 0) continue;
      is_whole_ = status_of(cudaIpcOpenMemHandle(&opened_[r], all_[r].handle, cudaIpcMemLazyEnablePeerAccess)) ==
                  status::success;
      if (!is_whole_) opened_[r] = nullptr;
    }
  }
  shared_memory(shared_memory&&) noexcept = default;
  shared_memory& operator=(shared_memory&& other) noexcept {
    std::swap(mine_, other.mine_);
    std::swap(allocation_, other.allocation_);
    std::swap(all_, other.all_);
    std::swap(opened_, other.opened_);
    std::swap(is_whole_, other.is_whole_);
    return *this;
  }
  ~shared_memory() {
    for (void* const p : opened_) {
      if (p != nullptr) static_cast<void>(cudaIpcCloseMemHandle(p));
    }
  }

  bool is_whole() const { return is_whole_; }
  workspace mine() const { return mine_; }
  /// Not where it has been freed since, and another allocation is there: peers do not reach that one.
  bool is_as_shared() const { return allocation_of(mine_.data) == allocation_; }
  /// Where this process reaches what the rank has at that address; null if that is not in this memory.
  void* at_peer(int rank, const void* p) const {
    const auto r = static_cast<std::size_t>(rank);
    const std::size_t offset = reinterpret_cast<std::uintptr_t>(p) - all_[r].address;
    return opened_[r] != nullptr && offset < all_[r].bytes
               ? static_cast<std::byte*>(opened_[r]) + all_[r].in_front + offset
               : nullptr;
  }

 private:
  workspace mine_;
  std::uint64_t allocation_;
  std::vector<memory_handle> all_;
  std::vector<void*> opened_;
  bool is_whole_ = false;
};

}  // namespace upsweep::detail::inline UPSWEEP_ABI
