// GoogleTest prints a status, and on a GPU a cudaError_t, by its name: "cudaErrorInvalidValue" for what would be a 1.
// Every file of every test program has this before its first line (UpsweepTest.cmake), since one that lacked it
// would compile another printer under the same name.
#pragma once

#include <ostream>

#include "upsweep/simt/error.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>
#endif

namespace upsweep {

inline void PrintTo(status s, std::ostream* out) {
  *out << status_name(s);
}

}  // namespace upsweep

#if defined(__CUDACC__)
inline void PrintTo(cudaError_t e, std::ostream* out) {
  *out << cudaGetErrorName(e);
}
#endif
