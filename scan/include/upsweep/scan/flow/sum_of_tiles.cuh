// The sum of all tiles before one, by all warps of a block at once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// How the windows of 32 tiles before a tile are dealt out: to each warp as many, one after another.
struct direct_windows {
  int count, a_warp, warps_with_any;

  UPSWEEP_HOST_DEVICE constexpr direct_windows(std::int64_t tiles, int warps)
      : count(static_cast<int>((tiles + warp_size - 1) / warp_size)),
        a_warp((count + warps - 1) / warps),
        warps_with_any((count + a_warp - 1) / a_warp) {}

  /// Operator applications of sum_of_tiles.
  static constexpr std::int64_t operations(std::int64_t tiles, int warps) {
    const direct_windows windows(tiles, warps);
    const std::int64_t whole = tiles / warp_size;
    return whole * warp_scan_operations(warp_size) + warp_scan_operations(static_cast<int>(tiles % warp_size)) +
           windows.count - windows.warps_with_any + warps * warp_scan_operations(windows.warps_with_any);
  }
};

/// The sum of the first `tiles` > 0 tiles, in all threads. A warp calls read(first, valid), which gives lane i < valid
/// the sum of tile first + i. `of_warp` has room for a sum of each warp. Holds a barrier, before which it is written.
template <class T, class Ctx, class Op, class Read>
UPSWEEP_DEVICE T sum_of_tiles(Ctx& block, T* of_warp, std::int64_t tiles, Op op, Read read) {
  const direct_windows windows(tiles, Ctx::threads / warp_size);
  const int first = block.warp() * windows.a_warp;
  T sum{};
  UPSWEEP_NO_UNROLL
  for (int w = first; w < first + windows.a_warp && w < windows.count; ++w) {
    const std::int64_t first_tile = std::int64_t{w} * warp_size, left = tiles - first_tile;
    const int valid = left < warp_size ? static_cast<int>(left) : warp_size;
    const T of_window = warp_reduce(block, read(first_tile, valid), op, valid);
    if (block.lane() == 0) sum = w == first ? of_window : op(sum, of_window);
  }
  if (block.lane() == 0) of_warp[block.warp()] = sum;
  block.barrier();  // of_warp is written
  const T mine = block.lane() < windows.warps_with_any ? of_warp[block.lane()] : T{};
  return block.shuffle(warp_reduce(block, mine, op, windows.warps_with_any), 0);
}

/// read of sum_of_tiles where the launch in front wrote the sums, and has been waited for.
template <class Ctx, class T>
UPSWEEP_DEVICE auto sums_of_launch(Ctx& block, const T* sums) {
  return
      [&block, sums](std::int64_t first, int valid) { return block.lane() < valid ? sums[first + block.lane()] : T{}; };
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
