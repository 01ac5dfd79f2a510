// Block scan: the conditional-sum network of Sklansky (1960) in shared memory, divide and conquer of minimum depth.
// Each level joins neighbouring halves: the last prefix of the left half goes before all prefixes of the right one.
// log2(n) levels of n / 2 operations. Any number of threads, powers of two or not.
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
struct sklansky {
  static constexpr int threads = Threads;
  static constexpr block_algorithm name = block_algorithm::sklansky;

  /// At most valid * log2(valid) / 2, rounded up.
  static constexpr std::int64_t operations(int valid) {
    std::int64_t count = 0;
    for (int half = 1; half < valid; half *= 2) {
      const int ragged = valid % (2 * half);
      count += valid / (2 * half) * half + (ragged > half ? ragged - half : 0);
    }
    return count;
  }

  template <class T>
  struct temp_storage {
    uninitialized_array<T, Threads> x;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank();
    if (rank < valid) s.x[rank] = value;

    // A level writes right halves and reads left ones, where it is not a thread's own value.
    for (int half = 1; half < Threads; half *= 2) {
      block.barrier();
      const int right_half = rank & -half;
      if ((rank & half) != 0 && rank < valid) s.x[rank] = op(s.x[right_half - 1], s.x[rank]);
    }
    block.barrier();
    return result_from_prefixes(s.x, value, rank, valid);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::sklansky;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
