// The calls take memory from the resources of cuda::mr as they are in CCCL 3.5: a pool, references to resources, and
// resources whose type is forgotten. The headers read with those of that CCCL, too.
#include <cuda/memory_pool>
#include <cuda/memory_resource>

#include "odd_arrays.hpp"

template <class Resource>
bool from_resource(Resource& resource, const int* in, int* out, cudaStream_t stream) {
  return upsweep::exclusive_sum(resource, in, out, 10, stream) == cudaSuccess;
}
template bool from_resource(cuda::device_memory_pool&, const int*, int*, cudaStream_t);
template bool from_resource(cuda::device_memory_pool_ref&, const int*, int*, cudaStream_t);
template bool from_resource(cuda::mr::resource_ref<cuda::mr::device_accessible>&, const int*, int*, cudaStream_t);
template bool from_resource(cuda::mr::any_resource<cuda::mr::device_accessible>&, const int*, int*, cudaStream_t);
