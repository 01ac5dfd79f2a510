#include "axis_part.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status axis_sums_on_cuda(void* stream, const axis_call& call) {
  return axis_sums(static_cast<cudaStream_t>(stream), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
