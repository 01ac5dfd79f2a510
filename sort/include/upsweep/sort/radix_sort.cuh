// Radix sort of device memory: the public calls.
//
//   std::size_t bytes = upsweep::sort_pairs_workspace_bytes<std::uint32_t, std::uint32_t>(n);
//   upsweep::sort_pairs({workspace, bytes}, keys, sorted_keys, values, sorted_values, n, {}, order, stream);
//
// Sorts are stable; descending keeps equal keys in input order too. Keys are integers of 1 to 16 bytes, half, bfloat16,
// float and double, by a direction as their order, or by key_digits<float, nan_order::last>{direction}; and anything
// else that is copied as bytes, by an order of decomposer.hpp. Values are any trivially copyable type. Keys and values
// can be made without arguments and assigned. The input is left as it was; in == out is refused: sort_keys_in_place,
// and two buffers that change their roles, are for those who have one array and scratch. n is a number, or a
// device_count in device memory with a bound.
//
// Keys may come from an iterator, of which in[i] is read on the device: numbers that are counted or made of others. The
// workspace then is that of the policy keys_from_iterator<>:
//
//   std::size_t bytes = upsweep::sort_keys_workspace_bytes<float, upsweep::keys_from_iterator<>>(n);
//   upsweep::sort_keys({workspace, bytes}, thrust::make_transform_iterator(points, distance_to{eye}), sorted, n);
//
// A call enqueues its kernels on `stream` and returns: it neither allocates nor waits, and it can be captured in a
// graph. With a sim_stream it runs on the CPU and has finished when it returns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/executor.hpp"
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

