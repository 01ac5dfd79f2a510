// Sorts that also report where the runs of equal keys begin and end: the calls of radix_sort.cuh, with run_arrays
// before n.
//
//   upsweep::run_arrays<int> runs{begins, ends, cells};
//   cudaError_t e = upsweep::sort_pairs({memory, bytes}, cell, sorted_cell, id, sorted_id, runs, n, {}, {0, 20},
//   stream);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/run_starts.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The digits by which runs are numbered: the keys' own, whichever direction they are sorted in; or those that are the
/// order.
template <class Key, class Order>
auto run_digits_of(const Order& order) {
  if constexpr (std::is_same_v<Order, sort_order>) {
    return key_digits<Key>{};
  } else {
    return digits_of<Key>(order);
  }
}

/// A sort, and run_starts of its keys.
template <class Policy, class KeyIn, class Key, class Value, class Index, class Count, class Order, class Stream>
error_of<Stream> sort_to_runs(const workspace_or_resource& w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                              Value* values_out, run_arrays<Index> runs, const Count& n, const Order& order,
                              bit_range bits, Stream stream) {
  const auto digits = run_digits_of<Key>(order);
  const std::int64_t bound = bound_of(n);
  if (bound < 0 || !can_have_runs(runs, bits, digits,
                                  std::array{use_of(keys_in, bound, false), use_of(keys_out, bound, true),
                                             use_of(values_in, bound, false), use_of(values_out, bound, true),
                                             use_of(place_of(n), 1, false)})) {
    return static_cast<error_of<Stream>>(status::invalid_value);
  }
  const error_of<Stream> sorted = sort<Policy>(w, keys_in, keys_out, values_in, values_out, n, order, bits, stream);
  if (static_cast<status>(sorted) != status::success) return sorted;
  return run_starts(static_cast<const Key*>(keys_out), runs, n, digits, bits, stream);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts keys by the bits of the range, moves a value with each, and reports where the runs of equal keys begin and
/// end.
///   w           a workspace of sort_pairs_workspace_bytes bytes, or a memory resource to take it from; the caller
///               keeps it until the work has finished
///   keys_in     n keys: a pointer or random-access iterator of device memory; left as they were
///   keys_out    n keys of device memory; no overlap with another array
///   values_in   n values of device memory, trivially copyable; left as they were
///   values_out  n values of device memory; no overlap with another array
///   runs        where the runs of equal keys begin and end, see run_starts.cuh; the bits are at most 48
///   n           how many items: a signed integer, or a device_count in device memory with a bound
///   order       sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///               decomposer.hpp
///   bits        the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///               empty range copies
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array, begins or ends overlap an array of the sort, the bits are not the key's or more than 48, or the
/// workspace is too small; otherwise the first error of a launch. Cost: O(n) for each 8 bits. By the default policy one
/// block or one cluster sorts few keys in one launch; many keys take a histogram and a pass for each 8 bits, which
/// reads and writes every key once. Then the keys are read once more, and O(runs) work. Source: onesweep (Adinets &
/// Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Index, class Count,
          class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs(workspace_or_resource w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                                          Value* values_out, run_arrays<Index> runs, Count n, Order order = {},
                                          Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, KeyIn, Key, Value, Count, Order, Bits>()) {
    return detail::sort_to_runs<Policy>(w, keys_in, keys_out, values_in, values_out, runs, n, order, bits, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_pairs with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Index, class Count,
          class Order = sort_order, class Bits = bit_range>
std::size_t sort_pairs_workspace_bytes(KeyIn, Key*, const Value*, Value*, run_arrays<Index>, Count n, Order = {},
                                       Bits = {}) {
  return detail::sort_bytes<Policy, KeyIn, Key, Value>(n, false);
}

/// Sorts keys by the bits of the range, and reports where the runs of equal keys begin and end.
///   w       a workspace of sort_keys_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///           until the work has finished
///   in      n keys: a pointer or random-access iterator of device memory; left as they were
///   out     n keys of device memory; no overlap with another array
///   runs    where the runs of equal keys begin and end, see run_starts.cuh; the bits are at most 48
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array, begins or ends overlap an array of the sort, the bits are not the key's or more than 48, or the
/// workspace is too small; otherwise the first error of a launch. Cost: O(n) for each 8 bits. By the default policy one
/// block or one cluster sorts few keys in one launch; many keys take a histogram and a pass for each 8 bits, which
/// reads and writes every key once. Then the keys are read once more, and O(runs) work. Source: onesweep (Adinets &
/// Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Key, class Index, class Count,
          class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys(workspace_or_resource w, KeyIn in, Key* out, run_arrays<Index> runs, Count n,
                                         Order order = {}, Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, KeyIn, Key, detail::no_value, Count, Order, Bits>()) {
    return detail::sort_to_runs<Policy>(w, in, out, detail::no_values_in, detail::no_values_out, runs, n, order, bits,
                                        stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_keys with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Index, class Count,
          class Order = sort_order, class Bits = bit_range>
std::size_t sort_keys_workspace_bytes(KeyIn, Key*, run_arrays<Index>, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, KeyIn, Key, detail::no_value>(n, false);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
