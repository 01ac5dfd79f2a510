#include "kernels_compact.cuh"

namespace upsweep::python {

template <class Call>
status run_on_cuda(const Call& c, void* stream) {
  return enqueue_call(c, static_cast<cudaStream_t>(stream));
}

template status run_on_cuda(const select_call&, void*);
template status run_on_cuda(const nonzero_call&, void*);
template status run_on_cuda(const runs_call&, void*);
template status run_on_cuda(const groups_call&, void*);
template status run_on_cuda(const expand_call&, void*);

}  // namespace upsweep::python
