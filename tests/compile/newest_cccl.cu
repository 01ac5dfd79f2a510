// With the headers of the newest CCCL. The calls take memory from the resources of cuda::mr as they are in CCCL 3.5: a
// pool, references to resources, and resources whose type is forgotten. drop_in is used beside the CUB that it stands
// in for, and references of upsweep-bench are compiled with it.
#include <cub/device/device_topk.cuh>

#include <cuda/execution>
#include <cuda/memory_pool>
#include <cuda/memory_resource>

#include "../../apps/bench/reference_segments.cu"
#include "../../apps/bench/reference_sort.cu"
#include "odd_arrays.hpp"
#include "upsweep/compact/drop_in.cuh"
#include "upsweep/scan/drop_in.cuh"
#include "upsweep/sort/drop_in.cuh"

template <class Resource>
bool from_resource(Resource& resource, const int* in, int* out, cudaStream_t stream) {
  return upsweep::exclusive_sum(resource, in, out, 10, stream) == cudaSuccess;
}
template bool from_resource(cuda::device_memory_pool&, const int*, int*, cudaStream_t);
template bool from_resource(cuda::device_memory_pool_ref&, const int*, int*, cudaStream_t);
template bool from_resource(cuda::mr::resource_ref<cuda::mr::device_accessible>&, const int*, int*, cudaStream_t);
template bool from_resource(cuda::mr::any_resource<cuda::mr::device_accessible>&, const int*, int*, cudaStream_t);

namespace ours = upsweep::drop_in;

struct is_odd {
  __host__ __device__ bool operator()(unsigned x) const { return x % 2 != 0; }
};

bool by_both(void* storage, std::size_t& bytes, unsigned* in, unsigned* out, int* kept, cudaStream_t stream) {
  ours::DoubleBuffer<unsigned> our_keys(in, out);
  cub::DoubleBuffer<unsigned> keys(in, out);
  return ours::DeviceScan::ExclusiveSum(storage, bytes, in, out, 10, stream) == cudaSuccess &&
         cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, 10, stream) == cudaSuccess &&
         ours::DeviceSelect::If(storage, bytes, in, out, kept, 10, is_odd{}, stream) == cudaSuccess &&
         ours::DevicePartition::If(storage, bytes, in, out, kept, 10, is_odd{}, stream) == cudaSuccess &&
         ours::DeviceRadixSort::SortKeys(storage, bytes, our_keys, 10, 0, 32, stream) == cudaSuccess &&
         cub::DeviceRadixSort::SortKeys(storage, bytes, keys, 10, 0, 32, stream) == cudaSuccess;
}

bool top_of_both(void* storage, std::size_t& bytes, const float* in, float* out, int* values, cudaStream_t stream) {
  namespace execution = cuda::execution;
  const cuda::std::execution::env env{
      cuda::stream_ref{stream},
      execution::require(execution::determinism::not_guaranteed, execution::output_ordering::unsorted)};
  const int* const from = values;
  return ours::DeviceTopK::MaxKeys(storage, bytes, in, out, 10, 3, env) == cudaSuccess &&
         cub::DeviceTopK::MaxKeys(storage, bytes, in, out, 10, 3, env) == cudaSuccess &&
         ours::DeviceTopK::MinPairs(storage, bytes, in, out, from, values, 10, 3, env) == cudaSuccess &&
         cub::DeviceTopK::MinPairs(storage, bytes, in, out, from, values, 10, 3, env) == cudaSuccess &&
         ours::DeviceTopK::MinKeys(in, out, 10, 3) == cudaSuccess;
}

struct one_field {
  unsigned field;
};
struct whole_key {
  __host__ __device__ cuda::std::tuple<unsigned&> operator()(one_field& key) const { return {key.field}; }
};
// After k: a decomposer, an environment, both or neither; {} is an environment.
bool top_by_fields(void* storage, std::size_t& bytes, const one_field* in, one_field* out, cudaStream_t stream) {
  const cuda::stream_ref env{stream};
  return ours::DeviceTopK::MaxKeys(storage, bytes, in, out, 10, 3, whole_key{}) == cudaSuccess &&
         ours::DeviceTopK::MaxKeys(storage, bytes, in, out, 10, 3, whole_key{}, {}) == cudaSuccess &&
         ours::DeviceTopK::MinPairs(storage, bytes, in, out, in, out, 10, 3, whole_key{}, env) == cudaSuccess &&
         ours::DeviceTopK::MinKeys(in, out, 10, 3, whole_key{}) == cudaSuccess &&
         ours::DeviceTopK::MaxPairs(in, out, in, out, 10, 3, whole_key{}, env) == cudaSuccess;
}
bool top_and_segments_without_stream(void* storage, std::size_t& bytes, const int* in, int* out) {
  return ours::DeviceTopK::MaxKeys(storage, bytes, in, out, 10, 3, {}) == cudaSuccess &&
         ours::DeviceTopK::MinPairs(in, out, in, out, 10, 3, {}) == cudaSuccess &&
         ours::DeviceSegmentedScan::ExclusiveSegmentedSum(in, out, in, in + 1, 2, {}) == cudaSuccess &&
         ours::DeviceSegmentedScan::InclusiveSegmentedScan(in, out, in, in + 1, in, 2, upsweep::plus{}, {}) ==
             cudaSuccess;
}
