// Items as accumulators, for strategies that work in place.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// to[i] = from[i].
template <int Threads>
struct copy_items_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx, class In, class T>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, In from, T* to, std::int64_t n) const {
    const std::int64_t i = block.block_index() * Threads + block.thread_rank();
    if (i < n) to[i] = static_cast<T>(from[i]);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
