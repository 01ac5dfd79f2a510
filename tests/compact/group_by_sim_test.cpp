#include "compact/group_by_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_small_group_contracts<sim_stream>();
#ifndef UPSWEEP_RACE_CHECK  // the same kernels, with more items a thread
const bool added_default = [] {
  add_group_by_contract<default_group_policy, sim_stream>("group_by/default");
  return true;
}();
#endif

}  // namespace
}  // namespace upsweep::test
