#include "from_host_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status sort_from_host_on_sim(const from_host_call& call) {
  return sort_from_host_by_table(executor_of(sim_stream{static_cast<const sim_options*>(call.of_call.handle)}), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
