#include "select_by_variant.hpp"

namespace upsweep::runtime::inline UPSWEEP_ABI {

status select_on_sim(void* options, const select_call& call) {
  const sim_stream s{static_cast<const sim_options*>(options)};
  return select_by_variant(executor_of(s), {backend::sim, options}, call);
}

}  // namespace upsweep::runtime::inline UPSWEEP_ABI
