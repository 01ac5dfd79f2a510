#include "kernels_grouped.cuh"

namespace upsweep::python {

template <class Call>
std::size_t workspace_bytes(const Call& c) {
  return bytes_of(c);
}
template <class Call>
status run_on_sim(const Call& c) {
  return enqueue_call(c, sim_stream{});
}

template std::size_t workspace_bytes(const runs_call&);
template std::size_t workspace_bytes(const groups_call&);
template std::size_t workspace_bytes(const expand_call&);
template status run_on_sim(const runs_call&);
template status run_on_sim(const groups_call&);
template status run_on_sim(const expand_call&);

}  // namespace upsweep::python
