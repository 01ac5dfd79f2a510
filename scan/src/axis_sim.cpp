#include "axis_part.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status axis_sums_on_sim(void* options, const axis_call& call) {
  return axis_sums(sim_stream{static_cast<const sim_options*>(options)}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
