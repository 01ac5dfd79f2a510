// The executor behind a stream: cudaStream_t gives the GPU, sim_stream the sim.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>

#include "upsweep/simt/sim_executor.hpp"

#if defined(__CUDACC__)
#include "upsweep/simt/cuda_executor.cuh"
#endif

namespace upsweep {

inline sim_executor executor_of(sim_stream s) {
  return sim_executor(s);
}

#if defined(__CUDACC__)
/// The stream of a call that names none.
using default_stream = cudaStream_t;
inline cuda_executor executor_of(cudaStream_t s) {
  return cuda_executor(s);
}
#else
using default_stream = sim_stream;
#endif

/// What calls on a stream of this type return: cudaError_t, or status on the sim.
template <class Stream>
using error_of = typename decltype(executor_of(Stream{}))::error_type;

}  // namespace upsweep
