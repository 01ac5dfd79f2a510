#include "sort_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status sort_integers_on_cuda(void* stream, const sort_call& call) {
  return sort_by_table<integer_key_types>(executor_of(static_cast<cudaStream_t>(stream)), {backend::cuda, stream},
                                          call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
