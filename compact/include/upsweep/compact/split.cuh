// Stable split of device memory into buckets: the public calls.
//
//   std::size_t bytes = upsweep::split_workspace_bytes(in, out, offsets, n, 16, cell_of{});
//   cudaError_t e = upsweep::split({memory, bytes}, in, out, offsets, n, 16, cell_of{}, stream);
//
// Buckets lie one after another in the output, each in input order. Elements whose number is below 0, or `buckets` or
// more, or no number, are left out: -0.5 is below 0. Three buckets are a partition of three ways. A call enqueues its
// kernels on `stream` and returns: it allocates nothing, unless it is given a resource (simt/memory_resource.cuh), does
// not wait, and can be captured in a graph. With a sim_stream it runs on the CPU and has finished when it returns.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/call_checks.cuh"  // first: so its messages come without a chain of files

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "upsweep/compact/arguments.hpp"
#include "upsweep/compact/device/group_of.cuh"
#include "upsweep/compact/device/split.cuh"
#include "upsweep/compact/votes.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/bitwise_copyable.hpp"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/memory_resource.cuh"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The policy of splits that counts the buckets of each tile, scans the counts, and moves: stable.
using detail::histogram_split;
/// The default policy of a split. Many items with a functor of the item are counted once and then moved in one pass;
/// all else goes by histogram_split.
using default_split_policy = detail::default_split<>;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class T, class F>
struct bucket_by_item {
  const T* in;
  F f;
  UPSWEEP_HOST_DEVICE auto operator()(std::int64_t i) const { return of_item(in[i]); }
  /// The functor gets a copy, which it may change.
  UPSWEEP_HOST_DEVICE auto of_item(T item) const { return callable<T&>(f)(item); }
  auto reads(std::int64_t n) const { return std::array{use_of(in, n, false)}; }
};

template <class Policy, class Stream, class Count, class BucketOf>
error_of<Stream> split_from(const workspace_or_resource& w, std::span<const soa_array> arrays, std::int64_t* offsets,
                            Count n, int buckets, const BucketOf& bucket_of, Stream stream) {
  const stream_of<Stream> on = stream;
  auto executor = executor_of(on);
  return w.lend(Policy{}.workspace_bytes(bound_of(n), buckets), on, [&](workspace lent) {
    return static_cast<error_of<Stream>>(
        Policy{}.run(executor, lent, arrays, count_argument(n), buckets, bucket_of, offsets));
  });
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// Moves in[i] to bucket bucket_of(in[i]).
///   w          a workspace of split_workspace_bytes bytes, or a memory resource to take it from; the caller keeps it
///              until the work has finished
///   in         n items of device memory, trivially copyable
///   out        room for all of them, no overlap
///   offsets    buckets + 1 integers of device memory: where each bucket begins, and the last one ends
///   n          how many items: a signed integer, or a device_count in device memory with a bound
///   buckets    how many buckets, 1 to 256
///   bucket_of  the number of an item's bucket, of any arithmetic or enumeration type: a functor of the item that the
///              GPU can call, and that returns the same each time
///   stream     the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, buckets are below 1 or above 256, a pointer is null
/// with n > 0, an output or offsets overlap another array that is read or written, or the workspace is too small;
/// otherwise the first error of a launch. Cost: O(n) work: bucket_of is called two or three times for each element, and
/// once more for every 16 arrays beyond the first 16; each array moves once. histogram_split also scans n / 3072 counts
/// for each bucket. Source: the histogram, scan and scatter of a radix sort pass (Merrill & Grimshaw 2010), and a pass
/// of onesweep (Adinets & Merrill 2022).
template <class Policy = default_split_policy, class T, class Count, class BucketOf, class Stream = default_stream>
[[nodiscard]] error_of<Stream> split(workspace_or_resource w, const T* in, T* out, std::int64_t* offsets, Count n,
                                     int buckets, BucketOf bucket_of, Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_count<Count>()) {
    constexpr bool of_items =
        !detail::is_by_index<BucketOf> && (detail::can_call<BucketOf, T&> || detail::can_call<BucketOf, T>);
    static_assert(of_items, "upsweep: split takes the bucket of an item; by_index{f} goes to split_arrays");
    static_assert(is_bitwise_copyable<T>,
                  "upsweep: items are copied as bytes: their type is_bitwise_copyable (trivially copyable)");
    if constexpr (of_items) {
      const soa_array array{in, out, sizeof(T)};
      return detail::split_from<Policy>(w, {&array, 1}, offsets, n, buckets,
                                        detail::bucket_by_item<T, BucketOf>{in, bucket_of}, stream);
    }
  }
  return {};
}

