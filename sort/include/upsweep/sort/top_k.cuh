// The first k of many keys in their order, sorted: the public calls.
//
//   cudaError_t e = upsweep::top_k_keys(upsweep::stream_pool{}, scores, best, n, 100);  // the largest 100
//
//   std::size_t bytes = upsweep::top_k_pairs_workspace_bytes(keys, best, values, values_of_best, n, k);
//   e = upsweep::top_k_pairs({memory, bytes}, keys, best, values, values_of_best, n, k, sort_order::ascending);
//
// The result is what a stable sort would put first: of equal keys, those that come first in the input, in their order.
// It is the same in every run. Where k is above n, it is all n items.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/sampled_top_k.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The default policy of a top k: by a sample, or a sort of all.
using default_top_k_policy = detail::sampled_top_k<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Stream, class KeyIn, class Key, class Value, class Count, class K, class Order, class Bits>
constexpr bool check_top_k() {
  constexpr bool has_k = is_count<K>;
  static_assert(has_k, "upsweep: after n comes k, a signed integer or a device_count, then the order");
  if constexpr (has_k && check_stream<Stream>() && check_input<KeyIn, Stream>()) {
    return check_sort<Stream, KeyIn, Key, Value, Count, Order, Bits>();
  }
  return false;
}

/// Checks the arguments, and runs the method.
template <class Method, class Executor, class Key, class Value, class Digits, class Count, class K, class KeyIn>
status top_k_by(Executor& ex, workspace w, top_k_request<Key, Value, Digits, Count, K, KeyIn> r, bool keys_too,
                bool places) {
  constexpr bool has_values = r.has_values;
  const std::int64_t n = bound_of(r.n), k = bound_of(r.k), most = k < n ? k : n;
  if (r.bits.end == bit_range::full_width) r.bits.end = r.digits.bits;
  if (n < 0 || k < 0 || r.bits.begin < 0 || r.bits.begin > r.bits.end || r.bits.end > r.digits.bits) {
    return status::invalid_value;
  }
  if (most == 0) return status::success;
  if (is_null(place_of(r.n)) || is_null(place_of(r.k)) || is_null(r.keys_in) || (keys_too && r.keys_out == nullptr) ||
      (has_values && (r.values_out == nullptr || (r.values_in == nullptr && !places))) ||
      !written_apart(std::array{use_of(r.keys_in, n, false), use_of(r.keys_out, most, true),
                                use_of(r.values_in, n, false), use_of(r.values_out, most, true),
                                use_of(place_of(r.n), 1, false), use_of(place_of(r.k), 1, false)})) {
    return status::invalid_value;
  }
  const std::size_t bytes = Method::template workspace_bytes<KeyIn, Key, Digits, has_values>(n, k);
  if (bytes > 0 && (w.data == nullptr || w.bytes < bytes)) return status::invalid_value;
  return Method::run(ex, w, r);
}

template <class Policy, class KeyIn, class Key, class Value, class Order, class Count, class K>
std::size_t top_k_bytes(const Count& n, const K& k) {
  using digits = std::remove_cvref_t<decltype(digits_of<Key>(std::declval<const Order&>()))>;
  return Policy::template workspace_bytes<KeyIn, Key, digits, !std::is_same_v<Value, no_value>>(bound_of(n),
                                                                                                bound_of(k));
}

