// The first k keys of each of many segments in their order, sorted: the public calls. For one array, top_k.cuh.
//
//   cudaError_t e = upsweep::segmented_top_k_pairs(upsweep::stream_pool{}, scores, best, tokens, best_tokens, offsets,
//                                                  offsets + 1, n, rows, 50);  // the largest 50 of each row
//
// The results of segment s begin at place s * k, and are what a stable sort of the segment would put first: of equal
// keys, those that come first in the input, in their order. A segment of fewer than k items fills only the first of its
// places. Segments are given as in segmented_sort.cuh, and must not overlap.
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
#include "upsweep/sort/device/segmented_top_k.cuh"
#include "upsweep/sort/segmented_sort.cuh"
#include "upsweep/sort/top_k.cuh"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The default policy of a top k of segments: a block a segment, or a sort of all.
using default_segmented_top_k_policy = detail::segmented_top_k_by_blocks<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Stream, class Key, class Value, class Begins, class Ends, class Count, class Segments, class K,
          class Order, class Bits>
constexpr bool check_segmented_top_k() {
  constexpr bool has_k = is_count<K>;
  static_assert(has_k, "upsweep: after the segments comes k, a signed integer or a device_count, then the order");
  if constexpr (has_k) return check_segmented_sort<Stream, Key, Value, Begins, Ends, Count, Segments, Order, Bits>();
  return false;
}

/// Checks the arguments, and runs the method.
template <class Method, class Executor, class Key, class Value, class Digits, class Count, class Segments, class K,
          class Begins, class Ends>
status segmented_top_k_by(Executor& ex, workspace w,
                          segmented_top_k_request<Key, Value, Digits, Count, Segments, K, Begins, Ends> r,
                          bool keys_too, bool places) {
  constexpr bool has_values = !std::is_same_v<Value, no_value>;
  const std::int64_t n = bound_of(r.n), segments = bound_of(r.segments), k = bound_of(r.k);
  if (r.bits.end == bit_range::full_width) r.bits.end = r.digits.bits;
  if (n < 0 || segments < 0 || k < 0 || r.bits.begin < 0 || r.bits.begin > r.bits.end || r.bits.end > r.digits.bits) {
    return status::invalid_value;
  }
  if (n == 0 || segments == 0 || k == 0) return status::success;
  const std::int64_t results = segments * k;
  if (is_null(place_of(r.n)) || is_null(place_of(r.segments)) || is_null(place_of(r.k)) || is_null(r.begins) ||
      is_null(r.ends) || r.keys_in == nullptr || (keys_too && r.keys_out == nullptr) ||
      (has_values && (r.values_out == nullptr || (r.values_in == nullptr && !places))) ||
      !written_apart(std::array{
          use_of(r.keys_in, n, false), use_of(r.keys_out, results, true), use_of(r.values_in, n, false),
          use_of(r.values_out, results, true), use_of(r.begins, segments, false), use_of(r.ends, segments, false),
          use_of(place_of(r.n), 1, false), use_of(place_of(r.segments), 1, false), use_of(place_of(r.k), 1, false)})) {
    return status::invalid_value;
  }
  const std::size_t bytes = Method::template workspace_bytes<Key, Value>(n, segments, k);
  if (w.data == nullptr || w.bytes < bytes) return status::invalid_value;
  return Method::run(ex, w, r);
}

template <class Policy, class Key, class Value, class Begins, class Ends, class Count, class Segments, class K,
          class Order, class Stream>
