#include "kernels_keyed.cuh"
#include "run_on_sim.cuh"

namespace upsweep::python {

template std::size_t workspace_bytes(const segmented_sort_call&);
template std::size_t workspace_bytes(const top_k_call&);
template std::size_t workspace_bytes(const gather_call&);
template std::size_t workspace_bytes(const merge_call&);
template status run_on_sim(const segmented_sort_call&);
template status run_on_sim(const top_k_call&);
template status run_on_sim(const gather_call&);
template status run_on_sim(const merge_call&);

}  // namespace upsweep::python
