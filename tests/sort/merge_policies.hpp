// The merges and bounds under test.
#pragma once

#include "contracts/merge_contract.hpp"

namespace upsweep::test {

/// Tiles whose ends are asked for by their own blocks, of one warp and of several; by a kernel in front; and both, by
/// the number of tiles.
template <class Stream>
bool add_merge_contracts() {
  add_every_merge_contract<merge_path<32, 3, 0>, Stream>("ends_from_a_kernel");
  add_every_merge_contract<merge_path<64, 2, 1000>, Stream>("ends_from_the_block");
  add_merge_contract<merge_path<32, 3, 0>, Stream>("ends_from_a_kernel", 500);
  add_merge_contract<merge_path<96, 5, 1000>, Stream>("ends_from_the_block", 1100);
  add_merge_contract<merge_path<64, 4, 2>, Stream>("ends_from_either", 700);
  add_merge_contract<default_merge_policy, Stream>("default", race_check ? 3000 : 9001);
  return true;
}

}  // namespace upsweep::test
