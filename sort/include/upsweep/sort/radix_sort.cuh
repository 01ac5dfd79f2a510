// Radix sort of device memory: the public calls.
//
//   cudaError_t e = upsweep::sort_keys(upsweep::stream_pool{}, in, out, n, upsweep::sort_order::descending);
//
//   std::size_t bytes = upsweep::sort_pairs_workspace_bytes(keys, sorted_keys, values, sorted_values, n);
//   e = upsweep::sort_pairs({memory, bytes}, keys, sorted_keys, values, sorted_values, n, {}, {}, stream);
//
// Sorts are stable; descending keeps equal keys in input order too. Keys are integers of 1 to 16 bytes, half, bfloat16,
// float and double, by a direction as their order, or by key_digits<float, nan_order::last>{direction}; and anything
// else that is copied as bytes, by an order of decomposer.hpp. Values are any trivially copyable type. Keys and values
// can be made without arguments and assigned. The input is left as it was; in == out is refused: sort_keys_in_place,
// and two buffers that change their roles, are for those who have one array and scratch.
//
// Keys may come from an iterator, of which in[i] is read on the device: numbers that are counted or made of others.
//
// A call enqueues its kernels on `stream` and returns: it allocates nothing, unless it is given a resource
// (simt/memory_resource.cuh), does not wait, and can be captured in a graph. With a sim_stream it runs on the CPU and
// has finished when it returns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/decomposer.hpp"
#include "upsweep/sort/device/gather_packed.cuh"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/device/keys_from_iterator.cuh"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/packed_rows.hpp"
#include "upsweep/sort/policy.hpp"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What keys are read from: keys, or anything else of which [i] gives one.
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
  static_assert(moves, "upsweep: keys are copied as bytes, and made without arguments: registers hold some");
  return fits && moves;
}
template <class Value>
constexpr bool check_values() {
  constexpr bool moves = is_sortable<Value>;
  static_assert(moves, "upsweep: values are copied as bytes, and made without arguments: registers hold some");
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
                "upsweep: behind n stands the order: a sort_order, or one of decomposer.hpp; then bits, then "
                "the stream");
  constexpr bool has_digits = !is_direction || is_number_key<Key>;
  static_assert(has_digits, "upsweep: keys that are no numbers need an order of decomposer.hpp, such as decomposed_by");
  return is_order && has_digits;
}
template <class Stream, class KeyIn, class Key, class Value, class Count, class Order, class Bits>
constexpr bool check_sort() {
  constexpr bool has_bits = std::is_same_v<Bits, bit_range>;
  static_assert(has_bits, "upsweep: behind the order stand the bits, {begin, end} or {} for all, then the stream");
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

template <class Policy, class KeyIn, class Key, class Value, class Count, class Order, class Stream>
error_of<Stream> sort(const workspace_or_resource& w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                      Value* values_out, const Count& n, const Order& order, bit_range bits, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  return w.lend(sort_bytes<Policy, KeyIn, Key, Value>(n, false), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(
        sort_by(method_for<Policy, KeyIn>{}, executor, lent,
                make_sort_request(digits_of<Key>(order), bits, n, keys_in, keys_out, values_in, values_out)));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts keys by the bits of the range.
///   w       a workspace of sort_keys_workspace_bytes bytes, or a memory resource to take it from; the caller's until
///           the work has finished
///   in      n keys: a pointer or random-access iterator of device memory; left as they were
///   out     n keys of device memory; no overlap with another array
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// another array, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. Source: onesweep (Adinets
/// & Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Key, class Count, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys(workspace_or_resource w, KeyIn in, Key* out, Count n, Order order = {},
                                         Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, KeyIn, Key, detail::no_value, Count, Order, Bits>()) {
    return detail::sort<Policy>(w, in, out, detail::no_values_in, detail::no_values_out, n, order, bits, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_keys with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t sort_keys_workspace_bytes(KeyIn, Key*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, KeyIn, Key, detail::no_value>(n, false);
}

/// Sorts keys by the bits of the range, and moves a value with each.
///   w           a workspace of sort_pairs_workspace_bytes bytes, or a memory resource to take it from; the caller's
///               until the work has finished
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
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// another array, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. Source: onesweep (Adinets
/// & Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Count,
          class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs(workspace_or_resource w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                                          Value* values_out, Count n, Order order = {}, Bits bits = {},
                                          Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, KeyIn, Key, Value, Count, Order, Bits>()) {
    return detail::sort<Policy>(w, keys_in, keys_out, values_in, values_out, n, order, bits, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_pairs with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Count,
          class Order = sort_order, class Bits = bit_range>
std::size_t sort_pairs_workspace_bytes(KeyIn, Key*, const Value*, Value*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, KeyIn, Key, Value>(n, false);
}

/// Two arrays of n items, of which a sort may use both. The result is in `current` when the call returns.
template <class T>
struct double_buffer {
  T* current;  ///< the input when a call begins, the result when it returns
  T* other;    ///< scratch
};

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Whether a sort by that policy of the bits between two buffers goes over to the other one.
template <class Policy, class Digits>
bool ends_in_other(bit_range bits, const Digits& digits) {
  if (bits.end == bit_range::full_width) bits.end = digits.bits;
  return bits.end > bits.begin && digit_passes(bits, radix_bits_of<Policy>).count % 2 != 0;
}

/// Sorts to `other` or back to `current`, by whichever of the two that is not.
template <class Policy, class Key, class Value, class Count, class Order, class Stream>
error_of<Stream> sort_between(const workspace_or_resource& w, const double_buffer<Key>& keys,
                              const double_buffer<Value>& values, bool to_other, const Count& n, const Order& order,
                              bit_range bits, Stream stream) {
  const Key* const keys_in = keys.current;
  const Value* const values_in = values.current;
  auto request = make_sort_request(digits_of<Key>(order), bits, n, keys_in, to_other ? keys.other : keys.current,
                                   values_in, to_other ? values.other : values.current);
  request.keys_spare = to_other ? keys.current : keys.other;
  request.values_spare = to_other ? values.current : values.other;
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  return w.lend(sort_bytes<Policy, const Key*, Key, Value>(n, true), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(sort_by(Policy{}, executor, lent, request));
  });
}
/// The same, and the buffers change their roles.
template <class Policy, class Key, class Value, class Count, class Order, class Stream>
error_of<Stream> sort_buffers(const workspace_or_resource& w, double_buffer<Key>& keys, double_buffer<Value>& values,
                              const Count& n, const Order& order, bit_range bits, Stream stream) {
  const bool other = ends_in_other<Policy>(bits, digits_of<Key>(order));
  const error_of<Stream> e = sort_between<Policy>(w, keys, values, other, n, order, bits, stream);
  if (static_cast<status>(e) == status::success && other) {
    std::swap(keys.current, keys.other);
    std::swap(values.current, values.other);
  }
  return e;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts keys between two buffers.
///   w       a workspace of sort_keys_workspace_bytes bytes, or a memory resource to take it from; the caller's until
///           the work has finished
///   keys    two arrays of n keys of device memory, of which `current` holds them, then and afterwards; they change
///           their roles where that saves a trip
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. No scratch of n keys is
/// in the workspace. Source: onesweep (Adinets & Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys(workspace_or_resource w, double_buffer<Key>& keys, Count n, Order order = {},
                                         Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, Key*, Key, detail::no_value, Count, Order, Bits>()) {
    double_buffer<detail::no_value> none{nullptr, nullptr};
    return detail::sort_buffers<Policy>(w, keys, none, n, order, bits, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_keys with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range>
std::size_t sort_keys_workspace_bytes(const double_buffer<Key>&, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, detail::no_value>(n, true);
}

/// Sorts keys, and moves a value with each, between two buffers of either. By default values of more than 8 bytes go by
/// their places, which moves less, where there is room for those: by_place<onesweep<>> as the policy of
/// sort_pairs_workspace_bytes, 8 n bytes more.
///   w       a workspace of sort_pairs_workspace_bytes bytes, or a memory resource to take it from; the caller's until
///           the work has finished
///   keys    two arrays of n keys of device memory, of which `current` holds them, then and afterwards; they change
///           their roles where that saves a trip
///   values  two arrays of n values of device memory, of which `current` holds them, then and afterwards; they change
///           their roles where that saves a trip
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. No scratch of n keys is
/// in the workspace. Source: onesweep (Adinets & Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs(workspace_or_resource w, double_buffer<Key>& keys,
                                          double_buffer<Value>& values, Count n, Order order = {}, Bits bits = {},
                                          Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, Key*, Key, Value, Count, Order, Bits>()) {
    return detail::sort_buffers<Policy>(w, keys, values, n, order, bits, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_pairs with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t sort_pairs_workspace_bytes(const double_buffer<Key>&, const double_buffer<Value>&, Count n, Order = {},
                                       Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, Value>(n, true);
}

/// Sorts keys where they are.
///   w        a workspace of sort_keys_in_place_workspace_bytes bytes, or a memory resource to take it from; the
///            caller's until the work has finished
///   keys     n keys of device memory
///   scratch  n more of device memory; what they hold afterwards means nothing
///   n        how many items: a signed integer, or a device_count in device memory with a bound
///   order    sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///            decomposer.hpp
///   bits     the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///            empty range copies
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. No scratch of n keys is
/// in the workspace. Where passes odd in number run, or values go by their places, one trip more. Source: onesweep
/// (Adinets & Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys_in_place(workspace_or_resource w, Key* keys, Key* scratch, Count n,
                                                  Order order = {}, Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, Key*, Key, detail::no_value, Count, Order, Bits>()) {
    const double_buffer<detail::no_value> none{nullptr, nullptr};
    return detail::sort_between<Policy>(w, double_buffer<Key>{keys, scratch}, none, false, n, order, bits, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_keys_in_place with these arguments. A host formula in O(1): no GPU is asked, pointers are
/// not looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range>
std::size_t sort_keys_in_place_workspace_bytes(Key*, Key*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, detail::no_value>(n, true);
}

/// Sorts keys where they are, and moves a value with each.
///   w               a workspace of sort_pairs_in_place_workspace_bytes bytes, or a memory resource to take it from;
///                   the caller's until the work has finished
///   keys            n keys of device memory
///   keys_scratch    n more of device memory; what they hold afterwards means nothing
///   values          n values of device memory, trivially copyable
///   values_scratch  n more of device memory; what they hold afterwards means nothing
///   n               how many items: a signed integer, or a device_count in device memory with a bound
///   order           sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///                   decomposer.hpp
///   bits            the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by
///                   default; an empty range copies
///   stream          the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. No scratch of n keys is
/// in the workspace. Where passes odd in number run, or values go by their places, one trip more. Source: onesweep
/// (Adinets & Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs_in_place(workspace_or_resource w, Key* keys, Key* keys_scratch, Value* values,
                                                   Value* values_scratch, Count n, Order order = {}, Bits bits = {},
                                                   Stream stream = {}) {
  if constexpr (detail::check_sort<Stream, Key*, Key, Value, Count, Order, Bits>()) {
    return detail::sort_between<Policy>(w, double_buffer<Key>{keys, keys_scratch},
                                        double_buffer<Value>{values, values_scratch}, false, n, order, bits, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_pairs_in_place with these arguments. A host formula in O(1): no GPU is asked, pointers
/// are not looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t sort_pairs_in_place_workspace_bytes(Key*, Key*, Value*, Value*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, Value>(n, true);
}

/// Bytes of workspace of argsort with these arguments. A host formula in O(1): no GPU is asked, pointers are not
/// looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Place, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t argsort_workspace_bytes(KeyIn, Place*, Count n, Order = {}, Bits = {}) {
  using key = detail::item_t<KeyIn>;
  return detail::sort_places_workspace<key, Place>(detail::method_for<Policy, KeyIn>{}, detail::bound_of(n), true,
                                                   false);
}

/// places[i] = where the key that would stand at place i of the sorted keys stands in the input.
///   w       a workspace of argsort_workspace_bytes bytes, or a memory resource to take it from; the caller's until the
///           work has finished
///   keys    n keys: a pointer or random-access iterator of device memory; left as they were
///   places  n integers of device memory that hold n - 1
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// another array, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. Source: onesweep (Adinets
/// & Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Place, class Count, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> argsort(workspace_or_resource w, KeyIn keys, Place* places, Count n, Order order = {},
                                       Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_input<KeyIn, Stream>()) {
    using key = detail::item_t<KeyIn>;
    if constexpr (detail::check_sort<Stream, KeyIn, key, Place, Count, Order, Bits>()) {
      static_assert(std::is_integral_v<Place>, "upsweep: places are integers");
      const stream_of<Stream> on = stream;
      auto executor = executor_of(on);
      return w.lend(argsort_workspace_bytes<Policy>(keys, places, n), on, [&](workspace lent) {
        const auto request =
            detail::make_sort_request(detail::digits_of<key>(order), bits, n, keys, static_cast<key*>(nullptr),
                                      static_cast<const Place*>(nullptr), places);
        return static_cast<error_of<Stream>>(sort_places(detail::method_for<Policy, KeyIn>{}, executor, lent, request));
      });
    }
  }
  return {};
}

/// Values that belong to the keys: n at `in`, which go to `out`.
template <class Value>
struct value_array {
  const Value* in;  ///< n values
  Value* out;       ///< where they go, in the order of the keys
};
template <class Value>
value_array(const Value*, Value*) -> value_array<Value>;
template <class Value>
value_array(Value*, Value*) -> value_array<Value>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Method, class Key>
std::size_t sort_with_values_bytes(std::int64_t n) {
  if (n <= 0) return 0;
  return with_place(n, [n]<class Place>(Place) {
    workspace_layout layout;
    layout.add<Place>(static_cast<std::size_t>(n));
    return layout.bytes() + sort_places_workspace<Key, Place>(Method{}, n, false, false);
  });
}

/// The sort of places, then each array by them.
template <class Method, class Executor, class KeyIn, class Key, class... Value, class Count, class Digits>
status sort_with_values(Executor& executor, workspace w, KeyIn keys_in, Key* keys_out,
                        const std::tuple<value_array<Value>...>& arrays, const Count& n, const Digits& digits,
                        bit_range bits) {
  const auto sort_by_places = [&]<class Place>(Place) {
    auto request = make_sort_request(digits, bits, n, keys_in, keys_out, static_cast<const Place*>(nullptr),
                                     static_cast<Place*>(nullptr));
    const std::int64_t bound = bound_of(request.n);
    if (bound < 0) return status::invalid_value;
    if (bound == 0) return status::success;
    const bool all_usable = std::apply(
        [&](const auto&... a) {
          return ((a.in != nullptr && a.out != nullptr) && ...) &&
                 written_apart(std::array{use_of(keys_in, bound, false), use_of(keys_out, bound, true),
                                          use_of(place_of(n), 1, false), use_of(a.in, bound, false)...,
                                          use_of(a.out, bound, true)...});
        },
        arrays);
    const std::size_t bytes = sort_with_values_bytes<Method, Key>(bound);
    if (!all_usable || keys_out == nullptr || w.data == nullptr || w.bytes < bytes) return status::invalid_value;
    workspace_layout layout;
    const auto places = layout.add<Place>(static_cast<std::size_t>(bound));
    request.values_out = layout.at(w, places);
    status s = sort_places(Method{}, executor, layout.rest(w), request);
    bool fetched = false;
    if (s == status::success) {
      const auto rows = std::apply(
          [](const auto&... a) {
            return std::array{row_array{a.in, a.out, sizeof *a.in}...};
          },
          arrays);
      s = gather_packed(executor, w, bytes, rows.data(), rows.size(), request.values_out, request.n, fetched);
    }
    const auto fetch = [&](const auto& a) {
      if (s == status::success && !fetched)
        s = gather_rows<sizeof *a.in>(executor, a.in, a.out, sizeof *a.in, request.values_out, request.n);
    };
    std::apply([&](const auto&... a) { (fetch(a), ...); }, arrays);
    return s;
  };
  return with_place(static_cast<std::int64_t>(bound_of(n)), sort_by_places);
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts keys with up to 8 arrays of values: places are sorted with the keys, then each array is fetched by them,
/// faster with packed_rows_workspace_bytes more of workspace. For one array of values of at most 8 bytes, sort_pairs
/// moves less.
///   w         a workspace of sort_with_values_workspace_bytes bytes, or a memory resource to take it from; the
///             caller's until the work has finished
///   keys_in   n keys: a pointer or random-access iterator of device memory; left as they were
///   keys_out  n keys of device memory; no overlap with another array
///   arrays    a std::tuple of 1 to 8 value_array, each n values of device memory and room for as many
///   n         how many items: a signed integer, or a device_count in device memory with a bound
///   order     sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///             decomposer.hpp
///   bits      the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///             empty range copies
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, where n < 0, a pointer is null with n > 0, an output overlaps
/// another array, the bits are not the key's, or the workspace is too small; else the first error of a launch.
/// Cost: O(n) for each 8 bits; by the default policy one block or one cluster sorts few keys in one launch, and many
/// take a histogram and a pass for each 8 bits, of which one reads and writes every key once. Then one trip of each
/// array. Source: onesweep (Adinets & Merrill 2022).
template <class Policy = default_sort_policy, class KeyIn, class Key, class... Value, class Count,
          class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_with_values(workspace_or_resource w, KeyIn keys_in, Key* keys_out,
                                                const std::tuple<value_array<Value>...>& arrays, Count n,
                                                Order order = {}, Bits bits = {}, Stream stream = {}) {
  static_assert(sizeof...(Value) >= 1 && sizeof...(Value) <= 8, "upsweep: 1 to 8 arrays of values");
  static_assert((is_bitwise_copyable<Value> && ...), "upsweep: values are copied as bytes");
  if constexpr (detail::check_sort<Stream, KeyIn, Key, detail::no_value, Count, Order, Bits>()) {
    using method = detail::method_for<Policy, KeyIn>;
    const stream_of<Stream> on = stream;
    auto executor = executor_of(on);
    return w.lend(detail::sort_with_values_bytes<method, Key>(detail::bound_of(n)), on, [&](workspace lent) {
      return static_cast<error_of<Stream>>(detail::sort_with_values<method>(executor, lent, keys_in, keys_out, arrays,
                                                                            n, detail::digits_of<Key>(order), bits));
    });
  } else {
    return {};
  }
}

/// Bytes of workspace of sort_with_values with these arguments. A host formula in O(1): no GPU is asked, pointers are
/// not looked at, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class... Value, class Count,
          class Order = sort_order, class Bits = bit_range>
std::size_t sort_with_values_workspace_bytes(KeyIn, Key*, const std::tuple<value_array<Value>...>&, Count n, Order = {},
                                             Bits = {}) {
  return detail::sort_with_values_bytes<detail::method_for<Policy, KeyIn>, Key>(detail::bound_of(n));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
