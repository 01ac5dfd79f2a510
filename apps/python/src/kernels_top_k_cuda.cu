#include "kernels_keyed.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const top_k_call&, void*);
template status run_on_cuda(const gather_call&, void*);

}  // namespace upsweep::python
