#include "compact_calls.hpp"

bool calls_of_the_gpu(upsweep::workspace w, const int* in, int* out, const unsigned char* flags, std::int64_t* count,
                      cudaStream_t stream) {
  return calls::compactions(w, in, out, flags, count, stream);
}
