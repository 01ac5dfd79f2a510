// The CUDA half of a library built without a CUDA compiler.
#include "backends.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

bool has_cuda() {
  return false;
}
int cuda_device_count() {
  return 0;
}

const char* cuda_error_name(status) {
  return "cudaErrorUnknown";
}
const char* cuda_error_text(status) {
  return "a CUDA error, and this build has no CUDA half";
}

std::unique_ptr<device> open_cuda_device(int, std::string& why) {
  why =
      "this build has no CUDA half: when it was configured, there was no nvcc or no GPU, or UPSWEEP_CUDA was OFF; "
      "build it where both are, as ./run build does";
  return nullptr;
}

status scan_on_cuda(void*, const scan_call&) {
  return status::no_device;
}
status axis_sums_on_cuda(void*, const axis_call&) {
  return status::no_device;
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
