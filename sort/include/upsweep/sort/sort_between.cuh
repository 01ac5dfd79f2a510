// Radix sort between two arrays that swap roles, and in place with scratch: the public calls, which come with
// radix_sort.cuh.
//
//   upsweep::double_buffer keys{in, scratch};
//   cudaError_t e = upsweep::sort_keys(upsweep::stream_pool{}, keys, n);  // sorted, in keys.current
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <utility>

#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/default_policy.hpp"
#include "upsweep/sort/key_codec.hpp"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

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

/// Sorts back to `current`, or, with `may_swap`, to the array that saves a trip; the two then swap roles.
template <class Policy, class Key, class Value, class Count, class Order, class Bits, class Stream>
error_of<Stream> sort_between(const workspace_or_resource& w, double_buffer<Key>& keys, double_buffer<Value>& values,
                              bool may_swap, const Count& n, const Order& order, Bits bits, Stream stream) {
  if constexpr (check_sort<Stream, Key*, Key, Value, Count, Order, Bits>()) {
    const Key* const keys_in = keys.current;
    const Value* const values_in = values.current;
    const bool to_other = may_swap && ends_in_other<Policy>(bits, digits_of<Key>(order));
    auto request = make_sort_request(digits_of<Key>(order), bits, n, keys_in, to_other ? keys.other : keys.current,
                                     values_in, to_other ? values.other : values.current);
    request.keys_spare = to_other ? keys.current : keys.other;
    request.values_spare = to_other ? values.current : values.other;
    const stream_of<Stream> on = stream;
    auto executor = executor_of(on);
    return w.lend(sort_bytes<Policy, const Key*, Key, Value>(n, true), on, [&](workspace lent) {
      const status s = sort_by(Policy{}, executor, lent, request);
      if (s == status::success && to_other) {
        std::swap(keys.current, keys.other);
        std::swap(values.current, values.other);
      }
      return static_cast<error_of<Stream>>(s);
    });
  } else {
    return {};
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts keys between two buffers.
///   w       a workspace of sort_keys_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///           until the work has finished
///   keys    two arrays of n keys of device memory. `current` holds the keys, before and after the call; the arrays
///           swap roles if that saves a trip
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; otherwise the first error of a launch. Cost:
/// O(n) for each 8 bits. By the default policy one block or one cluster sorts few keys in one launch; many keys take a
/// histogram and a pass for each 8 bits, which reads and writes every key once. The workspace has no array of n keys.
/// Source: onesweep (Adinets & Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys(workspace_or_resource w, double_buffer<Key>& keys, Count n, Order order = {},
                                         Bits bits = {}, Stream stream = {}) {
  double_buffer<detail::no_value> none{nullptr, nullptr};
  return detail::sort_between<Policy>(w, keys, none, true, n, order, bits, stream);
}

/// Bytes of workspace of sort_keys with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range>
std::size_t sort_keys_workspace_bytes(const double_buffer<Key>&, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, detail::no_value>(n, true);
}

/// Sorts keys between two buffers, and moves a value with each between two others. By default values of more than 8
/// bytes go by their places, which moves less, if the workspace has room for these: 8 n bytes more, which
/// sort_pairs_workspace_bytes asks for with the policy by_place<onesweep<>>.
///   w       a workspace of sort_pairs_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///           until the work has finished
///   keys    two arrays of n keys of device memory. `current` holds the keys, before and after the call; the arrays
///           swap roles if that saves a trip
///   values  two arrays of n values of device memory. `current` holds the values, before and after the call; the arrays
///           swap roles if that saves a trip
///   n       how many items: a signed integer, or a device_count in device memory with a bound
///   order   sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///           decomposer.hpp
///   bits    the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///           empty range copies
///   stream  the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; otherwise the first error of a launch. Cost:
/// O(n) for each 8 bits. By the default policy one block or one cluster sorts few keys in one launch; many keys take a
/// histogram and a pass for each 8 bits, which reads and writes every key once. The workspace has no array of n keys.
/// Source: onesweep (Adinets & Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs(workspace_or_resource w, double_buffer<Key>& keys,
                                          double_buffer<Value>& values, Count n, Order order = {}, Bits bits = {},
                                          Stream stream = {}) {
  return detail::sort_between<Policy>(w, keys, values, true, n, order, bits, stream);
}

