// The policies whose declared cost is tested: those of the contract.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "contracts/scan_contract.hpp"

namespace upsweep::test {

/// Calls `f(Policy{})` for every policy of the contract that launches kernels.
template <class F>
void for_each_launching_policy(F f) {
  const auto each = [&](auto... policy) { (f(policy), ...); };
  std::apply(each, block_policies<warp_scans>{});
  std::apply(each, block_policies<brent_kung>{});
  std::apply(each, default_tile_policies{});
}

/// One tile, several, a ragged end, and two and three levels of scan_then_propagate where tiles are small.
inline std::vector<std::int64_t> sizes_around(std::int64_t tile) {
  std::vector<std::int64_t> sizes = {1, 2, tile / 2 + 5, tile - 1, tile, tile + 1, 3 * tile, 35 * tile + 7};
  if (tile < 300) sizes.push_back(tile * tile + 1);
  return sizes;
}

}  // namespace upsweep::test
