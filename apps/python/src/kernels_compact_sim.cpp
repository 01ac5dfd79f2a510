#include "kernels_compact.cuh"

namespace upsweep::python {

template <class Call>
std::size_t workspace_bytes(const Call& c) {
  return bytes_of(c);
}
template <class Call>
status run_on_sim(const Call& c) {
  return enqueue_call(c, sim_stream{});
}

template std::size_t workspace_bytes(const select_call&);
template status run_on_sim(const select_call&);

}  // namespace upsweep::python
