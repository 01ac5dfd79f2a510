#include "across.hpp"

namespace upsweep::apps {

status sort_codes_on_gpus(codes_across<std::uint32_t>&, int) {
  return status::not_supported;
}
status sort_codes_on_gpus(codes_across<std::uint64_t>&, int) {
  return status::not_supported;
}
status sort_slice_on_gpu(const gpu_process&, const code_slice<std::uint32_t>&, sort_times&) {
  return status::not_supported;
}
status sort_slice_on_gpu(const gpu_process&, const code_slice<std::uint64_t>&, sort_times&) {
  return status::not_supported;
}

}  // namespace upsweep::apps
