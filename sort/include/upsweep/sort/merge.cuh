// Merge of two sorted arrays of device memory, and bounds of many needles in one: the public calls.
//
//   cudaError_t e = upsweep::merge_keys(upsweep::stream_pool{}, a, b, out, n_a, n_b, upsweep::less{}, stream);
//   e = upsweep::lower_bound(keys, needles, places, n, m, upsweep::less{}, stream);
//
// `order` says which of two keys comes first: less(x, y), which is what std::merge asks for, or what the sorts take (a
// sort_order, key_digits<float, nan_order::last>{direction}, an order of decomposer.hpp) for keys that one of them has
// sorted by all bits. NaNs have no order by less{}. Keys and values are copied as bytes; they have a default
// constructor and an assignment.
//
// If the arrays are not in that order the result is unspecified; nothing but the output is written.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/scan/operators.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/bitonic_merge.cuh"
#include "upsweep/sort/device/merge_path.cuh"
#include "upsweep/sort/device/sorted_bounds.cuh"
#include "upsweep/sort/key_order.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::bitonic_merge;
using detail::merge_path;
using detail::tiled_bounds;

/// The default policy of merge_keys and merge_pairs.
using default_merge_policy = bitonic_merge<>;
/// The default policy of lower_bound and upper_bound.
using default_bounds_policy = tiled_bounds<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether the items of two arrays are of one type, and can be moved.
template <class A, class B>
constexpr bool check_same_items() {
  constexpr bool is_same = std::is_same_v<item_t<A>, item_t<B>>;
  static_assert(is_same, "upsweep: the items of both arrays have the same type");
  constexpr bool moves = is_sortable<item_t<A>>;
  static_assert(moves, "upsweep: keys and values are copied as bytes, and need a default constructor");
  return is_same && moves;
}
template <class Stream, class A, class B, class CountA, class CountB, class Order>
constexpr bool check_sorted_keys() {
  if constexpr (check_stream<Stream>() && check_count<CountA>() && check_count<CountB>() && check_input<A, Stream>() &&
                check_input<B, Stream>()) {
    if constexpr (check_same_items<A, B>()) return check_key_order<Order, item_t<A>>();
  }
  return false;
}
template <class A, class B, class Out, class Stream>
constexpr bool check_merged_values() {
  if constexpr (check_input<A, Stream>() && check_input<B, Stream>() && check_output<Out, Stream>()) {
    return check_same_items<A, B>();
  }
  return false;
}

/// How many items two counts are together at most; less than 0 where one of them is, or there are too many to count.
template <class CountA, class CountB>
std::int64_t bound_of_both(const CountA& n_a, const CountB& n_b) {
  const std::int64_t a = bound_of(n_a), b = bound_of(n_b);
  return a < 0 || b < 0 || a > (std::numeric_limits<std::int64_t>::max)() - b ? -1 : a + b;
}

/// Whether an array of at most n items, or its count, is missing.
template <class It, class Count>
bool is_missing(const It& array, const Count& n) {
  return bound_of(n) > 0 && (is_null(array) || is_null(place_of(n)));
}

template <class Policy, class Executor, class KeysA, class KeysB, class KeysOut, class Values, class CountA,
          class CountB, class Order>
status merge_arrays(Executor executor, workspace w, KeysA keys_a, KeysB keys_b, KeysOut keys_out, const Values& values,
                    const CountA& n_a, const CountB& n_b, const Order& order) {
  using key = item_t<KeysA>;
  constexpr bool has_values = !std::is_same_v<Values, no_merged_values>;
  const std::int64_t n = bound_of_both(n_a, n_b);
  if (n < 0) return status::invalid_value;
  if (n == 0) return status::success;
  if (is_missing(keys_a, n_a) || is_missing(keys_b, n_b) || is_null(keys_out) ||
      (has_values && (is_missing(values.a, n_a) || is_missing(values.b, n_b) || is_null(values.out)))) {
    return status::invalid_value;
  }
  const std::int64_t a = bound_of(n_a), b = bound_of(n_b);
  if (!written_apart(std::array{use_of(keys_a, a, false), use_of(keys_b, b, false), use_of(keys_out, n, true),
                                use_of(values.a, a, false), use_of(values.b, b, false), use_of(values.out, n, true),
                                use_of(place_of(n_a), 1, false), use_of(place_of(n_b), 1, false)})) {
    return status::invalid_value;
  }
  const std::size_t bytes = Policy::template workspace_bytes<key>(n);
  if (bytes > 0 && (w.data == nullptr || w.bytes < bytes)) return status::invalid_value;
  using keys = sorted_pair<key, KeysA, KeysB, decltype(count_argument(n_a)), decltype(count_argument(n_b))>;
  return Policy::run(executor, w, keys{keys_a, keys_b, count_argument(n_a), count_argument(n_b)}, keys_out, values, n,
                     in_front_of<key>(order));
}

