#include "kernels_grouped.cuh"
#include "run_on_sim.cuh"

namespace upsweep::python {

template std::size_t workspace_bytes(const runs_call&);
template std::size_t workspace_bytes(const groups_call&);
template std::size_t workspace_bytes(const expand_call&);
template status run_on_sim(const runs_call&);
template status run_on_sim(const groups_call&);
template status run_on_sim(const expand_call&);

}  // namespace upsweep::python
