// Block scan: up-sweep and down-sweep of Blelloch (1990) in shared memory. The sums of a balanced tree going up; going
// down each node gives its left child what comes before the node, and its right child that and the left child's sum.
// It is exclusive by nature; an inclusive prefix is the next thread's exclusive one. Any number of threads, powers of
// two or not.
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

template <int Threads>
struct blelloch {
  static constexpr int threads = Threads;
  static constexpr block_algorithm name = block_algorithm::blelloch;

  /// One a node going up; one a node going down, but for the nodes on the left edge.
  static constexpr std::int64_t operations(int valid) {
    std::int64_t count = 2 * (valid - 1);
    for (int stride = 1; stride < valid; stride *= 2) --count;
    return count;
  }

  template <class T>
  struct temp_storage {
    uninitialized_array<T, Threads> x;
    uninitialized_array<T, 1> total;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank();
    if (rank < valid) s.x[rank] = value;

    // Going up: a node's sum is at its last value that counts. A node whose right half has none is its left half.
    int stride = 1;
    for (; stride < Threads; stride *= 2) {
      block.barrier();
      const int left = (2 * rank + 1) * stride - 1, right = last_of(left + stride, valid);
      if (left < right) s.x[right] = op(s.x[left], s.x[right]);
    }
    // Of the nodes that hold all values, thread 0 alone works, going up and going down: no barrier is needed between.
    if (rank == 0) s.total[0] = s.x[valid - 1];

    // Going down: what comes before a node takes the place of its sum. Nothing comes before those of thread 0, which
    // are the left edge.
    for (stride /= 2; stride > 0; stride /= 2) {
      const int left = (2 * rank + 1) * stride - 1, right = last_of(left + stride, valid);
      if (left < right) {
        const T sum = s.x[left];
        if (rank > 0) {
          const T before = s.x[right];
          s.x[left] = before;
          s.x[right] = op(before, sum);
        } else {
          s.x[right] = sum;
        }
      }
      block.barrier();
    }

    block_scan_result<T> result{value, value, s.total[0]};
    if (rank < valid) {
      if (rank > 0) result.exclusive = s.x[rank];
      result.inclusive = rank + 1 < valid ? s.x[rank + 1] : result.aggregate;
    }
    return result;
  }

 private:
  static UPSWEEP_DEVICE int last_of(int right, int valid) { return right < valid ? right : valid - 1; }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::blelloch;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
