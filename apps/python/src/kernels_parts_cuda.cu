#include "kernels_scan.cuh"
#include "run_on_cuda.cuh"

namespace upsweep::python {

template status run_on_cuda(const parts_scan_call&, void*);

}  // namespace upsweep::python
