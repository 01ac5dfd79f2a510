#include "partition_calls.hpp"
#include "partitions.hpp"

namespace upsweep::apps {

status partition_on_cuda(void* stream, workspace w, const partition_arrays_of_one& a) {
  return partition_on(static_cast<cudaStream_t>(stream), w, a);
}

status split_on_cuda(void* stream, workspace w, const split_arrays_of_one& a, std::int64_t* offsets) {
  return split_on(static_cast<cudaStream_t>(stream), w, a, offsets);
}

}  // namespace upsweep::apps
