// The functions of kernels.hpp that the sources of the sim instantiate for their calls.
#pragma once

#include <cstddef>

#include "kernels.hpp"
#include "upsweep/simt/sim_executor.hpp"

namespace upsweep::python {

template <class Call>
std::size_t workspace_bytes(const Call& c) {
  return bytes_of(c);
}
template <class Call>
status run_on_sim(const Call& c) {
  return enqueue_call(c, sim_stream{});
}

}  // namespace upsweep::python
