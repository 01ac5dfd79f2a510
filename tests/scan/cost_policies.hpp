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
  std::apply(each, policies_without_blocks{});
  std::apply(each, tile_policies<warp_scans<32>, brent_kung<96>, warp_scans<256>>{});
  each(reproducible_scan<96, 6, false>{});
  each(direct_lookback<warp_scans<64>, 1>{});
  each(direct_reduce_then_scan<warp_scans<64>, 1>{});
}

/// One tile, several, a ragged end, and two and three levels of sums where tiles are small.
template <class Policy, class T>
std::vector<std::int64_t> sizes_around_tiles() {
  if constexpr (!has_tiles(Policy::variant.strategy)) {
    return {1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 100, 1000, 1025};
  } else {
    constexpr std::int64_t tile = Policy::template tile_items<T>;
    std::vector<std::int64_t> sizes = {1, 2, tile / 2 + 5, tile - 1, tile, tile + 1, 3 * tile, 35 * tile + 7};
    if (tile < 300) sizes.push_back(tile * tile + 1);
    return sizes;
  }
}

}  // namespace upsweep::test
