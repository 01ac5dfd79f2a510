// The sim's half of the table. The parts are compiled elsewhere (CMakeLists.txt).
#include "scan_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status scan_on_sim(void* options, const scan_call& call) {
  return scan_by_table(sim_stream{static_cast<const sim_options*>(options)}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
