// Block scan: reduce, then scan (the form that Dotsenko et al., 2008, give to a block). Each of n / 8 threads reduces a
// run of 8 values in shared memory, a network scans the runs' sums, and the same threads spread what is before their
// run over it. About 2n operations, few barriers, and n / 8 threads at work.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_contract.hpp"
#include "upsweep/scan/block/padded_array.hpp"
#include "upsweep/scan/block/serial_run.cuh"
#include "upsweep/scan/block/sklansky.cuh"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/variant.hpp"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <int Threads>
struct reduce_scan {
  static constexpr int threads = Threads;
  static constexpr block_algorithm name = block_algorithm::reduce_scan;
  static constexpr int run = 8;
  using network = sklansky<Threads / run>;

  /// Each value but the first of a run going up, each but the very first going down, and the network.
  static constexpr std::int64_t operations(int valid) {
    const int runs = (valid + run - 1) / run;
    return valid - runs + network::operations(runs) + valid - 1;
  }

  template <class T>
  struct temp_storage {
    padded_array<T, Threads> x;
    typename network::template temp_storage<T> sums;
  };

  template <class Ctx, class T, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid) {
    const int rank = block.thread_rank();
    if (rank < valid) s.x[rank] = value;
    block.barrier();  // the runs are there

    const int first = rank * run, end = first + run < valid ? first + run : valid;
    T sum = value;
    if (first < valid) sum = reduce_run(s.x, first, end, op);
    const T before = network::scan(block, s.sums, sum, op, (valid + run - 1) / run).exclusive;
    if (first < valid) scan_run(s.x, first, end, carry<T>{before, rank > 0}, op);
    block.barrier();  // the prefixes are there
    return result_from_prefixes(s.x, value, rank, valid);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::reduce_scan;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
