// Sorts of each of many segments of keys with several arrays of values, which are fetched by their places: the public
// call.
//
//   cudaError_t e = upsweep::segmented_sort_with_values(upsweep::stream_pool{}, in, out, arrays, offsets, offsets + 1,
//                                                       n, segments);
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/gather_packed.cuh"
#include "upsweep/sort/device/gather_values.cuh"
#include "upsweep/sort/segmented_sort.cuh"
#include "upsweep/sort/sort_by_places.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The places of the keys before and after the sort, and its workspace after them.
template <class Policy, class Key, class Place>
struct segmented_rows_plan {
  workspace_layout layout;
  workspace_layout::slot<Place> numbers, places;
  std::size_t bytes = 0;

  segmented_rows_plan(std::int64_t n, std::int64_t segments) {
    if (n <= 0 || segments <= 0) return;
    numbers = layout.add<Place>(n);
    places = layout.add<Place>(n);
    bytes = layout.bytes() + Policy::template workspace_bytes<Key, Place>(n, segments);
  }
};

template <class Policy, class Key>
std::size_t segmented_rows_bytes(std::int64_t n, std::int64_t segments) {
  return with_place(n, [&]<class Place>(Place) { return segmented_rows_plan<Policy, Key, Place>(n, segments).bytes; });
}

/// A request for a sort of keys, and rows that go with them. What lies in no segment has no place, and is not fetched.
template <class Policy, class Place, class Executor, class Key, class Digits, class Count, class Segments, class Begins,
          class Ends>
status sort_segments_with_rows(Executor& ex, workspace w,
                               segmented_sort_request<Key, no_value, Digits, Count, Segments, Begins, Ends> of_keys,
                               std::span<const row_array> rows) {
  const std::int64_t n = bound_of(of_keys.n), segments = bound_of(of_keys.segments);
  std::array<memory_use, 2 * most_segmented_arrays> uses;
  std::size_t used = 0;
  for (const row_array& row : rows) {
    uses[used++] = {row.in, bytes_of(n, row.bytes), false};
    uses[used++] = {row.out, bytes_of(n, row.bytes), true};
  }
  const segmented_rows_plan<Policy, Key, Place> p(n, segments);
  if (const auto answer = answer_before_sorting(w, p.bytes, of_keys, false, std::span(uses).first(used))) {
    return *answer;
  }
  if (n > Policy::max_items) return status::not_supported;
  Place *const numbers = p.layout.at(w, p.numbers), *const places = p.layout.at(w, p.places);
  const segmented_sort_request<Key, Place, Digits, Count, Segments, Begins, Ends> r{
      of_keys.digits, of_keys.bits,    of_keys.n,        of_keys.segments, of_keys.begins,
      of_keys.ends,   of_keys.keys_in, of_keys.keys_out, numbers,          places};
  status s = ex.fill(places, 0xff, p.places.bytes());
  if (s == status::success) s = copy_or_number(ex, static_cast<const Place*>(nullptr), numbers, r.n);
  if (s == status::success) s = Policy::run(ex, p.layout.rest(w), r);
  for (const row_array& row : rows) {
    if (s != status::success) return s;
    s = gather_rows<0, true>(ex, row.in, row.out, row.bytes, static_cast<const Place*>(places), r.n);
  }
  return s;
}

