#include "sort_table.hpp"
#include "top_k_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status sort_integers_on_cuda(void* stream, const sort_call& call) {
  return sort_by_table<integer_key_types<>>(executor_of(static_cast<cudaStream_t>(stream)), {backend::cuda, stream},
                                            call);
}

/// Here, as its sorts of all keys are among those above.
status top_k_integers_on_cuda(void* stream, const top_k_call& call) {
  return top_k_by_table<integer_key_types<4>>(static_cast<cudaStream_t>(stream), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
