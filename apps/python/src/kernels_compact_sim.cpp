#include "kernels_compact.cuh"
#include "run_on_sim.cuh"

namespace upsweep::python {

template std::size_t workspace_bytes(const select_call&);
template status run_on_sim(const select_call&);

}  // namespace upsweep::python