/// The same by arguments, with places of as many bytes as n needs.
template <class Policy, class Key, class Begins, class Ends, class Count, class Segments, class Order, class Stream>
error_of<Stream> segmented_sort_rows(const workspace_or_resource& w, const Key* keys_in, Key* keys_out,
                                     std::span<const row_array> rows, Begins begins, Ends ends, const Count& n,
                                     const Segments& segments, const Order& order, bit_range bits, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto digits = digits_of<Key>(order);
  using request = segmented_sort_request<Key, no_value, std::remove_cvref_t<decltype(digits)>,
                                         decltype(count_argument(n)), decltype(count_argument(segments)), Begins, Ends>;
  const request r{digits,   bits,         count_argument(n), count_argument(segments), begins, ends, keys_in,
                  keys_out, no_values_in, no_values_out};
  const std::int64_t bound = bound_of(n);
  return w.lend(segmented_rows_bytes<Policy, Key>(bound, bound_of(segments)), on, [&](workspace lent) {
    const auto sort = [&]<class Place>(Place) {
      return sort_segments_with_rows<Policy, Place>(executor, lent, r, rows);
    };
    if constexpr (std::is_integral_v<Count> && sizeof(Count) <= 4) {  // no more than places of 4 bytes tell
      return static_cast<error_of<Stream>>(sort(std::uint32_t{}));
    } else {
      return static_cast<error_of<Stream>>(with_place(bound, sort));
    }
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts the keys of each segment with up to 8 arrays of values. Places are sorted with the keys, then each array is
/// fetched by them. For one array of values segmented_sort_pairs moves less. Stable.
///   w         a workspace of segmented_sort_with_values_workspace_bytes bytes, or a memory resource to take it from;
/// the
///             caller keeps it until the work has finished
///   keys_in   n keys of device memory; left as they were
///   keys_out  n keys of device memory; no overlap with another array
///   arrays    a std::tuple of 1 to 8 value_array (sort_by_places.cuh), each n values of device memory and room for as
///             many; what lies in no segment is not written
///   begins    where each segment begins: a pointer or random-access iterator of device memory
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items, at most 2^34: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   order     sort_order::ascending or descending, or an order as sort_keys takes it
///   bits      the bits [begin, end) of the keys' codes that are compared; all of them by default; an empty range
///             copies
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, an output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported, and nothing touched, for more than 2^34 items; otherwise the first error of a launch. Cost:
/// that of segmented_sort_pairs with values of 4 bytes (8 from 2^32 items on), which are written once before; then each
/// array is read and written once. If n is an integer of 8 bytes, the code of both is compiled. Source: onesweep
/// (Adinets & Merrill 2022).
///     cudaError_t e = segmented_sort_with_values(stream_pool{}, keys, sorted, std::tuple{value_array{a, a_sorted},
///                                                value_array{b, b_sorted}}, offsets, offsets + 1, n, segments);
template <class Policy = default_segmented_sort_policy, class Key, class... Value, class Begins, class Ends,
          class Count, class Segments, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> segmented_sort_with_values(workspace_or_resource w, const Key* keys_in, Key* keys_out,
                                                          const std::tuple<value_array<Value>...>& arrays,
                                                          Begins begins, Ends ends, Count n, Segments segments,
                                                          Order order = {}, Bits bits = {}, Stream stream = {}) {
  static_assert(sizeof...(Value) >= 1 && sizeof...(Value) <= detail::most_segmented_arrays,
                "upsweep: 1 to 8 arrays of values");
  static_assert((is_bitwise_copyable<Value> && ...), "upsweep: values are copied as bytes");
  if constexpr (detail::check_segmented_sort<Stream, Key, detail::no_value, Begins, Ends, Count, Segments, Order,
                                             Bits>()) {
    const auto rows = std::apply(
        [](const auto&... a) {
          return std::array{detail::row_array{a.in, a.out, sizeof *a.in}...};
        },
        arrays);
    return detail::segmented_sort_rows<Policy>(w, keys_in, keys_out, rows, begins, ends, n, segments, order, bits,
                                               stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of segmented_sort_with_values with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, and more items or segments never need less. 0 for n <= 0 or no segments.
template <class Policy = default_segmented_sort_policy, class Key, class... Value, class Begins, class Ends,
          class Count, class Segments, class Order = sort_order, class Bits = bit_range>
std::size_t segmented_sort_with_values_workspace_bytes(const Key*, Key*, const std::tuple<value_array<Value>...>&,
                                                       Begins, Ends, Count n, Segments segments, Order = {},
                                                       Bits = {}) {
  return detail::segmented_rows_bytes<Policy, Key>(detail::bound_of(n), detail::bound_of(segments));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
