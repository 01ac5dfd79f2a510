#include "kernels.cuh"

namespace upsweep::python {

status run_on_cuda(const sort_call& c, void* stream) {
  return run_sort(c, static_cast<cudaStream_t>(stream));
}

}  // namespace upsweep::python
