// The executor behind a stream: cudaStream_t gives the GPU, sim_stream the sim.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <type_traits>

#include "upsweep/simt/sim_executor.hpp"

#if defined(__CUDACC__)
#include "upsweep/simt/cuda_executor.cuh"
#endif

namespace upsweep::inline UPSWEEP_CUDA_ABI {

/// The executor of a sim_stream: it launches kernels on the sim.
inline sim_executor executor_of(sim_stream s) {
  return sim_executor(s);
}

#if defined(__CUDACC__)
/// The default stream of a call.
using default_stream = cudaStream_t;
/// The executor of a cudaStream_t: it launches kernels on the GPU.
inline cuda_executor executor_of(cudaStream_t s) {
  return cuda_executor(s);
}
#else
using default_stream = sim_stream;
#endif

/// The stream that an argument of type S stands for: a sim_stream, or a cudaStream_t, to which the stream types of
/// libcu++ and rmm convert.
template <class S>
using stream_of = std::conditional_t<std::is_convertible_v<S, sim_stream>, sim_stream, default_stream>;

/// What calls on a stream of this type return: cudaError_t, or status on the sim.
template <class S>
using error_of = typename decltype(executor_of(stream_of<S>{}))::error_type;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
