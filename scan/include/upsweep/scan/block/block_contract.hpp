// What every block algorithm answers.
//
// A block algorithm is a type with
//   static constexpr int threads;                          the block's threads, a multiple of 32
//   static constexpr block_algorithm name;
//   static constexpr std::int64_t operations(int valid);   what `scan` applies the operator, all threads together
//   template <class T> struct temp_storage;                shared memory
//   template <class Ctx, class T, class Op>
//   static block_scan_result<T> scan(Ctx& block, temp_storage<T>& s, T value, Op op, int valid);
// `scan` is called by all threads with one value each; the first `valid` (1 to threads) count, and the operator runs on
// those alone. The operator is associative; it need not commute nor have an identity. A barrier must stand between the
// call and the next use of `s`.
#pragma once

namespace upsweep {

/// Thread 0 has no exclusive prefix: its `exclusive` is unspecified. So is all of a thread's result but `aggregate`
/// when its value does not count.
template <class T>
struct block_scan_result {
  T exclusive;
  T inclusive;
  T aggregate;
};

}  // namespace upsweep
