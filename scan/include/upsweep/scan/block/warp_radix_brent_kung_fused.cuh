// Block scan: as warp_radix_brent_kung, with the way down fused, from Smith's survey "GPU Prefix Sums" (2024): no
// barrier comes between a level's way down and what follows it. In a block, which has one way down, that is handing
// out the result: values stay in registers, the sums of 32 in shared memory.
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
struct warp_radix_brent_kung_fused {
  static constexpr int threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int lanes_over_warps = static_cast<int>(std::bit_ceil(static_cast<unsigned>(warps)));
  static constexpr block_algorithm name = block_algorithm::warp_radix_brent_kung_fused;

  static constexpr std::int64_t operations(int valid) {
    const int full_warps = valid / warp_size, valid_warps = (valid + warp_size - 1) / warp_size;
    std::int64_t count = full_warps * warp_scan_operations(warp_size) + warp_scan_operations(valid % warp_size);
    count += warp_scan_operations(valid_warps);
    if (valid_warps > 1) count += valid - warp_size - (valid_warps - 1);  // going down
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
    block.barrier();  // the sums of the warps are there

    if (warp == 0) {
      T end = value;
      if (lane < valid_warps) end = s.end[lane];
      end = warp_inclusive_scan<lanes_over_warps>(block, end, op, valid_warps);
      if (lane < valid_warps) s.end[lane] = end;
    }
    block.barrier();  // the prefixes at the warps' ends are there

    const bool behind_others = warp > 0 && lane < valid_lanes;
    if (behind_others) sum = is_end ? s.end[warp] : op(s.end[warp - 1], sum);
    block_scan_result<T> result{block.shuffle_up(sum, 1), sum, s.end[valid_warps - 1]};
    if (behind_others && lane == 0) result.exclusive = s.end[warp - 1];
    return result;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::warp_radix_brent_kung_fused;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
