// Calls that runtime.hpp does not have: of counts in device memory, of indices, and of NaNs that are sorted last. Plain
// C++; kernels_sim.cpp and kernels_cuda.cu stand behind them, or no_kernels.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/scan/carry.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::python {

/// n in device memory: the smaller of *count and bound. `count` may point at a number that is larger than any bound.
using item_count = device_count<std::int64_t>;

/// Moves the elements of all arrays whose flag is not 0, and writes their indices if results ask for them.
struct select_call {
  workspace work;
  std::span<const soa_array> arrays;
  const std::uint8_t* flags;
  select_results results;
  item_count n;
  rejected_order rejected = rejected_order::apart;  // where the others go; behind: all of an array in its `out`
};

/// Sums of u32, u64, f32 or f64; signed integers are summed as unsigned ones are.
struct sum_call {
  workspace work;
  scalar_type type;
  bool is_exclusive;
  bool is_reproducible;  // of floats; integers are in any order
  const void* in;
  void* out;
  item_count n;
};

/// Sums of those types that begin anew at every key that differs from the one before it, keys of 4 or 8 bytes compared
/// by their bits; or, where keys are null, at the beginnings of segments.
struct parts_sum_call {
  workspace work;
  scalar_type type;
  bool is_exclusive;
  const void* in;
  void* out;
  std::int64_t n;
  const void* keys;
  std::size_t key_bytes;
  const std::int64_t* begins;
  const std::int64_t* ends;
  std::int64_t segments;
};

/// Sorts keys of 1 to 8 bytes; `places`, if not null, gets the place of each in the input, and `out` may then be null.
struct sort_call {
  workspace work;
  scalar_type key_type;
  sort_order order;
  nan_order nans;
  bit_range bits;
  const void* in;
  void* out;
  std::uint32_t* places;
  item_count n;
};

/// Bytes of workspace of each call, whose own workspace is not looked at. Host formulas.
std::size_t workspace_bytes(const select_call& call);
std::size_t workspace_bytes(const sum_call& call);
std::size_t workspace_bytes(const parts_sum_call& call);
std::size_t workspace_bytes(const sort_call& call);

/// Enqueue the kernels of a call on the stream. Errors: as select_arrays, inclusive_sum and sort_keys.
status run(const select_call& call, runtime::stream on);
status run(const sum_call& call, runtime::stream on);
status run(const parts_sum_call& call, runtime::stream on);
status run(const sort_call& call, runtime::stream on);

// What run() chooses between.

status run_on_cuda(const select_call& call, void* stream);
status run_on_cuda(const sum_call& call, void* stream);
status run_on_cuda(const parts_sum_call& call, void* stream);
status run_on_cuda(const sort_call& call, void* stream);

}  // namespace upsweep::python
