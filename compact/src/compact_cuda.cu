#include "select_by_variant.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status select_on_cuda(void* stream, const select_call& call) {
  return select_by_variant(executor_of(static_cast<cudaStream_t>(stream)), {backend::cuda, stream}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
