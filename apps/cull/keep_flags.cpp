#include "keep_flags.cuh"

namespace upsweep::apps {

status keep_flags(runtime::stream s, const keep_test& test, std::uint8_t* flags, std::int64_t n) {
  if (s.where == runtime::backend::cuda) return keep_flags_on_cuda(s.handle, test, flags, n);
  return write_keep_flags(executor_of(sim_stream{static_cast<const sim_options*>(s.handle)}), test, flags, n);
}

}  // namespace upsweep::apps
