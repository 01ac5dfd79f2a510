// How many items each bucket has: the public calls.
//
//   cudaError_t e = upsweep::histogram(in, counts, n, 256, brightness{}, stream);
//
// A functor returns the buckets, as for split.cuh and group_by.cuh. A call enqueues a fill and a kernel on `stream` and
// returns: it needs no workspace, does not wait, and can be captured in a graph. With a sim_stream it runs on the CPU
// and has finished when it returns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/compact/device/count_groups.cuh"
#include "upsweep/compact/device/group_of.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The policy of histograms: <SharedBytes>, the shared memory that a block counts in at most.
using detail::group_counting;
/// The default policy of histogram.
using default_histogram_policy = group_counting<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Counter>
constexpr bool check_counter() {
  constexpr bool fits =
      std::is_integral_v<Counter> && !std::is_const_v<Counter> && (sizeof(Counter) == 4 || sizeof(Counter) == 8);
  static_assert(fits, "upsweep: counts are integers of 4 or 8 bytes in device memory");
  return fits;
}

template <class Policy, class Counter, class Stream, class Count, class GroupOf>
error_of<Stream> histogram_from(Counter* counts, Count n, int buckets, const GroupOf& bucket_of, Stream stream) {
  using word = std::conditional_t<sizeof(Counter) == 4, std::uint32_t, std::uint64_t>;
  auto executor = executor_of(stream_of<Stream>(stream));
  const auto as_error = [](status s) { return static_cast<error_of<Stream>>(s); };
  const std::int64_t bound = bound_of(n);
  const auto read = read_by(bucket_of, bound);
  const std::array more{use_of(counts, buckets, true), use_of(place_of(n), 1, false)};
  std::array<memory_use, read.size() + more.size()> all;
  std::ranges::copy(more, std::ranges::copy(read, all.begin()).out);
  if (bound < 0 || buckets < 1 || buckets > max_groups || counts == nullptr || is_null(place_of(n)) ||
      std::ranges::any_of(read, &memory_use::is_missing) || !written_apart(all)) {
    return as_error(status::invalid_value);
  }
  const status s = executor.fill(counts, 0, static_cast<std::size_t>(buckets) * sizeof(Counter));
  if (s != status::success || bound == 0) return as_error(s);
  return as_error(Policy::run(executor, n, buckets, bucket_of, reinterpret_cast<word*>(counts)));
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// counts[b] = how many items have bucket_of(item) == b.
///   in         n items: a pointer or random-access iterator of device memory
///   counts     `buckets` integers of device memory, of 4 or 8 bytes; in 4 bytes, counts wrap around at 2^32
///   n          how many items: a signed integer, or a device_count in device memory with a bound
///   buckets    how many buckets, 1 to 65536
///   bucket_of  the number of an item's bucket, of any arithmetic or enumeration type: a functor of the item that the
///              GPU can call. An item whose number is below 0, or `buckets` or more, or a NaN, is not counted
///   stream     the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, buckets are below 1 or above 65536, a pointer is null,
/// or counts overlap an input; otherwise the first error of a launch. n = 0 writes counts of 0. Cost: O(n + buckets),
/// each item read once; a fill and a launch. Up to some 11,000 buckets are counted in shared memory, more of them by an
/// atomic in global memory for each item.
///     cudaError_t e = histogram(pixels, counts, n, 256, brightness{}, stream);
template <class Policy = default_histogram_policy, class In, class Counter, class Count, class BucketOf,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> histogram(In in, Counter* counts, Count n, int buckets, BucketOf bucket_of,
                                         Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_input<In, Stream>() &&
                detail::check_counter<Counter>() && detail::check_count<Count>() &&
                detail::check_group_of_item<BucketOf, In>()) {
    return detail::histogram_from<Policy>(counts, n, buckets, detail::group_of_item<In, BucketOf>{in, bucket_of},
                                          stream);
  } else {
    return {};
  }
}

/// counts[b] = how many indices i below n have f(i) == b.
///   counts     `buckets` integers of device memory, of 4 or 8 bytes; in 4 bytes, counts wrap around at 2^32
///   n          how many items: a signed integer, or a device_count in device memory with a bound
///   buckets    how many buckets, 1 to 65536
///   bucket_of  by_index{f}: f(i) is the number of item i's bucket, of any arithmetic or enumeration type. An item
///              whose number is below 0, or `buckets` or more, or a NaN, is not counted
///   stream     the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, buckets are below 1 or above 65536, a pointer is null,
/// or counts overlap an input; otherwise the first error of a launch. n = 0 writes counts of 0. Cost: O(n + buckets); a
/// fill and a launch. Up to some 11,000 buckets are counted in shared memory, more of them by an atomic in global
/// memory for each item.
///     cudaError_t e = histogram_index(counts, n, cells, by_index{cell_of{x, y}}, stream);
template <class Policy = default_histogram_policy, class Counter, class Count, class BucketOf,
          class Stream = default_stream>
[[nodiscard]] error_of<Stream> histogram_index(Counter* counts, Count n, int buckets, BucketOf bucket_of,
                                               Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_counter<Counter>() && detail::check_count<Count>() &&
                detail::check_group_of_index<BucketOf>()) {
    return detail::histogram_from<Policy>(counts, n, buckets,
                                          detail::group_of_index<decltype(bucket_of.f)>{bucket_of.f}, stream);
  } else {
    return {};
  }
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
