// Block scan: Sklansky's network (1960) over groups of 32 values, from Smith's survey "GPU Prefix Sums" (2024). Shuffle
// scans go over 32 values; each level then joins neighbouring halves of warps: the last prefix of the left half goes
// before all prefixes of the right one.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_contract.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <int Threads>
struct warp_radix_sklansky {
  static constexpr int threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr block_algorithm name = block_algorithm::warp_radix_sklansky;

  static constexpr std::int64_t operations(int valid) {
    std::int64_t count = 0;
    for (int warp = 0; warp * warp_size < valid; ++warp) {
      const int left = valid - warp * warp_size, lanes = left < warp_size ? left : warp_size;
      count += warp_scan_operations(lanes);
      for (int half = 1; half <= warp; half *= 2) count += (warp & half) != 0 ? lanes : 0;
    }
    return count;
  }

  template <class T>
  struct temp_storage {
    uninitialized_array<T, warps> end;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int lane = block.lane(), warp = block.warp();
    const int valid_lanes = valid - warp * warp_size, valid_warps = (valid + warp_size - 1) / warp_size;
    const bool is_end = lane == (valid_lanes < warp_size ? valid_lanes : warp_size) - 1;
    T sum = warp_inclusive_scan(block, value, op, valid_lanes);
    if (is_end) s.end[warp] = sum;

    // A level writes the ends of right halves and reads those of left ones.
    for (int half = 1; half < warps; half *= 2) {
      block.barrier();
      const int right_half = warp & -half;
      if ((warp & half) != 0 && lane < valid_lanes) {
        sum = op(s.end[right_half - 1], sum);
        if (is_end) s.end[warp] = sum;
      }
    }
    block.barrier();

    block_scan_result<T> result{block.shuffle_up(sum, 1), sum, s.end[valid_warps - 1]};
    if (warp > 0 && lane == 0 && lane < valid_lanes) result.exclusive = s.end[warp - 1];
    return result;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::warp_radix_sklansky;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
