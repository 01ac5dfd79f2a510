#include "kernels_scan.cuh"

namespace upsweep::python {

template <class Call>
status run_on_cuda(const Call& c, void* stream) {
  return enqueue_call(c, static_cast<cudaStream_t>(stream));
}

template status run_on_cuda(const sum_call&, void*);
template status run_on_cuda(const parts_sum_call&, void*);
template status run_on_cuda(const scan_call&, void*);
template status run_on_cuda(const axis_scan_call&, void*);

}  // namespace upsweep::python
