#include "kernels_sort.cuh"
#include "run_on_sim.cuh"

namespace upsweep::python {

template std::size_t workspace_bytes(const sort_call&);
template status run_on_sim(const sort_call&);

}  // namespace upsweep::python
