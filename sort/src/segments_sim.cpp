#include "segments_table.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status segments_on_sim(void* options, const segments_call& call) {
  return sort_segments_by_table<sim_key_types<4>>(sim_stream{static_cast<const sim_options*>(options)}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
