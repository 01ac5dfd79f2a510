#include "kernels_sort.cuh"

namespace upsweep::python {

template <class Call>
status run_on_cuda(const Call& c, void* stream) {
  return enqueue_call(c, static_cast<cudaStream_t>(stream));
}

template status run_on_cuda(const sort_call&, void*);
template status run_on_cuda(const segmented_sort_call&, void*);
template status run_on_cuda(const top_k_call&, void*);
template status run_on_cuda(const merge_call&, void*);

}  // namespace upsweep::python
