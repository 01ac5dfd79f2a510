#include "kernels_grouped.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const groups_call&, void*);
template status run_on_cuda(const expand_call&, void*);

}  // namespace upsweep::python
