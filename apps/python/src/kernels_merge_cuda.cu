#include "kernels_keyed.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const merge_call&, void*);

}  // namespace upsweep::python
