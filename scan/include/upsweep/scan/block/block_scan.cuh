// Block scans for use inside a kernel: every overload once, over any block algorithm (block_contract.hpp).
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/block/block_contract.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/scan/thread/thread_scan.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Scans T over the threads of a block by `Algorithm`, such as warp_scans<256>. All threads call every method. A
/// barrier is needed between a call and the next use of its temp_storage.
template <class T, class Algorithm>
struct block_scan {
  using temp_storage = typename Algorithm::template temp_storage<T>;
  static constexpr int threads = Algorithm::threads;

  /// value[0] op ... op value[rank].
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE T inclusive_scan(Ctx& block, temp_storage& s, T value, Op op) {
    return Algorithm::scan(block, s, value, op, threads).inclusive;
  }
  /// The same, and the sum of all values.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE T inclusive_scan(Ctx& block, temp_storage& s, T value, Op op, T& aggregate) {
    const auto r = Algorithm::scan(block, s, value, op, threads);
    aggregate = r.aggregate;
    return r.inclusive;
  }

  /// init op value[0] op ... op value[rank - 1].
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE T exclusive_scan(Ctx& block, temp_storage& s, T value, T init, Op op) {
    T aggregate;
    return exclusive_scan(block, s, value, init, op, aggregate);
  }
  /// The same, and the sum of all values without init.
  template <class Ctx, class Op>
  static UPSWEEP_DEVICE T exclusive_scan(Ctx& block, temp_storage& s, T value, T init, Op op, T& aggregate) {
    const auto r = Algorithm::scan(block, s, value, op, threads);
    aggregate = r.aggregate;
    return block.thread_rank() == 0 ? init : op(init, r.exclusive);
  }

  /// Scans the first `valid` (at least 1) items of the block, N consecutive ones a thread, in place. All threads call
  /// `prefix_of(aggregate)` with the sum of the items; it returns the carry<T> before them.
  template <scan_kind Kind, bool Full, int N, class Ctx, class Op, class Prefix>
  static UPSWEEP_DEVICE void scan_items(Ctx& block, temp_storage& s, T (&item)[N], int valid, Op op, Prefix prefix_of) {
    const int mine = items_of_thread<Full, N>(block, valid);
    const auto r = scan_sums<Full>(block, s, item, valid, op);
    carry<T> before = prefix_of(r.aggregate);
    if (block.thread_rank() > 0 && (Full || mine > 0)) before = {before.then(r.exclusive, op), true};
    thread_scan<Kind>(item, mine, before, op);
  }

  /// The sum of the first `valid` (at least 1) items of the block, N consecutive ones a thread, in all threads.
  template <bool Full, int N, class Ctx, class Op>
  static UPSWEEP_DEVICE T reduce_items(Ctx& block, temp_storage& s, const T (&item)[N], int valid, Op op) {
    return scan_sums<Full>(block, s, item, valid, op).aggregate;
  }

  /// Operator applications of reduce_items, all threads together. 0 for no items.
  template <int N>
  static constexpr std::int64_t reduce_operations(std::int64_t valid) {
    const std::int64_t with_items = (valid + N - 1) / N;
    return valid == 0 ? 0 : valid - with_items + Algorithm::operations(static_cast<int>(with_items));
  }

  /// Operator applications of scan_items, all threads together, without those of `prefix_of`. `has_carry`: the carry
  /// is present. 0 for no items.
  template <int N>
  static constexpr std::int64_t operations(std::int64_t valid, bool has_carry) {
    if (valid == 0) return 0;
    const std::int64_t behind = has_carry ? (valid + N - 1) / N - 1 : 0;
    return reduce_operations<N>(valid) + behind + valid - (has_carry ? 0 : 1);
  }

 private:
  /// Of the first `valid` items of the block, how many are this thread's; 0 or less for none.
  template <bool Full, int N, class Ctx>
  static UPSWEEP_DEVICE int items_of_thread(Ctx& block, int valid) {
    const int left = valid - block.thread_rank() * N;
    return Full || left >= N ? N : left;
  }

  /// Scans the threads' sums of their items.
  template <bool Full, int N, class Ctx, class Op>
  static UPSWEEP_DEVICE block_scan_result<T> scan_sums(Ctx& block, temp_storage& s, const T (&item)[N], int valid,
                                                       Op op) {
    const T sum = thread_reduce(item, items_of_thread<Full, N>(block, valid), op);
    return Algorithm::scan(block, s, sum, op, Full ? threads : (valid + N - 1) / N);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::block_scan;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
