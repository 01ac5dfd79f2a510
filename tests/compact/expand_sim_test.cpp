#include "compact/expand_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_expand_contracts<sim_stream>();
#ifndef UPSWEEP_RACE_CHECK  // the same kernel, in more threads
const bool added_default = [] {
  add_expand_contract<default_expand_policy, sim_stream>("expand/default");
  return true;
}();
#endif

}  // namespace
}  // namespace upsweep::test
