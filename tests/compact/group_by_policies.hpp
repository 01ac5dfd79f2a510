// Groupings and histograms: the defaults; in portions of a tile; and counts without shared memory.
#pragma once

#include "contracts/group_by_contract.hpp"
#include "contracts/histogram_contract.hpp"

namespace upsweep::test {

template <class Stream>
bool add_group_by_contracts() {
  add_group_by_contract<default_group_policy, Stream>("group_by/default");
  add_histogram_contract<default_histogram_policy, Stream>("histogram/default");
  return true;
}
template <class Stream>
bool add_more_group_by_contracts() {
  add_group_by_contract<detail::onesweep_groups<1, group_counting<0>>, Stream>("group_by/in_portions_of_a_tile");
  add_histogram_contract<group_counting<0>, Stream>("histogram/without_shared_memory");
  return true;
}

}  // namespace upsweep::test
