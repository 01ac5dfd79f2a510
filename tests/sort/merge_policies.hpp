// The merges and bounds under test.
#pragma once

#include "contracts/bounds_contract.hpp"
#include "contracts/merge_contract.hpp"

namespace upsweep::test {

/// Tiles whose ends are found by their own blocks, of one warp and of several; by an earlier kernel; and both, by
/// the number of tiles.
template <class Stream>
bool add_merge_contracts() {
  add_every_merge_contract<merge_path<32, 3, 0>, Stream>("ends_from_a_kernel");
  add_every_merge_contract<merge_path<64, 2, 1000>, Stream>("ends_from_the_block");
  add_merge_contract<merge_path<32, 3, 0>, Stream>("ends_from_a_kernel", 500);
  add_merge_contract<merge_path<96, 5, 1000>, Stream>("ends_from_the_block", 1100);
  add_merge_contract<merge_path<64, 4, 2>, Stream>("ends_from_either", 700);
  add_merge_contract<bitonic_merge<1, 2048, 0, merge_path<32, 3, 0>>, Stream>("networks_in_cells", 1500);
  add_merge_contract<bitonic_merge<3, 2048, 1 << 20, merge_path<64, 2, 1000>>, Stream>("networks", 2100);
  add_merge_contract<default_merge_policy, Stream>("default", race_check ? 3000 : 9001);
  return true;
}

template <class Stream>
bool add_bounds_contracts() {
  add_every_bounds_contract<tiled_bounds<32, 1>, Stream>("one_warp");
  add_every_bounds_contract<tiled_bounds<64, 2>, Stream>("two_warps");
  add_bounds_contract<tiled_bounds<32, 3>, Stream>("one_warp", 500);
  add_bounds_contract<tiled_bounds<96, 2>, Stream>("three_warps", 1100);
  add_bounds_contract<default_bounds_policy, Stream>("default", race_check ? 3000 : 9001);
  return true;
}

}  // namespace upsweep::test
