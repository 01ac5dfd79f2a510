// Block scan: a shuffle scan in each warp, then one over the warps' sums. One barrier, span log2(32) + log2(warps) + 1.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstdint>

#include "upsweep/scan/block/block_contract.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <int Threads>
struct warp_scans {
  static constexpr int threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int lanes_over_warps = static_cast<int>(std::bit_ceil(static_cast<unsigned>(warps)));
  static constexpr block_algorithm name = block_algorithm::warp_scans;

  /// Below valid * (7 + log2(warps)).
  static constexpr std::int64_t operations(int valid) {
    const int valid_warps = (valid + warp_size - 1) / warp_size;
    std::int64_t count = warps * warp_scan_operations<lanes_over_warps>(valid_warps);
    for (int warp = 0; warp < valid_warps; ++warp) {
      const int left = valid - warp * warp_size, lanes = left < warp_size ? left : warp_size;
      count += warp_scan_operations(lanes);
      if (warp > 0) count += 2 * lanes - 1;  // what is before the warp, before the exclusive and inclusive sums
    }
    return count;
  }

  template <class T>
  struct temp_storage {
    uninitialized_array<T, warps> warp_sum;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int valid_lanes = valid - block.warp() * warp_size;
    const T in_warp = warp_inclusive_scan(block, value, op, valid_lanes);
    const T left = block.shuffle_up(in_warp, 1);
    if (block.lane() == (valid_lanes < warp_size ? valid_lanes : warp_size) - 1) s.warp_sum[block.warp()] = in_warp;
    block.barrier();

    // Every warp scans all sums, which spares a second barrier.
    const int valid_warps = (valid + warp_size - 1) / warp_size;
    T sum = value;
    if (block.lane() < valid_warps) sum = s.warp_sum[block.lane()];
    sum = warp_inclusive_scan<lanes_over_warps>(block, sum, op, valid_warps);
    const T before = block.shuffle(sum, block.warp() > 0 ? block.warp() - 1 : 0);
    block_scan_result<T> result{left, in_warp, block.shuffle(sum, valid_warps - 1)};
    if (block.warp() > 0 && block.lane() < valid_lanes) {
      result.exclusive = block.lane() == 0 ? before : op(before, left);
      result.inclusive = op(before, in_warp);
    }
    return result;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::warp_scans;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
