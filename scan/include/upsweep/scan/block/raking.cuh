// Block scan: one warp rakes (Merrill & Grimshaw 2009). Each of its lanes reduces n / 32 neighbouring
// values in shared memory, a shuffle scan goes over the lanes, and each lane writes the prefixes of its values. About
// 2n operations and two barriers; the other warps wait.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_contract.hpp"
#include "upsweep/scan/block/padded_array.hpp"
#include "upsweep/scan/block/serial_run.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <int Threads>
struct raking {
  static constexpr int threads = Threads;
  static constexpr block_algorithm name = block_algorithm::raking;
  static constexpr int run = Threads / warp_size;

  /// Each value but the first of a run, each but the very first, and the scan over the lanes.
  static constexpr std::int64_t operations(int valid) {
    const int runs = (valid + run - 1) / run;
    return valid - runs + warp_scan_operations(runs) + valid - 1;
  }

  template <class T>
  struct temp_storage {
    padded_array<T, Threads> x;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank();
    if (rank < valid) s.x[rank] = value;
    block.barrier();  // the runs are there

    if (block.warp() == 0) {
      const int first = rank * run, end = first + run < valid ? first + run : valid;
      T sum = value;
      if (first < valid) sum = reduce_run(s.x, first, end, op);
      sum = warp_inclusive_scan(block, sum, op, (valid + run - 1) / run);
      const T before = block.shuffle_up(sum, 1);
      if (first < valid) scan_run(s.x, first, end, carry<T>{before, rank > 0}, op);
    }
    block.barrier();  // the prefixes are there
    return result_from_prefixes(s.x, value, rank, valid);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::raking;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