error_of<Stream> segmented_top_k(const workspace_or_resource& w, const Key* keys_in, Key* keys_out,
                                 const Value* values_in, Value* values_out, Begins begins, Ends ends, const Count& n,
                                 const Segments& segments, const K& k, const Order& order, bit_range bits,
                                 bool keys_too, bool places, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  const auto digits = digits_of<Key>(order);
  using request =
      segmented_top_k_request<Key, Value, std::remove_cvref_t<decltype(digits)>, decltype(count_argument(n)),
                              decltype(count_argument(segments)), decltype(count_argument(k)), Begins, Ends>;
  const request r{
      digits,   bits,      count_argument(n), count_argument(segments), count_argument(k), begins, ends, keys_in,
      keys_out, values_in, values_out};
  const std::size_t bytes = Policy::template workspace_bytes<Key, Value>(bound_of(n), bound_of(segments), bound_of(k));
  return w.lend(bytes, on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(segmented_top_k_by<Policy>(executor, lent, r, keys_too, places));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The first k keys of each segment in their order, sorted.
///   w         a workspace of segmented_top_k_keys_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   keys_in   n keys of device memory; left as they were
///   keys_out  segments * k keys of device memory; no overlap with another array
///   begins    where each segment begins: a pointer or random-access iterator of device memory, of integers
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   k         how many of each to return: a signed integer, or a device_count in device memory with a bound. The
///             results of segment s begin at s * k, with the bound for k
///   order     sort_order::descending for the largest (the default), or ascending for the smallest, or an order as
///             segmented_sort_keys takes it
///   bits      the bits [begin, end) of the keys' codes that are compared; all of them by default; by an empty range,
///             the first k items are taken
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n, segments or k are below 0, or, unless one of them is 0, a
/// pointer is null, an output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported, and nothing touched, for more than 2^34 items that would be sorted, see Cost; otherwise the
/// first error of a launch. Segments that end before they begin, or are not wholly in [0, n], have no results. Cost:
/// one launch for 24 segments and more, of 8192 items and more on average, and k up to 1024. A block reads a segment
/// once, and now and then sorts at most 4096 candidates: a few times for keys in random order, for every 2048 keys if
/// each is better than those before. Otherwise all segments are sorted, and the workspace has room for that: O(n +
/// segments) for each 8 bits. Source: a bounded list of candidates, as in Johnson, Douze & Jegou, "Billion-scale
/// similarity search with GPUs" (2017).
///     cudaError_t e = segmented_top_k_keys(stream_pool{}, scores, best, offsets, offsets + 1, n, segments, 10);
template <class Policy = default_segmented_top_k_policy, class Key, class Begins, class Ends, class Count,
          class Segments, class K, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> segmented_top_k_keys(workspace_or_resource w, const Key* keys_in, Key* keys_out,
                                                    Begins begins, Ends ends, Count n, Segments segments, K k,
                                                    Order order = sort_order::descending, Bits bits = {},
                                                    Stream stream = {}) {
  if constexpr (detail::check_segmented_top_k<Stream, Key, detail::no_value, Begins, Ends, Count, Segments, K, Order,
                                              Bits>()) {
    return detail::segmented_top_k<Policy>(w, keys_in, keys_out, detail::no_values_in, detail::no_values_out, begins,
                                           ends, n, segments, k, order, bits, true, false, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of segmented_top_k_keys with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items or a larger k never need less. 0 where n, segments or k are 0.
template <class Policy = default_segmented_top_k_policy, class Key, class Begins, class Ends, class Count,
          class Segments, class K, class Order = sort_order, class Bits = bit_range>
std::size_t segmented_top_k_keys_workspace_bytes(const Key*, Key*, Begins, Ends, Count n, Segments segments, K k,
                                                 Order = sort_order::descending, Bits = {}) {
  return Policy::template workspace_bytes<Key, detail::no_value>(detail::bound_of(n), detail::bound_of(segments),
                                                                 detail::bound_of(k));
}

/// The first k keys of each segment in their order, sorted, and the value of each.
///   w           a workspace of segmented_top_k_pairs_workspace_bytes bytes, or a memory resource to take it from; the
///               caller keeps it until the work has finished
///   keys_in     n keys of device memory; left as they were
///   keys_out    segments * k keys of device memory; no overlap with another array
///   values_in   n values of device memory, trivially copyable; left as they were
///   values_out  as many values as keys_out; no overlap with another array
///   begins      where each segment begins: a pointer or random-access iterator of device memory, of integers
///   ends        where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n           how many items: a signed integer, or a device_count in device memory with a bound
///   segments    how many segments: a signed integer, or a device_count in device memory with a bound
///   k           how many of each to return: a signed integer, or a device_count in device memory with a bound. The
///               results of segment s begin at s * k, with the bound for k
///   order       sort_order::descending for the largest (the default), or ascending for the smallest, or an order as
///               segmented_sort_keys takes it
///   bits        the bits [begin, end) of the keys' codes that are compared; all of them by default; by an empty range,
///               the first k items are taken
///   stream      the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n, segments or k are below 0, or, unless one of them is 0, a
/// pointer is null, an output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported, and nothing touched, for more than 2^34 items that would be sorted, see Cost; otherwise the
/// first error of a launch. Segments that end before they begin, or are not wholly in [0, n], have no results. Cost:
/// one launch for 24 segments and more, of 8192 items and more on average, and k up to 1024. A block reads a segment
/// once, and now and then sorts at most 4096 candidates: a few times for keys in random order, for every 2048 keys if
/// each is better than those before. Otherwise all segments are sorted, and the workspace has room for that: O(n +
/// segments) for each 8 bits. Source: a bounded list of candidates, as in Johnson, Douze & Jegou, "Billion-scale
/// similarity search with GPUs" (2017).
///     cudaError_t e = segmented_top_k_pairs(stream_pool{}, scores, best, ids, ids_of_best, offsets, offsets + 1, n,
///                                           segments, 10);
template <class Policy = default_segmented_top_k_policy, class Key, class Value, class Begins, class Ends, class Count,
          class Segments, class K, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> segmented_top_k_pairs(workspace_or_resource w, const Key* keys_in, Key* keys_out,
                                                     const Value* values_in, Value* values_out, Begins begins,
                                                     Ends ends, Count n, Segments segments, K k,
                                                     Order order = sort_order::descending, Bits bits = {},
                                                     Stream stream = {}) {
  if constexpr (detail::check_segmented_top_k<Stream, Key, Value, Begins, Ends, Count, Segments, K, Order, Bits>()) {
    return detail::segmented_top_k<Policy>(w, keys_in, keys_out, values_in, values_out, begins, ends, n, segments, k,
                                           order, bits, true, false, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of segmented_top_k_pairs with these arguments. A host formula in O(1): no GPU is needed, pointers
/// are ignored, and more items or a larger k never need less. 0 where n, segments or k are 0.
template <class Policy = default_segmented_top_k_policy, class Key, class Value, class Begins, class Ends, class Count,
          class Segments, class K, class Order = sort_order, class Bits = bit_range>
std::size_t segmented_top_k_pairs_workspace_bytes(const Key*, Key*, const Value*, Value*, Begins, Ends, Count n,
                                                  Segments segments, K k, Order = sort_order::descending, Bits = {}) {
  return Policy::template workspace_bytes<Key, Value>(detail::bound_of(n), detail::bound_of(segments),
                                                      detail::bound_of(k));
}

/// places[s * k + i] = the index in segment s, counted from its begin, of the key that would be at index i of the
/// sorted segment.
///   w         a workspace of segmented_top_k_indices_workspace_bytes bytes, or a memory resource to take it from; the
///             caller keeps it until the work has finished
///   keys      n keys of device memory; left as they were
///   places    segments * k integers of device memory that hold the length of a segment; no overlap with another array
///   begins    where each segment begins: a pointer or random-access iterator of device memory, of integers
///   ends      where each segment ends: a pointer or random-access iterator of device memory; for offsets, begins + 1
///   n         how many items: a signed integer, or a device_count in device memory with a bound
///   segments  how many segments: a signed integer, or a device_count in device memory with a bound
///   k         how many of each to return: a signed integer, or a device_count in device memory with a bound. The
///             results of segment s begin at s * k, with the bound for k
///   order     sort_order::descending for the largest (the default), or ascending for the smallest, or an order as
///             segmented_sort_keys takes it
///   bits      the bits [begin, end) of the keys' codes that are compared; all of them by default; by an empty range,
///             the first k items are taken
///   stream    the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n, segments or k are below 0, or, unless one of them is 0, a
/// pointer is null, an output overlaps another array, the bits are not the key's, or the workspace is too small;
/// cudaErrorNotSupported, and nothing touched, for more than 2^34 items that would be sorted, see Cost; otherwise the
/// first error of a launch. Segments that end before they begin, or are not wholly in [0, n], have no results. Cost:
/// one launch for 24 segments and more, of 8192 items and more on average, and k up to 1024. A block reads a segment
/// once, and now and then sorts at most 4096 candidates: a few times for keys in random order, for every 2048 keys if
/// each is better than those before. Otherwise all segments are sorted, and the workspace has room for that: O(n +
/// segments) for each 8 bits. Source: a bounded list of candidates, as in Johnson, Douze & Jegou, "Billion-scale
/// similarity search with GPUs" (2017).
///     cudaError_t e = segmented_top_k_indices(stream_pool{}, scores, places, offsets, offsets + 1, n, segments, 10);
template <class Policy = default_segmented_top_k_policy, class Key, class Place, class Begins, class Ends, class Count,
          class Segments, class K, class Order = sort_order, class Bits = bit_range, class Stream = default_stream>
[[nodiscard]] error_of<Stream> segmented_top_k_indices(workspace_or_resource w, const Key* keys, Place* places,
                                                       Begins begins, Ends ends, Count n, Segments segments, K k,
                                                       Order order = sort_order::descending, Bits bits = {},
                                                       Stream stream = {}) {
  if constexpr (detail::check_segmented_top_k<Stream, Key, Place, Begins, Ends, Count, Segments, K, Order, Bits>()) {
    static_assert(std::is_integral_v<Place>, "upsweep: places are integers");
    return detail::segmented_top_k<Policy>(w, keys, static_cast<Key*>(nullptr), static_cast<const Place*>(nullptr),
                                           places, begins, ends, n, segments, k, order, bits, false, true, stream);
  } else {
    return {};
  }
}

/// Bytes of workspace of segmented_top_k_indices with these arguments. A host formula in O(1): no GPU is needed,
/// pointers are ignored, and more items or a larger k never need less. 0 where n, segments or k are 0.
template <class Policy = default_segmented_top_k_policy, class Key, class Place, class Begins, class Ends, class Count,
          class Segments, class K, class Order = sort_order, class Bits = bit_range>
std::size_t segmented_top_k_indices_workspace_bytes(const Key*, Place*, Begins, Ends, Count n, Segments segments, K k,
                                                    Order = sort_order::descending, Bits = {}) {
  return Policy::template workspace_bytes<Key, Place>(detail::bound_of(n), detail::bound_of(segments),
                                                      detail::bound_of(k));
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
