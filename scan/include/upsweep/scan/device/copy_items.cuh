// Items are copied one by one: as accumulators, for strategies that work in place, or from an iterator.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// to[i] = from[i] for the items that there are. A null `from` numbers them: to[i] = i.
template <int Threads>
struct copy_items_kernel {
  static constexpr int block_threads = Threads;
  struct temp_storage {};

  template <class Ctx, class In, class T, class Count>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, In from, T* to, Count count) const {
    const std::int64_t i = block.block_index() * Threads + block.thread_rank();
    if (i >= items_of(count)) return;
    if constexpr (std::is_integral_v<T> && std::is_pointer_v<In>) {
      if (from == nullptr) {
        to[i] = static_cast<T>(i);
        return;
      }
    }
    to[i] = static_cast<T>(from[i]);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
