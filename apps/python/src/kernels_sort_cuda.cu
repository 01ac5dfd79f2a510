#include "kernels_sort.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const sort_call&, void*);

}  // namespace upsweep::python
