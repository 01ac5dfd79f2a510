// Block scan: the adder network of Kogge & Stone (1973) in shared memory, as Hillis & Steele (1986) run it on values.
// Each level doubles how many values a sum holds: log2(n) levels of n operations. Two buffers take turns, so that a
// level needs one barrier. Any number of threads, powers of two or not.
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
struct kogge_stone {
  static constexpr int threads = Threads;
  static constexpr block_algorithm name = block_algorithm::kogge_stone;

  /// Below valid * log2(valid).
  static constexpr std::int64_t operations(int valid) {
    std::int64_t count = 0;
    for (int distance = 1; distance < valid; distance *= 2) count += valid - distance;
    return count;
  }

  template <class T>
  struct temp_storage {
    uninitialized_array<T, Threads> x[2];
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank();
    int buffer = 0;
    if (rank < valid) s.x[buffer][rank] = value;

    // Each sum holds the `distance` values that end there, or all when there are fewer. The barrier is between
    // writing a buffer and reading it, and between reading the other one and writing over it.
    T sum = value;
    for (int distance = 1; distance < Threads; distance *= 2) {
      block.barrier();
      if (rank >= distance && rank < valid) sum = op(s.x[buffer][rank - distance], sum);
      buffer = 1 - buffer;
      if (rank < valid) s.x[buffer][rank] = sum;
    }
    block.barrier();
    return result_from_prefixes(s.x[buffer], value, rank, valid);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::kogge_stone;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
