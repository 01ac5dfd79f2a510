#include "merge_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status merge_on_cuda(void* stream, const merge_call& call) {
  return merge_by_table<cuda_key_types<>>(executor_of(static_cast<cudaStream_t>(stream)), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
