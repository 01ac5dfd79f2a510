#include "grouped_calls.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status grouped_on_cuda(void* stream, const grouped_call& call) {
  return std::visit(grouped_calls<cudaStream_t>{static_cast<cudaStream_t>(stream)}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
