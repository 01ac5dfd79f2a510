// Sorts of each of many segments of an array: the public calls. Stable.
//
//   cudaError_t e = upsweep::segmented_sort_keys(upsweep::stream_pool{}, in, out, offsets, offsets + 1, n, segments);
//
// Segments are given by begins and ends: pointers or random-access iterators of device memory, of integers of any
// type. For one array of segments + 1 offsets, give `offsets` and `offsets + 1`. Segment s has the items
// begins[s] to ends[s] - 1. One that ends before it begins, or is not wholly in [0, n], counts as empty. Segments
// must not overlap: the items of those that do are unspecified afterwards. Items outside of all segments are not
// written.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"
#include "upsweep/sort/device/segmented_radix_sort.cuh"
#include "upsweep/sort/radix_sort.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The default policy of a segmented sort: by warps, blocks, or passes over the tiles of all large segments.
using default_segmented_sort_policy = detail::segmented_radix_sort<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Stream, class Key, class Value, class Begins, class Ends, class Count, class Segments, class Order,
          class Bits>
constexpr bool check_segmented_sort() {
  if constexpr (check_sort<Stream, const Key*, Key, Value, Count, Order, Bits>() && check_count<Segments>() &&
                check_input<Begins, Stream>() && check_input<Ends, Stream>()) {
    constexpr bool fits = std::is_integral_v<item_t<Begins>> && std::is_integral_v<item_t<Ends>>;
    static_assert(fits, "upsweep: begins and ends are integers; they come after the outputs and before n");
    return fits;
  }
  return false;
}

inline constexpr std::size_t most_segmented_arrays = 8;

/// What is answered without a sort: a wrong argument, or that nothing is to be done. Else r's bits are resolved.
/// `bytes` are those of the workspace, `rows` arrays that go along, in and out.
template <class Key, class Value, class Digits, class Count, class Segments, class Begins, class Ends>
std::optional<status> answer_before_sorting(
    workspace w, std::size_t bytes, segmented_sort_request<Key, Value, Digits, Count, Segments, Begins, Ends>& r,
    bool places, std::span<const memory_use> rows = {}) {
  constexpr bool pairs = !std::is_same_v<Value, no_value>;
  const std::int64_t n = bound_of(r.n), segments = bound_of(r.segments);
  if (r.bits.end == bit_range::full_width) r.bits.end = r.digits.bits;
  if (n < 0 || segments < 0 || r.bits.begin < 0 || r.bits.begin > r.bits.end || r.bits.end > r.digits.bits) {
    return status::invalid_value;
  }
  if (n == 0 || segments == 0) return status::success;
  if (is_null(place_of(r.n)) || is_null(place_of(r.segments)) || is_null(r.begins) || is_null(r.ends) ||
      r.keys_in == nullptr || r.keys_out == nullptr ||
      (pairs && (r.values_out == nullptr || (r.values_in == nullptr && !places))) ||
      std::ranges::any_of(rows, &memory_use::is_missing)) {
    return status::invalid_value;
  }
  std::array<memory_use, 8 + 2 * most_segmented_arrays> uses{
      use_of(r.keys_in, n, false),     use_of(r.keys_out, n, true),           use_of(r.values_in, n, false),
      use_of(r.values_out, n, true),   use_of(r.begins, segments, false),     use_of(r.ends, segments, false),
      use_of(place_of(r.n), 1, false), use_of(place_of(r.segments), 1, false)};
  std::ranges::copy(rows, uses.begin() + 8);
  if (!written_apart(std::span(uses).first(8 + rows.size())) || (bytes > 0 && (w.data == nullptr || w.bytes < bytes))) {
    return status::invalid_value;
  }
  if (r.bits.begin == r.bits.end) r.bits = {0, 0};
  return std::nullopt;
}

/// Checks the arguments that every segmented sort has, and runs the method.
template <class Method, class Executor, class Key, class Value, class Digits, class Count, class Segments,
          class... Others>
status sort_segments_by(Executor& ex, workspace w,
                        segmented_sort_request<Key, Value, Digits, Count, Segments, Others...> r, bool places) {
  const std::size_t bytes = Method::template workspace_bytes<Key, Value>(bound_of(r.n), bound_of(r.segments));
  const std::optional<status> answer = answer_before_sorting(w, bytes, r, places);
  return answer ? *answer : Method::run(ex, w, r);
}

template <class Policy, class Key, class Value, class Count, class Segments>
std::size_t segmented_sort_bytes(const Count& n, const Segments& segments) {
  return Policy::template workspace_bytes<Key, Value>(bound_of(n), bound_of(segments));
}

