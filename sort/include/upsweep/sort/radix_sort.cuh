// Radix sort of device memory: the public calls.
//
//   cudaError_t e = upsweep::sort_keys(upsweep::stream_pool{}, in, out, n, upsweep::sort_order::descending);
//
//   std::size_t bytes = upsweep::sort_pairs_workspace_bytes(keys, sorted_keys, values, sorted_values, n);
//   e = upsweep::sort_pairs({memory, bytes}, keys, sorted_keys, values, sorted_values, n, {}, {}, stream);
//
// Sorts are stable; descending keeps equal keys in input order too. Keys are integers of 1 to 16 bytes, half, bfloat16,
// float and double, with a sort_order or key_digits<float, nan_order::last>{direction} as their order. Any other type
// that is copied as bytes is sorted by an order of decomposer.hpp. Values are of any trivially copyable type. Keys and
// values have a default constructor and an assignment. The input is left as it was, and in == out is refused: with one
// array and scratch, use sort_keys_in_place or a double_buffer.
//
// Keys may come from an iterator, whose in[i] is read on the device: for example keys that are computed from other
// arrays.
//
// A call enqueues its kernels on `stream` and returns: it allocates nothing, unless it is given a resource
// (simt/memory_resource.cuh), does not wait, and can be captured in a graph. With a sim_stream it runs on the CPU and
// has finished when it returns. Sorts between two arrays and in place: sort_between.cuh; of places, and with several
// arrays of values: sort_by_places.cuh. Both come with this file.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/default_policy.hpp"
#include "upsweep/sort/device/keys_from_iterator.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What keys are read from: a pointer to keys, or anything whose operator[] returns a key.
template <class T, class Key>
concept key_input = std::is_same_v<T, Key*> || std::is_same_v<T, const Key*> ||
    (!std::is_pointer_v<T> && requires(const T& in, Key& key, std::int64_t i) { key = in[i]; });

/// The method of a call with that policy.
template <class Policy, class KeyIn>
using method_for =
    std::conditional_t<std::is_pointer_v<KeyIn> || reads_iterators<Policy>, Policy, keys_from_iterator<Policy>>;

template <class KeyIn, class Key>
constexpr bool check_keys() {
  constexpr bool fits = key_input<KeyIn, Key>;
  static_assert(fits, "upsweep: keys are read from a pointer to the output's type, or an iterator whose in[i] is one");
  constexpr bool moves = is_sortable<Key>;
  static_assert(moves, "upsweep: keys are copied as bytes, and need a default constructor");
  return fits && moves;
}
template <class Value>
constexpr bool check_values() {
  constexpr bool moves = is_sortable<Value>;
  static_assert(moves, "upsweep: values are copied as bytes, and need a default constructor");
  return moves;
}
template <class Order, class Key>
constexpr bool check_order() {
  constexpr bool is_direction = std::is_same_v<Order, sort_order>;
  constexpr bool is_order = is_direction || requires(const Order& order) {
    order.at(0, 8);
    order.bits;
  };
  static_assert(is_order,
                "upsweep: after n comes the order: a sort_order, or one of decomposer.hpp; then bits, then "
                "the stream");
  constexpr bool has_digits = !is_direction || is_number_key<Key>;
  static_assert(has_digits,
                "upsweep: keys that are not numbers need an order of decomposer.hpp, such as decomposed_by");
  return is_order && has_digits;
}
template <class Stream, class KeyIn, class Key, class Value, class Count, class Order, class Bits>
constexpr bool check_sort() {
  constexpr bool has_bits = std::is_same_v<Bits, bit_range>;
  static_assert(has_bits, "upsweep: after the order come the bits, {begin, end} or {} for all, then the stream");
  if constexpr (has_bits && check_stream<Stream>() && check_count<Count>() && check_keys<KeyIn, Key>() &&
                check_values<Value>()) {
    return check_order<Order, Key>();
  }
  return false;
}

