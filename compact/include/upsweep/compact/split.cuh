// Stable split of device memory into buckets: the public call.
//
//   struct by_depth { const float* z; __host__ __device__ int operator()(std::int64_t i) const { return ...; } };
//   std::size_t bytes = upsweep::split_workspace_bytes(n, 16);
//   upsweep::split_arrays({memory, bytes}, arrays, n, 16, by_depth{z}, offsets, stream);
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
#include <span>
#include <type_traits>

#include "upsweep/compact/device/split.cuh"
#include "upsweep/compact/particles.hpp"
#include "upsweep/scan/arguments.hpp"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/executor.hpp"
#include "upsweep/simt/ranges.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep {

using default_split_policy = histogram_split<>;

/// Bytes of workspace for a split of n elements, of which a device_count needs what its bound does. A host formula;
/// more elements or buckets never need less. 0 where the split would be refused.
template <class Policy = default_split_policy, class Count>
std::size_t split_workspace_bytes(Count n, int buckets) {
  return Policy{}.workspace_bytes(bound_of(n), buckets);
}

/// Moves element i of every array to bucket bucket_of(i), a functor of the index that the GPU can call, and that gives
/// the same number whenever it is asked. Buckets lie behind one another in `out`, each in input order. Elements whose
/// number is below 0 (-0.5 is), or `buckets` or more, or a NaN, are left out; 0.5 is bucket 0. Three buckets are a
/// partition of three ways. offsets[b], of buckets + 1 in device memory, is where bucket b begins, and the last one
/// where all end. n: a number, or a device_count. n < 0, buckets below 1 or above 256, a null pointer (of arrays: with
/// n > 0), an element_bytes of 0 or above 1 MiB, an array or offsets written where anything else is read or written, or
/// a workspace too small: cudaErrorInvalidValue, nothing touched. Complexity: bucket_of twice an element, and once more
/// for each further 16 arrays, one scan of n / 3072 counts a bucket, one move of each array.
template <class Policy = default_split_policy, class Count, class BucketOf, class Stream = default_stream>
[[nodiscard]] error_of<Stream> split_arrays(workspace w, std::span<const soa_array> arrays, Count n, int buckets,
                                            BucketOf bucket_of, std::int64_t* offsets, Stream stream = {}) {
  auto executor = executor_of(stream);
  return static_cast<error_of<Stream>>(Policy{}.run(executor, w, arrays, n, buckets, bucket_of, offsets));
}

/// The bucket of element i by its value: bucket(in[i]).
template <class T, class Bucket>
struct bucket_by_value {
  const T* in;
  Bucket bucket;
  UPSWEEP_HOST_DEVICE auto operator()(std::int64_t i) const { return callable<const T&>(bucket)(in[i]); }
  auto reads(std::int64_t n) const { return std::array{use_of(in, n, false)}; }
};

/// The same of one array, by value. Else as split_arrays.
template <class Policy = default_split_policy, class T, class Count, class Bucket, class Stream = default_stream>
[[nodiscard]] error_of<Stream> split(workspace w, const T* in, T* out, Count n, int buckets, Bucket bucket,
                                     std::int64_t* offsets, Stream stream = {}) {
  static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
  const soa_array array{in, out, sizeof(T)};
  return split_arrays<Policy>(w, {&array, 1}, n, buckets, bucket_by_value<T, Bucket>{in, bucket}, offsets, stream);
}

}  // namespace upsweep
