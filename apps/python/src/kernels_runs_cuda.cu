#include "kernels_grouped.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const runs_call&, void*);

}  // namespace upsweep::python
