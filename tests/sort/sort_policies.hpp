// The sorts under test: every key type with the default scan, and the method with every other scan.
#pragma once

#include "contracts/sort_contract.hpp"

namespace upsweep::test {

template <class ScanPolicy>
using sort_with = upsweep_downsweep<policy_spine<ScanPolicy>>;

template <class Stream>
bool add_sort_contracts_of_key_types() {
  add_sort_contract<default_sort_policy, std::uint32_t, Stream>("upsweep_downsweep/u32", true);
  add_sort_contract<default_sort_policy, std::int32_t, Stream>("upsweep_downsweep/i32", true);
  add_sort_contract<default_sort_policy, std::uint64_t, Stream>("upsweep_downsweep/u64", true);
  add_sort_contract<default_sort_policy, float, Stream>("upsweep_downsweep/f32", true);
  return true;
}

template <class Stream>
bool add_sort_contracts_of_scans() {
  add_sort_contract<sort_with<decoupled_lookback<brent_kung<64>, 2>>, std::uint32_t, Stream>(
      "upsweep_downsweep/decoupled_lookback_brent_kung_64x2", false);
  add_sort_contract<sort_with<scan_then_propagate<warp_scans<64>, 3>>, std::uint32_t, Stream>(
      "upsweep_downsweep/scan_then_propagate_warp_scans_64x3", false);
  add_sort_contract<sort_with<scan_then_propagate<brent_kung<128>, 4>>, std::uint32_t, Stream>(
      "upsweep_downsweep/scan_then_propagate_brent_kung_128x4", false);
  add_sort_contract<upsweep_downsweep<policy_spine<>, 0>, std::uint32_t, Stream>("upsweep_downsweep/64_bit_places",
                                                                                 false);
  add_wide_value_contract<8, Stream>();
  add_wide_value_contract<64, Stream>();
  return true;
}

}  // namespace upsweep::test
