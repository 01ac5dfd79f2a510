#include "grouped_calls.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status grouped_on_sim(void* options, const grouped_call& call) {
  return std::visit(grouped_calls<sim_stream>{sim_stream{static_cast<const sim_options*>(options)}}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
