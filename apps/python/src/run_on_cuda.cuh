// The call of a file that compiles kernels for the GPU.
#pragma once

#include "kernels.hpp"
#include "upsweep/simt/executor.hpp"

namespace upsweep::python {

template <class Call>
status run_on_cuda(const Call& c, void* stream) {
  return enqueue_call(c, static_cast<cudaStream_t>(stream));
}

}  // namespace upsweep::python
