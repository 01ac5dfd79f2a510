// The GPU's half of the table. The parts are compiled elsewhere (CMakeLists.txt).
#include "scan_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status scan_on_cuda(void* stream, const scan_call& call) {
  return scan_by_table(static_cast<cudaStream_t>(stream), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
