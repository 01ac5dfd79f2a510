// What stores through iterators: the numbers of selected items, and items of a compaction in place.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/call_checks.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI {

/// to[k] = the length of part k of those that the offsets bound, for k < parts.
struct store_lengths_kernel {
  static constexpr int block_threads = 32;
  struct temp_storage {};
  template <class Ctx, class To>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const std::int64_t* offsets, int parts, To to) const {
    const int k = block.thread_rank();
    if (k < parts) to[k] = static_cast<lengths_of<To>>(offsets[k + 1] - offsets[k]);
  }

 private:
  /// An output iterator may have no value_type.
  template <class To>
  using value = typename upsweep::detail::place_type<To>::type;
  template <class To>
  using lengths_of = std::conditional_t<std::is_void_v<value<To>>, std::int64_t, value<To>>;
};

/// to[i] = items[i] for i < *count.
struct store_items_kernel {
  static constexpr int block_threads = 256;
  static constexpr int tile_items = block_threads * 8;
  struct temp_storage {};
  template <class Ctx, class Item, class To>
  UPSWEEP_DEVICE void operator()(Ctx& block, temp_storage&, const Item* items, const std::int64_t* count, To to) const {
    const std::int64_t all = *count, first = block.block_index() * tile_items;
    const std::int64_t end = all < first + tile_items ? all : first + tile_items;
    for (std::int64_t i = first + block.thread_rank(); i < end; i += block_threads) to[i] = items[i];
  }
};

}  // namespace upsweep::drop_in::detail::inline UPSWEEP_CUDA_ABI