namespace upsweep {

/// Bytes of workspace for sort_keys. A host formula; more keys never need less. 0 for n <= 0. `has_spare`: for the
/// calls between two buffers, and in place with a scratch array.
template <class Key, class Policy = default_sort_policy>
std::size_t sort_keys_workspace_bytes(std::int64_t n, bool has_spare = false) {
  return n <= 0 ? 0 : sort_workspace_of<Key, no_value>(Policy{}, n, has_spare);
}

/// Bytes of workspace for sort_pairs.
template <class Key, class Value, class Policy = default_sort_policy>
std::size_t sort_pairs_workspace_bytes(std::int64_t n, bool has_spare = false) {
  return n <= 0 ? 0 : sort_workspace_of<Key, Value>(Policy{}, n, has_spare);
}

/// What keys are read from: keys, or anything else of which [i] gives one.
template <class T, class Key>
concept key_input = std::is_same_v<T, Key*> || std::is_same_v<T, const Key*> ||
    (!std::is_pointer_v<T> && requires(const T& in, Key& key, std::int64_t i) { key = in[i]; });

/// The method of a call with that policy.
template <class Policy, class KeyIn>
using method_for =
    std::conditional_t<std::is_pointer_v<KeyIn> || reads_iterators<Policy>, Policy, keys_from_iterator<Policy>>;

/// What can be moved by a sort.
template <class T>
inline constexpr bool is_sortable =
    std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T>&& std::is_copy_assignable_v<T>;

/// A request of `n` items, a number of any integral type or a device_count.
template <class Key, class Value, class Digits, class KeyIn, class Count>
auto make_sort_request(const Digits& digits, bit_range bits, const Count& n, KeyIn keys_in, Key* keys_out,
                       const Value* values_in, Value* values_out) {
  static_assert(is_sortable<Key>, "keys are copied as bytes, and made without arguments: registers hold some");
  static_assert(is_sortable<Value>, "values are copied as bytes, and made without arguments: registers hold some");
  using in = std::conditional_t<std::is_pointer_v<KeyIn>, const Key*, KeyIn>;
  if constexpr (std::is_integral_v<Count>) {
    return sort_request<Key, Value, Digits, std::int64_t, in>{
        digits, bits, static_cast<std::int64_t>(n), keys_in, keys_out, values_in, values_out};
  } else {
    return sort_request<Key, Value, Digits, Count, in>{digits, bits, n, keys_in, keys_out, values_in, values_out};
  }
}

/// Sorts by the bits of the range: see key_codec.hpp for the order of floats. An empty range copies.
/// n < 0, a null pointer with n > 0, an output that overlaps another array, a range outside the key, or a workspace too
/// small: cudaErrorInvalidValue, nothing touched. O(n) for each 8 bits of the range.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Count, class Order = sort_order,
          class Stream = default_stream>
requires key_input<KeyIn, Key>
[[nodiscard]] error_of<Stream> sort_keys(workspace w, KeyIn in, Key* out, Count n, bit_range bits = {},
                                         Order order = {}, Stream stream = {}) {
  auto executor = executor_of(stream);
  const no_value* const none = nullptr;
  return static_cast<error_of<Stream>>(
      sort_by(method_for<Policy, KeyIn>{}, executor, w,
              make_sort_request(digits_of<Key>(order), bits, n, in, out, none, static_cast<no_value*>(nullptr))));
}

/// The same with a value that travels with each key.
template <class Policy = default_sort_policy, class KeyIn, class Key, class Value, class Count,
          class Order = sort_order, class Stream = default_stream>
requires key_input<KeyIn, Key>
[[nodiscard]] error_of<Stream> sort_pairs(workspace w, KeyIn keys_in, Key* keys_out, const Value* values_in,
                                          Value* values_out, Count n, bit_range bits = {}, Order order = {},
                                          Stream stream = {}) {
  auto executor = executor_of(stream);
  return static_cast<error_of<Stream>>(
      sort_by(method_for<Policy, KeyIn>{}, executor, w,
              make_sort_request(digits_of<Key>(order), bits, n, keys_in, keys_out, values_in, values_out)));
}

/// Two arrays of n items, of which a sort may use both. The result is in `current` when the call returns.
template <class T>
struct double_buffer {
  T* current;
  T* other;
};

/// Whether a sort by that policy of the bits between two buffers goes over to the other one.
template <class Policy, class Digits>
bool ends_in_other(bit_range bits, const Digits& digits) {
  if (bits.end == bit_range::full_width) bits.end = digits.bits;
  return bits.end > bits.begin && digit_passes(bits, radix_bits_of<Policy>).count % 2 != 0;
}

/// Sorts to `other` or back to `current`, by whichever of the two that is not.
template <class Policy, class Executor, class Key, class Value, class Count, class Order>
status sort_between(workspace w, Executor& ex, const double_buffer<Key>& keys, const double_buffer<Value>& values,
                    bool to_other, Count n, bit_range bits, const Order& order) {
  const Key* const keys_in = keys.current;
  const Value* const values_in = values.current;
  auto request = make_sort_request(digits_of<Key>(order), bits, n, keys_in, to_other ? keys.other : keys.current,
                                   values_in, to_other ? values.other : values.current);
  request.keys_spare = to_other ? keys.current : keys.other;
  request.values_spare = to_other ? values.current : values.other;
  return sort_by(Policy{}, ex, w, request);
}

/// Sorts between two buffers, with no scratch of n keys in the workspace: sort_keys_workspace_bytes<Key>(n, true). As
/// sort_keys; and buffers that overlap: cudaErrorInvalidValue, nothing touched.
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys(workspace w, double_buffer<Key>& keys, Count n, bit_range bits = {},
                                         Order order = {}, Stream stream = {}) {
  double_buffer<no_value> none{nullptr, nullptr};
  return sort_pairs<Policy>(w, keys, none, n, bits, order, stream);
}

/// The same with values: sort_pairs_workspace_bytes<Key, Value>(n, true). By default values of more than 8 bytes go by
/// their places, which moves less, where there is room for those:
/// sort_pairs_workspace_bytes<Key, Value, by_place<onesweep<>>>(n, true), 8 n bytes more.
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs(workspace w, double_buffer<Key>& keys, double_buffer<Value>& values, Count n,
                                          bit_range bits = {}, Order order = {}, Stream stream = {}) {
  auto executor = executor_of(stream);
  const bool other = ends_in_other<Policy>(bits, digits_of<Key>(order));
  const status s = sort_between<Policy>(w, executor, keys, values, other, n, bits, order);
  if (s == status::success && other) {
    std::swap(keys.current, keys.other);
    std::swap(values.current, values.other);
  }
  return static_cast<error_of<Stream>>(s);
}

/// Sorts keys and values where they are, by scratch arrays of as many: sort_pairs_workspace_bytes<Key, Value>(n, true).
/// What the scratch arrays then hold means nothing. As sort_keys; and an array that overlaps its scratch:
/// cudaErrorInvalidValue, nothing touched. Where passes odd in number run, or values go by their places, one trip more.
template <class Policy = default_sort_policy, class Key, class Value, class Count, class Order = sort_order,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_pairs_in_place(workspace w, Key* keys, Key* keys_scratch, Value* values,
                                                   Value* values_scratch, Count n, bit_range bits = {},
                                                   Order order = {}, Stream stream = {}) {
  auto executor = executor_of(stream);
  const double_buffer<Key> k{keys, keys_scratch};
  const double_buffer<Value> v{values, values_scratch};
  return static_cast<error_of<Stream>>(sort_between<Policy>(w, executor, k, v, false, n, bits, order));
}

/// The same without values: sort_keys_workspace_bytes<Key>(n, true).
template <class Policy = default_sort_policy, class Key, class Count, class Order = sort_order,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> sort_keys_in_place(workspace w, Key* keys, Key* scratch, Count n, bit_range bits = {},
                                                  Order order = {}, Stream stream = {}) {
  no_value* const none = nullptr;
  return sort_pairs_in_place<Policy>(w, keys, scratch, none, none, n, bits, order, stream);
}

/// Bytes of workspace for argsort with that type of place.
template <class Key, class Place = std::uint32_t, class Policy = default_sort_policy>
std::size_t argsort_workspace_bytes(std::int64_t n) {
  return sort_places_workspace<Key, Place>(Policy{}, n, true, false);
}

/// places[i] = where the key that would stand at place i of the sorted keys stands in the input. Place is an integer
/// that holds n - 1.
template <class Policy = default_sort_policy, class KeyIn, class Place, class Count, class Order = sort_order,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> argsort(workspace w, KeyIn keys, Place* places, Count n, bit_range bits = {},
                                       Order order = {}, Stream stream = {}) {
  static_assert(std::is_integral_v<Place>);
  using key = std::remove_cv_t<typename std::iterator_traits<KeyIn>::value_type>;
  auto executor = executor_of(stream);
  const auto request = make_sort_request(digits_of<key>(order), bits, n, keys, static_cast<key*>(nullptr),
                                         static_cast<const Place*>(nullptr), places);
  return static_cast<error_of<Stream>>(sort_places(method_for<Policy, KeyIn>{}, executor, w, request));
}

/// Values that belong to the keys: n at `in`, which go to `out`.
template <class Value>
struct value_array {
  const Value* in;
  Value* out;
};
template <class Value>
value_array(const Value*, Value*) -> value_array<Value>;
template <class Value>
value_array(Value*, Value*) -> value_array<Value>;

/// Bytes of workspace for sort_with_values. With packed_rows_workspace_bytes more it is faster.
template <class Key, class Policy = default_sort_policy>
std::size_t sort_with_values_workspace_bytes(std::int64_t n) {
  if (n <= 0) return 0;
  return with_place(n, [n]<class Place>(Place) {
    workspace_layout layout;
    layout.add<Place>(static_cast<std::size_t>(n));
    return layout.bytes() + sort_places_workspace<Key, Place>(Policy{}, n, false, false);
  });
}

/// Sorts keys with up to 8 arrays of values: places are sorted with the keys, then each array is fetched by them. For
/// one array of values of at most 8 bytes, sort_pairs moves less. As sort_pairs.
template <class Policy = default_sort_policy, class KeyIn, class Key, class... Value, class Count,
          class Order = sort_order, class Stream = default_stream>
requires key_input<KeyIn, Key>
[[nodiscard]] error_of<Stream> sort_with_values(workspace w, KeyIn keys_in, Key* keys_out,
                                                const std::tuple<value_array<Value>...>& arrays, Count n,
                                                bit_range bits = {}, Order order = {}, Stream stream = {}) {
  static_assert(sizeof...(Value) >= 1 && sizeof...(Value) <= 8, "1 to 8 arrays of values");
  static_assert((std::is_trivially_copyable_v<Value> && ...), "values are copied as bytes");
  using method = method_for<Policy, KeyIn>;
  auto executor = executor_of(stream);
  const auto sort_by_places = [&]<class Place>(Place) {
    auto request = make_sort_request(digits_of<Key>(order), bits, n, keys_in, keys_out,
                                     static_cast<const Place*>(nullptr), static_cast<Place*>(nullptr));
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
    if (!all_usable || keys_out == nullptr || w.data == nullptr ||
        w.bytes < sort_with_values_workspace_bytes<Key, method>(bound)) {
      return status::invalid_value;
    }
    workspace_layout layout;
    const auto places = layout.add<Place>(static_cast<std::size_t>(bound));
    request.values_out = layout.at(w, places);
    status s = sort_places(method{}, executor, layout.rest(w), request);
    bool fetched = false;
    if (s == status::success) {
      const auto rows = std::apply(
          [](const auto&... a) {
            return std::array{row_array{a.in, a.out, sizeof *a.in}...};
          },
          arrays);
      s = gather_packed(executor, w, sort_with_values_workspace_bytes<Key, method>(bound), rows.data(), rows.size(),
                        request.values_out, request.n, fetched);
    }
    const auto fetch = [&](const auto& a) {
      if (s == status::success && !fetched) s = gather_values(executor, a.in, a.out, request.values_out, request.n);
    };
    std::apply([&](const auto&... a) { (fetch(a), ...); }, arrays);
    return s;
  };
  return static_cast<error_of<Stream>>(with_place(static_cast<std::int64_t>(bound_of(n)), sort_by_places));
}

}  // namespace upsweep
