// Block scan: Brent & Kung's network (1982) with the radix of a warp, from Smith's survey "GPU Prefix Sums" (2024).
// Going up, shuffle scans go over 32 values, and one over each 32nd of them; going down, each 32nd prefix is handed to
// the values after it. A block has at most 32 x 32 values, hence two levels up and one down.
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
struct warp_radix_brent_kung {
  static constexpr int threads = Threads;
  static constexpr int warps = Threads / warp_size;
  static constexpr int lanes_over_warps = static_cast<int>(std::bit_ceil(static_cast<unsigned>(warps)));
  static constexpr block_algorithm name = block_algorithm::warp_radix_brent_kung;

  static constexpr std::int64_t operations(int valid) {
    const int full_warps = valid / warp_size;
    std::int64_t count = full_warps * warp_scan_operations(warp_size) + warp_scan_operations(valid % warp_size);
    count += warp_scan_operations(full_warps);
    if (full_warps > 0) count += valid - warp_size - (full_warps - 1);  // going down
    return count;
  }

  template <class T>
  struct temp_storage {
    uninitialized_array<T, Threads> x;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank(), lane = block.lane();
    const T in_warp = warp_inclusive_scan(block, value, op, valid - block.warp() * warp_size);
    if (rank < valid) s.x[rank] = in_warp;
    block.barrier();  // the sums of 32 values are there

    if (block.warp() == 0) {
      const int full_warps = valid / warp_size, end = lane * warp_size + warp_size - 1;
      T sum = value;
      if (lane < full_warps) sum = s.x[end];
      sum = warp_inclusive_scan<lanes_over_warps>(block, sum, op, full_warps);
      if (lane < full_warps) s.x[end] = sum;
    }
    block.barrier();  // each 32nd prefix is there; only values between them are written from here on

    const bool is_end = lane == warp_size - 1;
    if (block.warp() > 0 && !is_end && rank < valid) s.x[rank] = op(s.x[rank - lane - 1], in_warp);
    block.barrier();  // all prefixes are there
    return result_from_prefixes(s.x, value, rank, valid);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::warp_radix_brent_kung;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
