#include "segments_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status segments_on_cuda(void* stream, const segments_call& call) {
  return sort_segments_by_table<cuda_key_types<4>>(static_cast<cudaStream_t>(stream), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
