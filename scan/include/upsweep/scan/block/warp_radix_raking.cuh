// Block scan: one warp rakes 32 values at a time, from Smith's survey "GPU Prefix Sums" (2024). It walks over the
// values in shared memory with a shuffle scan and a running carry. Two barriers, no bank conflicts; the other warps
// wait.
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
struct warp_radix_raking {
  static constexpr int threads = Threads;
  static constexpr block_algorithm name = block_algorithm::warp_radix_raking;

  /// The shuffle scans, and the carry before all but the first 32 values.
  static constexpr std::int64_t operations(int valid) {
    return valid / warp_size * warp_scan_operations(warp_size) + warp_scan_operations(valid % warp_size) +
           (valid > warp_size ? valid - warp_size : 0);
  }

  template <class T>
  struct temp_storage {
    uninitialized_array<T, Threads> x;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank();
    if (rank < valid) s.x[rank] = value;
    block.barrier();  // the values are there

    if (block.warp() == 0) {
      T before = value;  // nothing yet
      for (int first = 0; first < valid; first += warp_size) {
        const int i = first + block.lane();
        T sum = value;
        if (i < valid) sum = s.x[i];
        sum = warp_inclusive_scan(block, sum, op, valid - first);
        if (first > 0 && i < valid) sum = op(before, sum);
        if (i < valid) s.x[i] = sum;
        before = block.shuffle(sum, warp_size - 1);
      }
    }
    block.barrier();  // the prefixes are there
    return result_from_prefixes(s.x, value, rank, valid);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::warp_radix_raking;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
