#include "kernels_keyed.cuh"

namespace upsweep::python {

template <class Call>
std::size_t workspace_bytes(const Call& c) {
  return bytes_of(c);
}
template <class Call>
status run_on_sim(const Call& c) {
  return enqueue_call(c, sim_stream{});
}

template std::size_t workspace_bytes(const segmented_sort_call&);
template std::size_t workspace_bytes(const top_k_call&);
template std::size_t workspace_bytes(const gather_call&);
template std::size_t workspace_bytes(const merge_call&);
template status run_on_sim(const segmented_sort_call&);
template status run_on_sim(const top_k_call&);
template status run_on_sim(const gather_call&);
template status run_on_sim(const merge_call&);

}  // namespace upsweep::python