/// A request of `n` items.
template <class Key, class Value, class Digits, class KeyIn, class Count>
auto make_sort_request(const Digits& digits, bit_range bits, const Count& n, KeyIn keys_in, Key* keys_out,
                       const Value* values_in, Value* values_out) {
  using in = std::conditional_t<std::is_pointer_v<KeyIn>, const Key*, KeyIn>;
  using count = decltype(count_argument(n));
  return sort_request<Key, Value, Digits, count, in>{digits,   bits,      count_argument(n), keys_in,
                                                     keys_out, values_in, values_out};
}

/// What values a sort of keys alone has.
inline constexpr const no_value* no_values_in = nullptr;
inline constexpr no_value* no_values_out = nullptr;

template <class Policy, class KeyIn, class Key, class Value, class Count>
std::size_t sort_bytes(const Count& n, bool has_spare) {
  return bound_of(n) <= 0 ? 0 : sort_workspace_of<Key, Value>(method_for<Policy, KeyIn>{}, bound_of(n), has_spare);
}

/// From one array to another.
template <class Policy, class KeyIn, class Key, class Value, class Count, class Order, class Bits, class Stream>
error_of<Stream> sort(const workspace_or_resource& w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                      Value* values_out, const Count& n, const Order& order, Bits bits, Stream stream) {
  if constexpr (check_sort<Stream, KeyIn, Key, Value, Count, Order, Bits>()) {
    const stream_of<Stream> on = stream;
    auto executor = executor_of(on);
    return w.lend(sort_bytes<Policy, KeyIn, Key, Value>(n, false), on, [&](workspace lent) {
      return static_cast<error_of<Stream>>(
          sort_by(method_for<Policy, KeyIn>{}, executor, lent,
                  make_sort_request(digits_of<Key>(order), bits, n, keys_in, keys_out, values_in, values_out)));
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts keys by the bits of the range.
///   w       a workspace of sort_keys_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///           until the work has finished
///   in      n keys: a pointer or random-access iterator of device memory; left as they were
///   out     n keys of device memory; no overlap with another array
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array, the bits are not the key's, or the workspace is too small; otherwise the first error of a launch.
/// Cost: O(n) for each 8 bits. By the default policy one block or one cluster sorts few keys in one launch; many keys
/// take a histogram and a pass for each 8 bits, which reads and writes every key once. Source: onesweep (Adinets &
/// Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Key, class Count, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys(workspace_or_resource w, KeyIn in, Key* out, Count n, Order order = {},
                                         Bits bits = {}, Stream stream = {}) {
  return detail::sort<Policy>(w, in, out, detail::no_values_in, detail::no_values_out, n, order, bits, stream);
}

/// Bytes of workspace of sort_keys with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t sort_keys_workspace_bytes(KeyIn, Key*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, KeyIn, Key, detail::no_value>(n, false);
}

/// Sorts keys by the bits of the range, and moves a value with each.
///   w           a workspace of sort_pairs_workspace_bytes bytes, or a memory resource to take it from; the caller
///               keeps it until the work has finished
///   keys_in     n keys: a pointer or random-access iterator of device memory; left as they were
///   keys_out    n keys of device memory; no overlap with another array
///   values_in   n values of device memory, trivially copyable; left as they were
///   values_out  n values of device memory; no overlap with another array
///   n           how many items: a signed integer, or a device_count in device memory with a bound
///   order       sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///               decomposer.hpp
///   bits        the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///               empty range copies
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array, the bits are not the key's, or the workspace is too small; otherwise the first error of a launch.
/// Cost: O(n) for each 8 bits. By the default policy one block or one cluster sorts few keys in one launch; many keys
/// take a histogram and a pass for each 8 bits, which reads and writes every key once. Source: onesweep (Adinets &
/// Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Count,
          class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs(workspace_or_resource w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                                          Value* values_out, Count n, Order order = {}, Bits bits = {},
                                          Stream stream = {}) {
  return detail::sort<Policy>(w, keys_in, keys_out, values_in, values_out, n, order, bits, stream);
}

/// Bytes of workspace of sort_pairs with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Count,
          class Order = sort_order, class Bits = bit_range>
std::size_t sort_pairs_workspace_bytes(KeyIn, Key*, const Value*, Value*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, KeyIn, Key, Value>(n, false);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

// What needs the above, and comes with it.
#include "upsweep/sort/sort_between.cuh"
#include "upsweep/sort/sort_by_places.cuh"