/// Bytes of workspace of sort_pairs with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t sort_pairs_workspace_bytes(const double_buffer<Key>&, const double_buffer<Value>&, Count n, Order = {},
                                       Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, Value>(n, true);
}

/// Sorts keys in place.
///   w        a workspace of sort_keys_in_place_workspace_bytes bytes, or a memory resource to take it from; the caller
///            keeps it until the work has finished
///   keys     n keys of device memory
///   scratch  n more of device memory, as scratch; their contents afterwards are unspecified
///   n        how many items: a signed integer, or a device_count in device memory with a bound
///   order    sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///            decomposer.hpp
///   bits     the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///            empty range copies
///   stream   the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; otherwise the first error of a launch. Cost:
/// O(n) for each 8 bits. By the default policy one block or one cluster sorts few keys in one launch; many keys take a
/// histogram and a pass for each 8 bits, which reads and writes every key once. The workspace has no array of n keys.
/// One more trip if the number of passes is odd, or if values are moved by their places. Source: onesweep (Adinets &
/// Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys_in_place(workspace_or_resource w, Key* keys, Key* scratch, Count n,
                                                  Order order = {}, Bits bits = {}, Stream stream = {}) {
  double_buffer<Key> both{keys, scratch};
  double_buffer<detail::no_value> none{nullptr, nullptr};
  return detail::sort_between<Policy>(w, both, none, false, n, order, bits, stream);
}

/// Bytes of workspace of sort_keys_in_place with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order, class Bits = bit_range>
std::size_t sort_keys_in_place_workspace_bytes(Key*, Key*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, detail::no_value>(n, true);
}

/// Sorts keys in place, and moves a value with each.
///   w               a workspace of sort_pairs_in_place_workspace_bytes bytes, or a memory resource to take it from;
///                   the caller keeps it until the work has finished
///   keys            n keys of device memory
///   keys_scratch    n more of device memory, as scratch; their contents afterwards are unspecified
///   values          n values of device memory, trivially copyable
///   values_scratch  n more of device memory, as scratch; their contents afterwards are unspecified
///   n               how many items: a signed integer, or a device_count in device memory with a bound
///   order           sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///                   decomposer.hpp
///   bits            the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by
///                   default; an empty range copies
///   stream          the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an array overlaps
/// another one, the bits are not the key's, or the workspace is too small; otherwise the first error of a launch. Cost:
/// O(n) for each 8 bits. By the default policy one block or one cluster sorts few keys in one launch; many keys take a
/// histogram and a pass for each 8 bits, which reads and writes every key once. The workspace has no array of n keys.
/// One more trip if the number of passes is odd, or if values are moved by their places. Source: onesweep (Adinets &
/// Merrill 2022).
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs_in_place(workspace_or_resource w, Key* keys, Key* keys_scratch, Value* values,
                                                   Value* values_scratch, Count n, Order order = {}, Bits bits = {},
                                                   Stream stream = {}) {
  double_buffer<Key> both_keys{keys, keys_scratch};
  double_buffer<Value> both_values{values, values_scratch};
  return detail::sort_between<Policy>(w, both_keys, both_values, false, n, order, bits, stream);
}

/// Bytes of workspace of sort_pairs_in_place with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t sort_pairs_in_place_workspace_bytes(Key*, Key*, Value*, Value*, Count n, Order = {}, Bits = {}) {
  return detail::sort_bytes<Policy, const Key*, Key, Value>(n, true);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
