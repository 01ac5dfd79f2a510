#include "kernels_scan.cuh"
#include "run_on_sim.cuh"

namespace upsweep::python {

template std::size_t workspace_bytes(const sum_call&);
template std::size_t workspace_bytes(const parts_scan_call&);
template std::size_t workspace_bytes(const scan_call&);
template std::size_t workspace_bytes(const axis_scan_call&);
template status run_on_sim(const sum_call&);
template status run_on_sim(const parts_scan_call&);
template status run_on_sim(const scan_call&);
template status run_on_sim(const axis_scan_call&);
template status run_on_sim(const front_call&);

}  // namespace upsweep::python
