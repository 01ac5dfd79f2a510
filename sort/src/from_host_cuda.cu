#include "from_host_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status sort_from_host_on_cuda(const from_host_call& call) {
  return sort_from_host_by_table(executor_of(static_cast<cudaStream_t>(call.of_call.handle)), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
