#include "kernels_compact.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const select_call&, void*);

}  // namespace upsweep::python
