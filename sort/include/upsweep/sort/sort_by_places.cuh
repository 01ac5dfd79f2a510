// Radix sort of the places of keys, and of keys with several arrays of values, which are fetched by their places: the
// public calls, which come with radix_sort.cuh.
//
//   cudaError_t e = upsweep::argsort(upsweep::stream_pool{}, keys, places, n);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/default_policy.hpp"
#include "upsweep/sort/device/argsort_places.cuh"
#include "upsweep/sort/device/gather_packed.cuh"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/order.hpp"
#include "upsweep/sort/packed_rows.hpp"
#include "upsweep/sort/radix_sort.cuh"
#include "upsweep/sort/sort_request.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Bytes of workspace of argsort with these arguments. A host formula in O(1): no GPU is needed, pointers are ignored,
/// and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Place, class Count, class Order = sort_order,
          class Bits = bit_range>
std::size_t argsort_workspace_bytes(KeyIn, Place*, Count n, Order = {}, Bits = {}) {
  using key = detail::item_t<KeyIn>;
  return detail::argsort_places_workspace<key, Place>(detail::method_for<Policy, KeyIn>{}, detail::bound_of(n));
}

/// places[i] = the index in the input of the key that a sort would put at index i.
///   w       a workspace of argsort_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///           until the work has finished
///   keys    n keys: a pointer or random-access iterator of device memory; left as they were
///   places  n integers of device memory that hold n - 1
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
        return static_cast<error_of<Stream>>(
            argsort_places(detail::method_for<Policy, KeyIn>{}, executor, lent, request));
      });
    }
  }
  return {};
}

/// An array of values, one for each key: n at `in`, which go to `out` in the order of the keys.
template <class Value>
struct value_array {
  const Value* in;  ///< n values
  Value* out;       ///< where they go, in the order of the keys
};
/// value_array{in, out}, without naming the type of the values.
template <class Value>
value_array(const Value*, Value*) -> value_array<Value>;
/// value_array{in, out}, without naming the type of the values.
template <class Value>
value_array(Value*, Value*) -> value_array<Value>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Method, class Key>
std::size_t sort_with_values_bytes(std::int64_t n) {
  if (n <= 0) return 0;
  return with_place(n, [n]<class Place>(Place) {
    workspace_layout layout;
    layout.add<Place>(n);
    return layout.bytes() + sort_places_workspace<Key, Place>(Method{}, n, false);
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
    const auto places = layout.add<Place>(bound);
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

/// Sorts keys with up to 8 arrays of values. Places are sorted with the keys, then each array is fetched by them; it is
/// faster with packed_rows_workspace_bytes more of workspace. For one array of values of at most 8 bytes, sort_pairs
/// moves less.
///   w         a workspace of sort_with_values_workspace_bytes bytes, or a memory resource to take it from; the caller
///             keeps it until the work has finished
///   keys_in   n keys: a pointer or random-access iterator of device memory; left as they were
///   keys_out  n keys of device memory; no overlap with another array
///   arrays    a std::tuple of 1 to 8 value_array, each n values of device memory and room for as many
///   n         how many items: a signed integer, or a device_count in device memory with a bound
///   order     sort_order::ascending or descending, key_digits<float, nan_order::last>{direction}, or an order of
///             decomposer.hpp
///   bits      the bits [begin, end) of the keys' codes that are compared (key_codec.hpp); all of them by default; an
///             empty range copies
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, a pointer is null with n > 0, an output overlaps
/// another array, the bits are not the key's, or the workspace is too small; otherwise the first error of a launch.
/// Cost: O(n) for each 8 bits. By the default policy one block or one cluster sorts few keys in one launch; many keys
/// take a histogram and a pass for each 8 bits, which reads and writes every key once. Then each array is read and
/// written once. Source: onesweep (Adinets & Merrill 2022).
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

/// Bytes of workspace of sort_with_values with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more keys never need less. 0 for n <= 0.
template <class Policy = default_sort_policy, class KeyIn, class Key, class... Value, class Count,
          class Order = sort_order, class Bits = bit_range>
std::size_t sort_with_values_workspace_bytes(KeyIn, Key*, const std::tuple<value_array<Value>...>&, Count n, Order = {},
                                             Bits = {}) {
  return detail::sort_with_values_bytes<detail::method_for<Policy, KeyIn>, Key>(detail::bound_of(n));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
