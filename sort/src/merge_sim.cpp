#include "merge_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status merge_on_sim(void* options, const merge_call& call) {
  return merge_by_table<sim_key_types<>>(executor_of(sim_stream{static_cast<const sim_options*>(options)}), call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
