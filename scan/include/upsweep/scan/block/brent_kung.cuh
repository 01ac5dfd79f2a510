// Block scan: the adder network of Brent & Kung (1982) in shared memory. A tree of sums going up, then sums handed back
// down: 2 log2(n) - 1 levels, 2 log2(n) barriers, 2n operations. Any number of threads, powers of two or not.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_contract.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The network over the values of an Array<T, Threads> in shared memory.
template <int Threads, template <class, int> class Array>
struct brent_kung_network {
  static constexpr int threads = Threads;

  /// Below 2 * valid.
  static constexpr std::int64_t operations(int valid) {
    std::int64_t count = 0;
    for (int stride = 1; stride < valid; stride *= 2) {
      count += valid / (2 * stride) + (valid - stride) / (2 * stride);  // going up, going down
    }
    return count;
  }

  template <class T>
  struct temp_storage {
    Array<T, Threads> x;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank();
    if (rank < valid) s.x[rank] = value;

    // Going up: x[right] becomes the sum of the 2 * stride values that end there.
    int stride = 1;
    for (; stride < Threads; stride *= 2) {
      block.barrier();
      const int right = (rank + 1) * 2 * stride - 1;
      if (right < valid) s.x[right] = op(s.x[right - stride], s.x[right]);
    }
    // Going down: x[left] is a prefix already, and completes the sum that begins after it.
    for (stride /= 4; stride > 0; stride /= 2) {
      block.barrier();
      const int left = (rank + 1) * 2 * stride - 1;
      if (left + stride < valid) s.x[left + stride] = op(s.x[left], s.x[left + stride]);
    }
    block.barrier();
    return result_from_prefixes(s.x, value, rank, valid);
  }
};

template <int Threads>
struct brent_kung : brent_kung_network<Threads, uninitialized_array> {
  static constexpr block_algorithm name = block_algorithm::brent_kung;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::brent_kung;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
