// The GPU's side of the cull where there is no CUDA compiler.
#include "keep_flags.hpp"

namespace upsweep::apps {

status keep_flags_on_cuda(void*, const keep_test&, std::uint8_t*, std::int64_t) {
  return status::no_device;
}

}  // namespace upsweep::apps
