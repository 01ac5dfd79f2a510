#include "sort_table.hpp"
#include "top_k_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status sort_on_sim(void* options, const sort_call& call) {
  const sim_stream s{static_cast<const sim_options*>(options)};
  return sort_by_table<sim_key_types<>>(executor_of(s), {backend::sim, options}, call);
}

/// Here, as its sorts of all keys are among those above.
status top_k_on_sim(void* options, const top_k_call& call) {
  return top_k_by_table<sim_key_types<4>>(sim_stream{static_cast<const sim_options*>(options)}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
