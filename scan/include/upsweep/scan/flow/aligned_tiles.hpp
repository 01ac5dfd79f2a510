// Tiles of an array whose first bytes lie where bulk copies and vectors ask for them.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/grid.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Tiles of `tile_items` items, of which all but tile 0 begin at a multiple of `alignment` bytes. Tile 0 has fewer
/// items where the array does not begin at one; so has the last.
class aligned_tiles {
 public:
  static constexpr std::size_t alignment = 16;

  /// The fewest items whose bytes are a multiple of `alignment` in two arrays, of elements of these sizes. Fewer are
  /// left of a tile by bulk copies, and lie before the tiles: never more than a warp loads at once.
  static constexpr int items_of_aligned_bytes(std::size_t bytes, std::size_t others) {
    return static_cast<int>(
        (std::max)(alignment / std::gcd(alignment, bytes), alignment / std::gcd(alignment, others)));
  }
  /// Items before the first that lies at a multiple of `alignment` in two arrays, at these addresses and of items of
  /// these sizes; -1 when none does.
  static constexpr std::int64_t items_in_front(std::uintptr_t in, std::size_t bytes, std::uintptr_t other,
                                               std::size_t others) {
    for (std::size_t i = 0; i < alignment; ++i) {
      if ((in + i * bytes) % alignment == 0 && (other + i * others) % alignment == 0) {
        return static_cast<std::int64_t>(i);
      }
    }
    return -1;
  }
  template <class Item>
  static std::int64_t items_in_front(const Item* array) {
    const auto address = reinterpret_cast<std::uintptr_t>(array);
    return items_in_front(address, sizeof(Item), address, sizeof(Item));
  }

  /// The most tiles that n items make, wherever they lie.
  static constexpr std::int64_t most(std::int64_t n, int tile_items) { return ceil_div(n, tile_items) + 1; }

  UPSWEEP_HOST_DEVICE aligned_tiles(std::int64_t in_front, std::int64_t n, int tile_items)
      : origin_(in_front == 0 ? 0 : in_front - tile_items), n_(n), tile_items_(tile_items) {}

  UPSWEEP_HOST_DEVICE std::int64_t count() const { return ceil_div(n_ - origin_, tile_items_); }
  UPSWEEP_HOST_DEVICE std::int64_t first(std::int64_t tile) const {
    const std::int64_t at = origin_ + tile * tile_items_;
    return at < 0 ? 0 : at;
  }
  UPSWEEP_HOST_DEVICE int items(std::int64_t tile) const {
    const std::int64_t end = origin_ + (tile + 1) * tile_items_;
    return static_cast<int>((end < n_ ? end : n_) - first(tile));
  }

 private:
  std::int64_t origin_;  // where tile 0 would begin if it were whole: 0 or less
  std::int64_t n_;
  int tile_items_;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
