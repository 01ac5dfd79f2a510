// The calls as values, with types that are known at run time only. Plain C++; kernels_*_sim.cpp and kernels_*_cuda.cu
// implement them, or no_gpu.cpp. runtime.hpp has such calls, too; but it compiles kernels of all variants, knows no
// counts in device memory, no order of NaNs and no operators along an axis, and its kernels beside these would be most
// of a wheel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "item_count.hpp"
#include "upsweep/compact/arguments.hpp"
#include "upsweep/scan/array_axis.hpp"
#include "upsweep/scan/runtime.hpp"
#include "upsweep/simt/runtime.hpp"
#include "upsweep/simt/scalar_type.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::python {

/// Moves the elements of all arrays whose flag is not 0, and writes their indices if results ask for them.
struct select_call {
  workspace work;
  std::span<const soa_array> arrays;
  const std::uint8_t* flags;
  select_results results;
  item_count n;
  rejected_order rejected = rejected_order::apart;  // where the others go; after: all of an array in its `out`
};

/// Sums of u32, u64, f32 or f64; signed integers are summed as unsigned ones are.
struct sum_call {
  workspace work;
  scalar_type type;
  bool is_exclusive;
  bool is_reproducible;  // of floats, without init; integers are in any order
  const void* in;
  void* out;
  const void* init;  // null, or what is added to all
  item_count n;
};

/// Scans that begin anew at every key that differs from the one before it, keys of 4 or 8 bytes compared by their bits;
/// or, where keys are null, at the beginnings of segments.
struct parts_scan_call {
  workspace work;
  scalar_type type;
  runtime::scan_operator op;
  bool is_exclusive;
  const void* in;
  void* out;
  const void* init;  // of an exclusive scan: null, or what comes before the first item of each part
  item_count n;
  const void* keys;
  std::size_t key_bytes;
  const std::int64_t* begins;
  const std::int64_t* ends;
  std::int64_t segments;
};

/// A scan by another operator of numbers of 4 or 8 bytes; `init`, if not null, is combined before the first item.
struct scan_call {
  workspace work;
  scalar_type type;
  runtime::scan_operator op;
  bool is_exclusive;
  const void* in;
  void* out;
  const void* init;
  item_count n;
};

/// A scan by any operator along an axis.
struct axis_scan_call {
  workspace work;
  scalar_type type;
  runtime::scan_operator op;
  bool is_exclusive;
  bool is_reproducible;  // of sums of floats, without init; all else has the same bits in any order
  const void* in;
  void* out;
  const void* init;
  array_axis axis;
};

/// Copies the first n items of each line along an axis, and fills the rest with the operator's identity.
struct front_call {
  scalar_type type;
  runtime::scan_operator op;
  const void* in;
  void* out;
  array_axis axis;
  item_count n;
};

/// What keys are sorted by.
struct key_order {
  scalar_type type;
  sort_order order;
  nan_order nans;
};

/// Sorts keys of 1 to 8 bytes to `out`, and moves the rows of arrays with them; or, where there are `places`, tells the
/// place of each in the input instead.
struct sort_call {
  workspace work;
  key_order keys;
  bit_range bits;
  const void* in;
  void* out;
  std::uint32_t* places;
  std::span<const runtime::value_rows> rows;
  item_count n;
};

/// Sorts each segment of keys of 4 or 8 bytes, and moves values of so many bytes with them, if not 0. A segment that
/// does not lie in the n first items is taken as empty.
struct segmented_sort_call {
  workspace work;
  key_order keys;
  bit_range bits;
  const void* in;
  void* out;
  const void* values_in;
  void* values_out;
  std::size_t value_bytes;
  const std::int64_t* begins;
  const std::int64_t* ends;
  std::int64_t segments;
  item_count n;
};

/// The places of the first k of keys of 4 or 8 bytes.
struct top_k_call {
  workspace work;
  key_order keys;
  bit_range bits;
  const void* in;
  std::int64_t* places;
  std::int64_t k;
  item_count n;
};

/// Fetches rows of some bytes by their places.
struct gather_call {
  workspace work;  // none
  const void* in;
  void* out;
  std::size_t row_bytes;
  const std::int64_t* places;
  item_count n;
};

/// Merges sorted keys of 1 to 8 bytes; or, where there are `bounds`, finds the places of the keys b among the keys a.
struct merge_call {
  workspace work;
  key_order keys;
  const void* a;
  const void* b;
  void* out;
  std::int64_t* bounds;
  bool upper;
  item_count n_a, n_b;
};

/// Each run of equal keys of 4 or 8 bytes as one, with the sum of its values, or where these are null its length.
struct runs_call {
  workspace work;
  scalar_type key_type, value_type;
  const void* keys;
  void* unique;
  const void* values;
  void* sums;
  select_results results;
  item_count n;
};

/// The places of items group after group; or, where there are `counts`, how many items each group has.
struct groups_call {
  workspace work;
  const std::uint32_t* groups;
  group_places to;
  std::int64_t* offsets;
  integer_array counts;
  int how_many;
  item_count n;
};

/// The place of each item as often as its count says.
struct expand_call {
  workspace work;
  const std::uint32_t* counts;
  std::uint32_t* items;
  expand_results results;
  item_count n;
};

/// Bytes of workspace of a call, whose own workspace is not looked at. Host formulas.
template <class Call>
std::size_t workspace_bytes(const Call& call);

/// Enqueue the kernels of a call. Errors: as the calls of the library.
template <class Call>
status run_on_sim(const Call& call);
template <class Call>
status run_on_cuda(const Call& call, void* stream);

template <class Call>
status run(const Call& call, runtime::stream on) {
  return on.where == runtime::backend::sim ? run_on_sim(call) : run_on_cuda(call, on.handle);
}

}  // namespace upsweep::python
