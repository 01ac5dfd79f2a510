#include "kernels.cuh"

namespace upsweep::python {

status run_on_cuda(const select_call& c, void* stream) {
  return run_select(c, static_cast<cudaStream_t>(stream));
}
status run_on_cuda(const sum_call& c, void* stream) {
  return run_sum(c, static_cast<cudaStream_t>(stream));
}
status run_on_cuda(const parts_sum_call& c, void* stream) {
  return run_parts_sum(c, static_cast<cudaStream_t>(stream));
}

}  // namespace upsweep::python
