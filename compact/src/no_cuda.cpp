#include "backends.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status select_on_cuda(void*, const select_call&) {
  return status::no_device;
}

status grouped_on_cuda(void*, const grouped_call&) {
  return status::no_device;
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
