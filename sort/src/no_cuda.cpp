#include "backends.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status merge_on_cuda(void*, const merge_call&) {
  return status::no_device;
}

status sort_from_host_on_cuda(const from_host_call&) {
  return status::no_device;
}

status segments_on_cuda(void*, const segments_call&) {
  return status::no_device;
}

status top_k_integers_on_cuda(void*, const top_k_call&) {
  return status::no_device;
}

status top_k_floats_on_cuda(void*, const top_k_call&) {
  return status::no_device;
}

status sort_integers_on_cuda(void*, const sort_call&) {
  return status::no_device;
}

status sort_floats_on_cuda(void*, const sort_call&) {
  return status::no_device;
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
