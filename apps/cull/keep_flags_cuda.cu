#include "keep_flags.cuh"

namespace upsweep::apps {

status keep_flags_on_cuda(void* stream, const keep_test& test, std::uint8_t* flags, std::int64_t n) {
  return write_keep_flags(executor_of(static_cast<cudaStream_t>(stream)), test, flags, n);
}

}  // namespace upsweep::apps