template <class Policy, class Keys, class CountA, class CountB>
std::size_t merge_bytes(const CountA& n_a, const CountB& n_b) {
  return Policy::template workspace_bytes<item_t<Keys>>(bound_of_both(n_a, n_b));
}

template <class Policy, class KeysA, class KeysB, class KeysOut, class Values, class CountA, class CountB, class Order,
          class Stream>
error_of<Stream> merge(const workspace_or_resource& w, KeysA keys_a, KeysB keys_b, KeysOut keys_out,
                       const Values& values, const CountA& n_a, const CountB& n_b, const Order& order, Stream stream) {
  const stream_of<Stream> on = stream;
  return w.lend(merge_bytes<Policy, KeysA>(n_a, n_b), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(
        merge_arrays<Policy>(executor_of(on), lent, keys_a, keys_b, keys_out, values, n_a, n_b, order));
  });
}

template <class Policy, bound_kind Kind, class Executor, class Keys, class Needles, class Out, class Count,
          class CountNeedles, class Order>
status find_bounds(Executor executor, Keys keys, Needles needles, Out out, const Count& n, const CountNeedles& m,
                   const Order& order) {
  using key = item_t<Keys>;
  const std::int64_t most_keys = bound_of(n), most_needles = bound_of(m);
  if (most_keys < 0 || most_needles < 0) return status::invalid_value;
  if (most_needles == 0) return status::success;
  if (is_missing(keys, n) || is_missing(needles, m) || is_null(out) ||
      !written_apart(std::array{use_of(keys, most_keys, false), use_of(needles, most_needles, false),
                                use_of(out, most_needles, true), use_of(place_of(n), 1, false),
                                use_of(place_of(m), 1, false)})) {
    return status::invalid_value;
  }
  return Policy::template run<Kind, key>(executor, keys, needles, out, count_argument(n), count_argument(m),
                                         most_needles, in_front_of<key>(order));
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Merges two sorted arrays of keys, stably: of equal keys those of keys_a come first, each in their order.
///   w         a workspace of merge_keys_workspace_bytes bytes, or a memory resource to take it from; the caller keeps
///             it until the work has finished
///   keys_a    n_a sorted keys: a pointer or random-access iterator of device memory
///   keys_b    n_b sorted keys of the same type; may be or overlap keys_a
///   keys_out  room for n_a + n_b keys: a pointer or iterator of device memory; no overlap with another array
///   n_a, n_b  how many keys: each a signed integer, or a device_count in device memory with a bound; then keys_out has
///             room for the bounds, and is written up to the counts
///   order     less(x, y), whether x comes before y; or an order of the sorts (see above); less{} by default
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n_a or n_b < 0, a pointer is null for which n > 0, the output
/// overlaps an input or a count, or the workspace is too small; otherwise the first error of a launch. Cost: O(n_a +
/// n_b) work; each key is read and written once. One launch up to 2^21 keys of 4 bytes; for more, another one before it
/// reads log2(min(n_a, n_b)) pairs of keys, and takes 8 bytes of workspace, for every 4096 keys. Integers of up to 4
/// bytes by less{} or an order of the sorts are the fastest, by networks, for which one in 65536 is asked for. Source:
/// merge path (Green, McColl & Bader 2012; Odeh, Green, Mwassi, Shmueli & Birk 2012); bitonic networks (Batcher 1968).
///     cudaError_t e = merge_keys(stream_pool{}, a, b, out, n_a, n_b, less{}, stream);
template <class Policy = default_merge_policy, class KeysA, class KeysB, class KeysOut, class CountA, class CountB,
          class Order = less, class Stream = default_stream>
[[nodiscard]] error_of<Stream> merge_keys(workspace_or_resource w, KeysA keys_a, KeysB keys_b, KeysOut keys_out,
                                          CountA n_a, CountB n_b, Order order = {}, Stream stream = {}) {
  if constexpr (detail::check_sorted_keys<Stream, KeysA, KeysB, CountA, CountB, Order>() &&
                detail::check_output<KeysOut, Stream>()) {
    return detail::merge<Policy>(w, keys_a, keys_b, keys_out, detail::no_merged_values{}, n_a, n_b, order, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of merge_keys with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for few keys, and where n_a or n_b < 0.
template <class Policy = default_merge_policy, class KeysA, class KeysB, class KeysOut, class CountA, class CountB,
          class Order = less>
std::size_t merge_keys_workspace_bytes(KeysA, KeysB, KeysOut, CountA n_a, CountB n_b, Order = {}) {
  return detail::merge_bytes<Policy, KeysA>(n_a, n_b);
}

/// Merges two sorted arrays of keys, stably, and moves a value with each key: of equal keys those of keys_a come first,
/// each in their order.
///   w           a workspace of merge_pairs_workspace_bytes bytes, or a memory resource to take it from; the caller
///               keeps it until the work has finished
///   keys_a      n_a sorted keys: a pointer or random-access iterator of device memory
///   keys_b      n_b sorted keys of the same type; may be or overlap keys_a
///   keys_out    room for n_a + n_b keys: a pointer or iterator of device memory; no overlap with another array
///   values_a    n_a values of any size: a pointer or random-access iterator of device memory
///   values_b    n_b values of the same type; may be or overlap values_a
///   values_out  room for n_a + n_b values: a pointer or iterator of device memory; no overlap with another array
///   n_a, n_b    how many items: each a signed integer, or a device_count in device memory with a bound; then the
///               outputs have room for the bounds, and are written up to the counts
///   order       less(x, y), whether x comes before y; or an order of the sorts (see above); less{} by default
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n_a or n_b < 0, a pointer is null for which n > 0, an output
/// overlaps another array or a count, or the workspace is too small; otherwise the first error of a launch. Cost: O(n_a
/// + n_b) work; each key and value is read and written once. One launch up to 2^21 keys of 4 bytes; for more, another
/// one before it reads log2(min(n_a, n_b)) pairs of keys, and takes 8 bytes of workspace, for every 4096 keys. Source:
/// merge path (Green, McColl & Bader 2012; Odeh, Green, Mwassi, Shmueli & Birk 2012).
///     cudaError_t e = merge_pairs(stream_pool{}, a, b, keys, values_a, values_b, values, n_a, n_b, less{}, stream);
template <class Policy = default_merge_policy, class KeysA, class KeysB, class KeysOut, class ValuesA, class ValuesB,
          class ValuesOut, class CountA, class CountB, class Order = less, class Stream = default_stream>
[[nodiscard]] error_of<Stream> merge_pairs(workspace_or_resource w, KeysA keys_a, KeysB keys_b, KeysOut keys_out,
                                           ValuesA values_a, ValuesB values_b, ValuesOut values_out, CountA n_a,
                                           CountB n_b, Order order = {}, Stream stream = {}) {
  if constexpr (detail::check_sorted_keys<Stream, KeysA, KeysB, CountA, CountB, Order>() &&
                detail::check_output<KeysOut, Stream>() &&
                detail::check_merged_values<ValuesA, ValuesB, ValuesOut, Stream>()) {
    using values = detail::merged_values<detail::item_t<ValuesA>, ValuesA, ValuesB, ValuesOut>;
    return detail::merge<Policy>(w, keys_a, keys_b, keys_out, values{values_a, values_b, values_out}, n_a, n_b, order,
                                 stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of merge_pairs with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items never need less. 0 for few items, and where n_a or n_b < 0.
template <class Policy = default_merge_policy, class KeysA, class KeysB, class KeysOut, class ValuesA, class ValuesB,
          class ValuesOut, class CountA, class CountB, class Order = less>
std::size_t merge_pairs_workspace_bytes(KeysA, KeysB, KeysOut, ValuesA, ValuesB, ValuesOut, CountA n_a, CountB n_b,
                                        Order = {}) {
  return detail::merge_bytes<Policy, KeysA>(n_a, n_b);
}

/// out[i] = the first index at which needle i could be inserted into the sorted keys: how many of them come before it.
/// The needles are in any order; sorted ones are faster.
///   keys     n sorted keys: a pointer or random-access iterator of device memory
///   needles  m keys of the same type; may be or overlap keys
///   out      m places, 0 to n, of the output's type: a pointer or iterator of device memory; no overlap with an input
///   n, m     how many: each a signed integer, or a device_count in device memory with a bound
///   order    less(x, y), whether x comes before y; or an order of the sorts (see above); less{} by default
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or m < 0, a pointer is null for which n or m > 0, or the
/// output overlaps an input or a count; otherwise the first error of a launch. Cost: one launch, no workspace. A tile
/// of 2048 needles (of 4 bytes) is searched between the bounds of its first and its last needle, in shared memory if at
/// most 4096 keys lie there. So if both arrays are sorted and about as long, each key and needle is read about once, in
/// O((n + m) log(tile)) work. m needles never cost more than m log2(n) reads.
///     cudaError_t e = lower_bound(keys, needles, places, n, m, less{}, stream);
template <class Policy = default_bounds_policy, class Keys, class Needles, class Out, class Count, class CountNeedles,
          class Order = less, class Stream = default_stream>
[[nodiscard]] error_of<Stream> lower_bound(Keys keys, Needles needles, Out out, Count n, CountNeedles m,
                                           Order order = {}, Stream stream = {}) {
  if constexpr (detail::check_sorted_keys<Stream, Keys, Needles, Count, CountNeedles, Order>() &&
                detail::check_output<Out, Stream>()) {
    return static_cast<error_of<Stream>>(detail::find_bounds<Policy, detail::bound_kind::lower>(
        executor_of(stream_of<Stream>(stream)), keys, needles, out, n, m, order));
  } else {
    return {};
  }
}

/// out[i] = the last index at which needle i could be inserted into the sorted keys: how many do not come after it. The
/// needles are in any order; sorted ones are faster.
///   keys     n sorted keys: a pointer or random-access iterator of device memory
///   needles  m keys of the same type; may be or overlap keys
///   out      m places, 0 to n, of the output's type: a pointer or iterator of device memory; no overlap with an input
///   n, m     how many: each a signed integer, or a device_count in device memory with a bound
///   order    less(x, y), whether x comes before y; or an order of the sorts (see above); less{} by default
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or m < 0, a pointer is null for which n or m > 0, or the
/// output overlaps an input or a count; otherwise the first error of a launch. Cost: one launch, no workspace. A tile
/// of 2048 needles (of 4 bytes) is searched between the bounds of its first and its last needle, in shared memory if at
/// most 4096 keys lie there. So if both arrays are sorted and about as long, each key and needle is read about once, in
/// O((n + m) log(tile)) work. m needles never cost more than m log2(n) reads.
///     cudaError_t e = upper_bound(keys, needles, places, n, m, less{}, stream);
template <class Policy = default_bounds_policy, class Keys, class Needles, class Out, class Count, class CountNeedles,
          class Order = less, class Stream = default_stream>
[[nodiscard]] error_of<Stream> upper_bound(Keys keys, Needles needles, Out out, Count n, CountNeedles m,
                                           Order order = {}, Stream stream = {}) {
  if constexpr (detail::check_sorted_keys<Stream, Keys, Needles, Count, CountNeedles, Order>() &&
                detail::check_output<Out, Stream>()) {
    return static_cast<error_of<Stream>>(detail::find_bounds<Policy, detail::bound_kind::upper>(
        executor_of(stream_of<Stream>(stream)), keys, needles, out, n, m, order));
  } else {
    return {};
  }
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
