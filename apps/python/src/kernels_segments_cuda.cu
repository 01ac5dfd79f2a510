#include "kernels_keyed.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const segmented_sort_call&, void*);

}  // namespace upsweep::python