template <class Policy, class Key, class Value, class Begins, class Ends, class Count, class Segments, class Order,
          class Stream>
error_of<Stream> segmented_sort(const workspace_or_resource& w, const Key* keys_in, Key* keys_out,
                                const Value* values_in, Value* values_out, Begins begins, Ends ends, const Count& n,
                                const Segments& segments, const Order& order, bit_range bits, bool places,
                                Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto digits = digits_of<Key>(order);
  using request = segmented_sort_request<Key, Value, std::remove_cvref_t<decltype(digits)>, decltype(count_argument(n)),
                                         decltype(count_argument(segments)), Begins, Ends>;
  const request r{digits,   bits,      count_argument(n), count_argument(segments), begins, ends, keys_in,
                  keys_out, values_in, values_out};
  return w.lend(segmented_sort_bytes<Policy, Key, Value>(n, segments), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(sort_segments_by<Policy>(executor, lent, r, places));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Sorts the keys of each segment by the bits of the range.
///   w         a workspace of segmented_sort_keys_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   in        n keys of device memory; left as they were
///   out       n keys of device memory; no overlap with another array
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
/// O(n + segments) for each 8 bits. Segments that fit into a warp or a block are read and written once; longer ones are
/// read once more and take a pass for each 8 bits. If segments can be that long, the workspace has two arrays of
/// somewhat more than n keys. Source: onesweep (Adinets & Merrill 2022).
///     cudaError_t e = segmented_sort_keys(stream_pool{}, in, out, offsets, offsets + 1, n, segments, {}, {}, stream);
template <class Policy = default_segmented_sort_policy, class Key, class Begins, class Ends, class Count,
          class Segments, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> segmented_sort_keys(workspace_or_resource w, const Key* in, Key* out, Begins begins,
                                                   Ends ends, Count n, Segments segments, Order order = {},
                                                   Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_segmented_sort<Stream, Key, detail::no_value, Begins, Ends, Count, Segments, Order,
                                             Bits>()) {
    return detail::segmented_sort<Policy>(w, in, out, detail::no_values_in, detail::no_values_out, begins, ends, n,
                                          segments, order, bits, false, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of segmented_sort_keys with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items or segments never need less. 0 for n <= 0 or no segments.
template <class Policy = default_segmented_sort_policy, class Key, class Begins, class Ends, class Count,
          class Segments, class Order = sort_order, class Bits = bit_range>
std::size_t segmented_sort_keys_workspace_bytes(const Key*, Key*, Begins, Ends, Count n, Segments segments, Order = {},
                                                Bits = {}) {
  return detail::segmented_sort_bytes<Policy, Key, detail::no_value>(n, segments);
}

/// Sorts the keys of each segment by the bits of the range, and moves a value with each. Stable.
///   w           a workspace of segmented_sort_pairs_workspace_bytes bytes, or a memory resource to take it from; the
///               caller keeps it until the work has finished
///   keys_in     n keys of device memory; left as they were
///   keys_out    n keys of device memory; no overlap with another array
///   values_in   n values of device memory, trivially copyable; left as they were
///   values_out  n values of device memory; no overlap with another array
///   begins      where each segment begins: a pointer or random-access iterator of device memory
///   ends        where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n           how many items, at most 2^34: a signed integer, or a device_count in device memory with a bound
///   segments    how many segments: a signed integer, or a device_count in device memory with a bound
///   order       sort_order::ascending or descending, or an order as sort_pairs takes it
///   bits        the bits [begin, end) of the keys' codes that are compared; all of them by default; an empty range
///               copies
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, an output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported, and nothing touched, for more than 2^34 items; otherwise the first error of a launch. Cost:
/// O(n + segments) for each 8 bits. Segments that fit into a warp or a block are read and written once; longer ones are
/// read once more and take a pass for each 8 bits. If segments can be that long, the workspace has two arrays of
/// somewhat more than n keys, and of as many values. Source: onesweep (Adinets & Merrill 2022).
///     cudaError_t e = segmented_sort_pairs(stream_pool{}, columns, sorted, values, of_sorted, rows, rows + 1, n,
///                                          n_rows, sort_order::ascending, {}, stream);
template <class Policy = default_segmented_sort_policy, class Key, class Value, class Begins, class Ends, class Count,
          class Segments, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> segmented_sort_pairs(workspace_or_resource w, const Key* keys_in, Key* keys_out,
                                                    const Value* values_in, Value* values_out, Begins begins, Ends ends,
                                                    Count n, Segments segments, Order order = {}, Bits bits = {},
                                                    Stream stream = {}) {
  if constexpr (detail::check_segmented_sort<Stream, Key, Value, Begins, Ends, Count, Segments, Order, Bits>()) {
    return detail::segmented_sort<Policy>(w, keys_in, keys_out, values_in, values_out, begins, ends, n, segments, order,
                                          bits, false, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of segmented_sort_pairs with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items or segments never need less. 0 for n <= 0 or no segments.
template <class Policy = default_segmented_sort_policy, class Key, class Value, class Begins, class Ends, class Count,
          class Segments, class Order = sort_order, class Bits = bit_range>
std::size_t segmented_sort_pairs_workspace_bytes(const Key*, Key*, const Value*, Value*, Begins, Ends, Count n,
                                                 Segments segments, Order = {}, Bits = {}) {
  return detail::segmented_sort_bytes<Policy, Key, Value>(n, segments);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Room for n sorted keys that are not needed, and the workspace of the sort after them.
template <class Policy, class Key, class Place>
struct segmented_places_plan {
  workspace_layout layout;
  workspace_layout::slot<Key> keys;
  std::size_t bytes = 0;

  segmented_places_plan(std::int64_t n, std::int64_t segments) {
    if (n <= 0 || segments <= 0) return;
    keys = layout.add<Key>(n);
    bytes = layout.bytes() + Policy::template workspace_bytes<Key, Place>(n, segments);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The permutation that sorts each segment: places[begins[s] + i] is the index in segment s, counted from its begin, of
/// the key that a sort would put at index i of the segment. Stable.
///   w         a workspace of segmented_argsort_workspace_bytes bytes, or a memory resource to take it from; the caller
///             keeps it until the work has finished
///   keys      n keys of device memory; left as they were
///   places    n integers of device memory that hold the length of a segment; no overlap with another array
///   begins    where each segment begins: a pointer or random-access iterator of device memory
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items, at most 2^34: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   order     sort_order::ascending or descending, or an order as argsort takes it
///   bits      the bits [begin, end) of the keys' codes that are compared; all of them by default; by an empty range
///             the places are 0, 1, 2, ...
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n or segments are below 0, or, unless one of them is 0, a
/// pointer is null, an output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported, and nothing touched, for more than 2^34 items; otherwise the first error of a launch. Cost:
/// that of segmented_sort_pairs, and room for n more keys in the workspace. Source: onesweep (Adinets & Merrill 2022).
///     cudaError_t e = segmented_argsort(stream_pool{}, keys, places, offsets, offsets + 1, n, segments, {}, {},
///     stream);
template <class Policy = default_segmented_sort_policy, class Key, class Place, class Begins, class Ends, class Count,
          class Segments, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> segmented_argsort(workspace_or_resource w, const Key* keys, Place* places, Begins begins,
                                                 Ends ends, Count n, Segments segments, Order order = {},
                                                 Bits bits = {}, Stream stream = {}) {
  if constexpr (detail::check_segmented_sort<Stream, Key, Place, Begins, Ends, Count, Segments, Order, Bits>()) {
    static_assert(std::is_integral_v<Place>, "upsweep: places are integers");
    const detail::segmented_places_plan<Policy, Key, Place> p(detail::bound_of(n), detail::bound_of(segments));
    const stream_of<Stream> on = stream;
    return w.lend(p.bytes, on, [&](workspace lent) {
      if (p.bytes > 0 && (lent.data == nullptr || lent.bytes < p.bytes)) {
        return static_cast<error_of<Stream>>(status::invalid_value);
      }
      Key* const sorted = p.bytes > 0 ? p.layout.at(lent, p.keys) : nullptr;
      const workspace rest = p.bytes > 0 ? p.layout.rest(lent) : lent;
      return detail::segmented_sort<Policy>(rest, keys, sorted, static_cast<const Place*>(nullptr), places, begins,
                                            ends, n, segments, order, bits, true, stream);
    });
  } else {
    return {};
  }
}

/// Bytes of workspace of segmented_argsort with these arguments. A host formula in O(1): no GPU is needed, pointers are
/// ignored, and more items or segments never need less. 0 for n <= 0 or no segments.
template <class Policy = default_segmented_sort_policy, class Key, class Place, class Begins, class Ends, class Count,
          class Segments, class Order = sort_order, class Bits = bit_range>
std::size_t segmented_argsort_workspace_bytes(const Key*, Place*, Begins, Ends, Count n, Segments segments, Order = {},
                                              Bits = {}) {
  return detail::segmented_places_plan<Policy, Key, Place>(detail::bound_of(n), detail::bound_of(segments)).bytes;
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