template <class Policy, class KeyIn, class Key, class Value, class Count, class K, class Order, class Stream>
error_of<Stream> top_k(const workspace_or_resource& w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                       Value* values_out, const Count& n, const K& k, const Order& order, bit_range bits, bool keys_too,
                       bool places, Stream stream) {
  using in = std::conditional_t<std::is_pointer_v<KeyIn>, const Key*, KeyIn>;
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto digits = digits_of<Key>(order);
  using request = top_k_request<Key, Value, std::remove_cvref_t<decltype(digits)>, decltype(count_argument(n)),
                                decltype(count_argument(k)), in>;
  const request r{digits, bits, count_argument(n), count_argument(k), keys_in, keys_out, values_in, values_out};
  return w.lend(top_k_bytes<Policy, KeyIn, Key, Value, Order>(n, k), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(top_k_by<Policy>(executor, lent, r, keys_too, places));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The first k keys in their order, sorted.
///   w         a workspace of top_k_keys_workspace_bytes bytes, or a memory resource to take it from; the caller keeps
///             it until the work has finished
///   keys_in   n keys: a pointer or random-access iterator of device memory; left as they were
///   keys_out  the smaller of n and k keys of device memory; no overlap with another array
///   n         how many items: a signed integer, or a device_count in device memory with a bound
///   k         how many to return: a signed integer, or a device_count in device memory with a bound
///   order     sort_order::descending for the largest (the default), or ascending for the smallest, or an order as
///             sort_keys takes it
///   bits      the bits [begin, end) of the keys' codes that are compared; all of them by default; by an empty range,
///             the first k keys are copied
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or k are below 0, or, unless one of them is 0, a pointer is
/// null, the output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported, and nothing touched, for more than 2^40 items; otherwise the first error of a launch. Cost:
/// keys are read once, and little more than k of them are sorted; all of them if 8 k > n or n is small. A sample tells
/// beforehand which keys may be needed; once in many millions of calls it misleads, and one block reads all keys a few
/// times. The workspace has room for twice the keys that are sorted. Source: Alabi et al., "Fast k-selection algorithms
/// for graphics processing units" (2012), and sample select (Floyd & Rivest 1975).
///     cudaError_t e = top_k_keys(stream_pool{}, scores, best, n, 100);
template <class Policy = default_top_k_policy, class KeyIn, class Key, class Count, class K, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> top_k_keys(workspace_or_resource w, KeyIn keys_in, Key* keys_out, Count n, K k,
                                          Order order = sort_order::descending, Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_top_k<Stream, KeyIn, Key, detail::no_value, Count, K, Order, Bits>()) {
    return detail::top_k<Policy>(w, keys_in, keys_out, detail::no_values_in, detail::no_values_out, n, k, order, bits,
                                 true, false, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of top_k_keys with these arguments. A host formula: no GPU is needed, pointers are ignored, and a
/// larger n or k never needs less. 0 for n <= 0 or k <= 0.
template <class Policy = default_top_k_policy, class KeyIn, class Key, class Count, class K, class Order = sort_order,
          class Bits = bit_range>
std::size_t top_k_keys_workspace_bytes(KeyIn, Key*, Count n, K k, Order = sort_order::descending, Bits = {}) {
  return detail::top_k_bytes<Policy, KeyIn, Key, detail::no_value, Order>(n, k);
}

/// The first k keys in their order, sorted, and the value of each.
///   w           a workspace of top_k_pairs_workspace_bytes bytes, or a memory resource to take it from; the caller
///               keeps it until the work has finished
///   keys_in     n keys: a pointer or random-access iterator of device memory; left as they were
///   keys_out    the smaller of n and k keys of device memory; no overlap with another array
///   values_in   n values of device memory, trivially copyable; left as they were
///   values_out  as many values as keys_out; no overlap with another array
///   n           how many items: a signed integer, or a device_count in device memory with a bound
///   k           how many to return: a signed integer, or a device_count in device memory with a bound
///   order       sort_order::descending for the largest (the default), or ascending for the smallest, or an order as
///               sort_pairs takes it
///   bits        the bits [begin, end) of the keys' codes that are compared; all of them by default; by an empty range,
///               the first k items are copied
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or k are below 0, or, unless one of them is 0, a pointer is
/// null, an output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported for more than 2^40 items, or if more than 2^32 - 1 would be sorted, see Cost; otherwise the
/// first error of a launch. Cost: keys are read once, and little more than k of them are sorted; all of them if 8 k > n
/// or n is small. Of the values only those of the result are read. A sample tells beforehand which keys may be needed;
/// once in many millions of calls it misleads, and one block reads all keys a few times. The workspace has room for
/// twice the keys that are sorted, and for their places. Source: Alabi et al., "Fast k-selection algorithms for
/// graphics processing units" (2012), and sample select (Floyd & Rivest 1975).
///     cudaError_t e = top_k_pairs(stream_pool{}, scores, best, ids, ids_of_best, n, 100);
template <class Policy = default_top_k_policy, class KeyIn, class Key, class Value, class Count, class K,
          class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> top_k_pairs(workspace_or_resource w, KeyIn keys_in, Key* keys_out,
                                           const Value* values_in, Value* values_out, Count n, K k,
                                           Order order = sort_order::descending, Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_top_k<Stream, KeyIn, Key, Value, Count, K, Order, Bits>()) {
    return detail::top_k<Policy>(w, keys_in, keys_out, values_in, values_out, n, k, order, bits, true, false, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of top_k_pairs with these arguments. A host formula: no GPU is needed, pointers are ignored, and
/// a larger n or k never needs less. 0 for n <= 0 or k <= 0.
template <class Policy = default_top_k_policy, class KeyIn, class Key, class Value, class Count, class K,
          class Order = sort_order, class Bits = bit_range>
std::size_t top_k_pairs_workspace_bytes(KeyIn, Key*, const Value*, Value*, Count n, K k, Order = sort_order::descending,
                                        Bits = {}) {
  return detail::top_k_bytes<Policy, KeyIn, Key, Value, Order>(n, k);
}

/// places[i] = the index in the input of the key that a sort would put at index i, for the first k.
///   w       a workspace of top_k_indices_workspace_bytes bytes, or a memory resource to take it from; the caller keeps
///           it until the work has finished
///   keys    n keys: a pointer or random-access iterator of device memory; left as they were
///   places  the smaller of n and k integers of device memory that hold n - 1; no overlap with another array
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   k       how many to return: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::descending for the largest (the default), or ascending for the smallest, or an order as
///           argsort takes it
///   bits    the bits [begin, end) of the keys' codes that are compared; all of them by default; by an empty range, the
///           places are 0 to k - 1
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or k are below 0, or, unless one of them is 0, a pointer is
/// null, the output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported for more than 2^40 items, or if more than 2^32 - 1 would be sorted, see Cost; otherwise the
/// first error of a launch. Cost: keys are read once, and little more than k of them are sorted; all of them if 8 k > n
/// or n is small. A sample tells beforehand which keys may be needed; once in many millions of calls it misleads, and
/// one block reads all keys a few times. The workspace has room for twice the keys that are sorted, and for their
/// places. Source: Alabi et al., "Fast k-selection algorithms for graphics processing units" (2012), and sample select
/// (Floyd & Rivest 1975).
///     cudaError_t e = top_k_indices(stream_pool{}, scores, places, n, 100, sort_order::descending, {}, stream);
template <class Policy = default_top_k_policy, class KeyIn, class Place, class Count, class K, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> top_k_indices(workspace_or_resource w, KeyIn keys, Place* places, Count n, K k,
                                             Order order = sort_order::descending, Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_input<KeyIn, Stream>()) {
    using key = detail::item_t<KeyIn>;
    if constexpr (detail::check_top_k<Stream, KeyIn, key, Place, Count, K, Order, Bits>()) {
      static_assert(std::is_integral_v<Place>, "upsweep: places are integers");
      return detail::top_k<Policy>(w, keys, static_cast<key*>(nullptr), static_cast<const Place*>(nullptr), places, n,
                                   k, order, bits, false, true, stream);
    }
  }
  return {};
}

/// Bytes of workspace of top_k_indices with these arguments. A host formula: no GPU is needed, pointers are ignored,
/// and a larger n or k never needs less. 0 for n <= 0 or k <= 0.
template <class Policy = default_top_k_policy, class KeyIn, class Place, class Count, class K, class Order = sort_order,
          class Bits = bit_range>
std::size_t top_k_indices_workspace_bytes(KeyIn, Place*, Count n, K k, Order = sort_order::descending, Bits = {}) {
  return detail::top_k_bytes<Policy, KeyIn, detail::item_t<KeyIn>, Place, Order>(n, k);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