/// Bytes of workspace of split with these arguments. A host formula in O(1): no GPU is needed, and more elements or
/// buckets never need less. 0 if the split would be refused.
template <class Policy = default_split_policy, class T, class Count, class BucketOf>
std::size_t split_workspace_bytes(const T*, T*, std::int64_t*, Count n, int buckets, BucketOf) {
  return Policy{}.workspace_bytes(detail::bound_of(n), buckets);
}

/// Moves element i of every array to bucket bucket_of(i).
///   w          a workspace of split_arrays_workspace_bytes bytes, or a memory resource to take it from; the caller
///              keeps it until the work has finished
///   arrays     any number of arrays of n elements each, of any element size from 1 byte to 1 MiB and any alignment; no
///              array is its own output, and none names one for rejected elements
///   offsets    buckets + 1 integers of device memory: where each bucket begins, and the last one ends
///   n          how many items: a signed integer, or a device_count in device memory with a bound
///   buckets    how many buckets, 1 to 256
///   bucket_of  by_index{f}: f(i) is the number of element i's bucket, of any arithmetic or enumeration type; it
///              returns the same each time
///   stream     the stream on which the work is enqueued; a sim_stream runs it at once
/// Errors: cudaErrorInvalidValue, and nothing touched, if n < 0, buckets are below 1 or above 256, a pointer is null
/// with n > 0, an output or offsets overlap another array that is read or written, or the workspace is too small;
/// otherwise the first error of a launch. Cost: O(n) work: bucket_of is called two or three times for each element, and
/// once more for every 16 arrays beyond the first 16; each array moves once. histogram_split also scans n / 3072 counts
/// for each bucket. Source: the histogram, scan and scatter of a radix sort pass (Merrill & Grimshaw 2010), and a pass
/// of onesweep (Adinets & Merrill 2022).
///     cudaError_t e = split_arrays(stream_pool{}, arrays, offsets, n, 16, by_index{depth_of{z}}, stream);
template <class Policy = default_split_policy, class Count, class BucketOf, class Stream = default_stream>
[[nodiscard]] error_of<Stream> split_arrays(workspace_or_resource w, std::span<const soa_array> arrays,
                                            std::int64_t* offsets, Count n, int buckets, BucketOf bucket_of,
                                            Stream stream = {}) {
  if constexpr (detail::check_stream<Stream>() && detail::check_count<Count>()) {
    constexpr bool is_by_index = detail::is_by_index<BucketOf>;
    static_assert(is_by_index, "upsweep: split_arrays takes by_index{f}, f(i) the bucket of element i");
    if constexpr (is_by_index) {
      return detail::split_from<Policy>(w, arrays, offsets, n, buckets,
                                        detail::group_of_index<decltype(bucket_of.f)>{bucket_of.f}, stream);
    }
  }
  return {};
}

/// Bytes of workspace of split_arrays with these arguments. A host formula in O(1): no GPU is needed, and more elements
/// or buckets never need less. 0 if the split would be refused.
template <class Policy = default_split_policy, class Count, class BucketOf>
std::size_t split_arrays_workspace_bytes(std::span<const soa_array>, std::int64_t*, Count n, int buckets, BucketOf) {
  return Policy{}.workspace_bytes(detail::bound_of(n), buckets);
}

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
