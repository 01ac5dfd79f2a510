#include "splats.cuh"

namespace upsweep::apps {

status splats_on_cuda(void* stream, workspace w, const primitive_arrays& a) {
  return splats_on(static_cast<cudaStream_t>(stream), w, a);
}

}  // namespace upsweep::apps
