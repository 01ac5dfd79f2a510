#include "sort_calls.hpp"

bool calls_of_the_gpu(upsweep::workspace w, const int* in, int* out, const float* values_in, float* values_out,
                      const calls::particle* particles_in, calls::particle* particles_out, cudaStream_t stream) {
  return calls::sorts(w, in, out, values_in, values_out, particles_in, particles_out, stream);
}

bool merges_of_the_gpu(upsweep::workspace w, const int* in, int* out, const float* values_in, float* values_out,
                       std::int64_t* places, cudaStream_t stream) {
  return calls::merges(w, in, out, values_in, values_out, places, stream);
}
