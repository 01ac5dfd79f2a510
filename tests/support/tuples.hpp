// The tuples that kernels take: those of libcu++ where nvcc compiles, else those of the host's library.
#pragma once

#if defined(__CUDACC__)
#include <cuda/std/tuple>
#else
#include <tuple>
#endif

namespace upsweep::test {

#if defined(__CUDACC__)
namespace tuples = cuda::std;
#else
namespace tuples = std;
#endif

}  // namespace upsweep::test
