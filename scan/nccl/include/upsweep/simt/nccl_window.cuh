// Memory that processes of one host share by a window of NCCL: nccl_communicator::share. For nvcc, since the addresses
// are found by a kernel.
//
//   upsweep::nccl_communicator comm;               // joined by processes
//   void* memory = nullptr;
//   upsweep::status s = comm.share(&memory, bytes);
//   if (s == upsweep::status::not_supported) ...   // cudaMalloc: keys are sent and received
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cuda_runtime_api.h>
#include <nccl.h>
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
#include <nccl_device.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/simt/nccl_communicator.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
/// address[r] = where this process finds the window's memory of rank r.
template <class Window>
__global__ void find_window_addresses(Window window, int ranks, void** address) {
  for (int r = 0; r < ranks; ++r) address[r] = ncclGetLsaPointer(window, 0, r);
}
#endif

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_ABI {

inline status nccl_communicator::share(void** memory, std::size_t bytes) {
  *memory = nullptr;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  if (failure() != status::success) return stop();
  if (group_ != nullptr) return status::not_supported;  // threads reach what cudaMalloc gives
  unshare();
  // What each rank says of a step, before the next one: nobody goes on alone.
  struct word {
    std::uint64_t number;
    status found;
  };
  std::vector<word> all;
  const auto all_agree = [&](std::uint64_t number, status found) {
    status s = meet(word{number, found}, all);
    for (const word& w : all) s = s == status::success ? w.found : s;
    return s;
  };
  status s = all_agree(bytes, status::success);
  if (s != status::success) return s;
  std::uint64_t most = 1;
  for (const word& w : all) most = (std::max)(most, w.number);
  shared_bytes_ = static_cast<std::size_t>((most + NCCL_WIN_REQUIRED_ALIGNMENT - 1) / NCCL_WIN_REQUIRED_ALIGNMENT *
                                           NCCL_WIN_REQUIRED_ALIGNMENT);
  const ncclResult_t allocated = ncclMemAlloc(&shared_, shared_bytes_);
  if (allocated != ncclSuccess) static_cast<void>(cudaGetLastError());
  s = all_agree(0, allocated == ncclSuccess ? status::success : status::memory_allocation);
  if (s != status::success) {
    unshare();
    return s;
  }
  ncclWindow_t window = nullptr;
  s = finished(ncclCommWindowRegister(nccl_, shared_, shared_bytes_, &window, NCCL_WIN_COLL_SYMMETRIC), nccl_);
  if (s != status::success) return checked(s);
  window_ = window;
  const bool is_window = window != nullptr && ncclTeamLsa(nccl_).nRanks == ranks_ && options_.reaches_peers;
  s = all_agree(reinterpret_cast<std::uintptr_t>(shared_), is_window ? status::success : status::not_supported);
  if (s != status::success) {
    unshare();
    return s;
  }
  auto** const found = static_cast<void**>(record_);
  std::vector<void*> here(static_cast<std::size_t>(ranks_));
  detail::find_window_addresses<<<1, 1, 0, stream_>>>(window, ranks_, found);
  s = status_of(cudaGetLastError());
  if (s == status::success) s = wait(stream_, rank_group::patience);
  if (s == status::success)
    s = status_of(cudaMemcpy(here.data(), found, here.size() * sizeof(void*), cudaMemcpyDefault));
  if (s != status::success) return checked(s);
  for (int r = 0; r < ranks_; ++r) {
    const auto at = static_cast<std::size_t>(r);
    shared_by_.push_back({static_cast<std::uintptr_t>(all[at].number), reinterpret_cast<std::uintptr_t>(here[at])});
  }
  reaches_peers_ = true;
  *memory = shared_;
  return status::success;
#else
  static_cast<void>(bytes);
  return failure() != status::success ? stop() : status::not_supported;
#endif
}

}  // namespace upsweep::inline UPSWEEP_ABI
