// The sorts under test: every key type with the default scan, upsweep_downsweep with every other scan, and onesweep
// with tiles of several shapes.
#pragma once

#include "contracts/argsort_contract.hpp"
#include "contracts/counted_sort_contract.hpp"
#include "contracts/onesweep_contract.hpp"
#include "contracts/run_starts_contract.hpp"
#include "contracts/sort_contract.hpp"
#include "contracts/two_buffers_contract.hpp"
#include "support/race_check.hpp"
#include "upsweep/sort/policy.hpp"

namespace upsweep::test {

template <class ScanPolicy>
using sort_with = upsweep_downsweep<ScanPolicy>;

template <class Stream>
bool add_sort_contracts_of_key_types() {
  using method = upsweep_downsweep<policy_spine<>>;
  add_sort_contract<method, std::uint32_t, Stream>("upsweep_downsweep/u32", true);
  add_sort_contract<method, std::uint64_t, Stream>("upsweep_downsweep/u64", false);
  add_in_place_contract<method, Stream>("upsweep_downsweep/in_place", 9000);
  add_skipped_passes_contract<method, Stream>("upsweep_downsweep", false);
  if constexpr (!race_check) {
    add_two_buffers_contract<method, Stream>("upsweep_downsweep/two_buffers", 5000);
    add_sort_contract<method, std::int32_t, Stream>("upsweep_downsweep/i32", false);
    add_sort_contract<method, float, Stream>("upsweep_downsweep/f32", true);
  }
  return true;
}

template <class Stream>
bool add_sort_contracts_of_scans() {
  // Which scan it is makes no difference to the kernels of the sort.
  if constexpr (!race_check) {
    add_sort_contract<sort_with<decoupled_lookback<brent_kung<64>, 2>>, std::uint32_t, Stream>(
        "upsweep_downsweep/decoupled_lookback_brent_kung_64x2", false);
    add_sort_contract<sort_with<scan_then_propagate<warp_scans<64>, 3>>, std::uint32_t, Stream>(
        "upsweep_downsweep/scan_then_propagate_warp_scans_64x3", false);
    add_sort_contract<sort_with<scan_then_propagate<brent_kung<128>, 4>>, std::uint32_t, Stream>(
        "upsweep_downsweep/scan_then_propagate_brent_kung_128x4", false);
  }
  add_sort_contract<upsweep_downsweep<policy_spine<>, 0, 5>, std::uint32_t, Stream>(
      "upsweep_downsweep/64_bit_places_digits_of_5_bits", false);
  using method = upsweep_downsweep<policy_spine<>>;
  add_wide_value_contract<method, wide_value<std::uint32_t, 2>, Stream>("upsweep_downsweep");
  add_wide_value_contract<method, wide_value<std::uint32_t, 16>, Stream>("upsweep_downsweep");
  return true;
}

/// The tiles that onesweep itself takes.
template <class Stream>
bool add_sort_contracts_of_onesweep() {
  add_sort_contract<onesweep<>, std::uint64_t, Stream>("onesweep/u64", true);
  add_sort_contract<onesweep<>, float, Stream>("onesweep/f32", true);
  add_wide_value_contract<onesweep<>, wide_value<std::uint8_t, 1>, Stream>("onesweep");
  add_wide_value_contract<onesweep<>, wide_value<std::uint32_t, 16>, Stream>("onesweep");
  return true;
}

/// Small tiles, so that there are many of them.
template <class Stream>
bool add_sort_contracts_of_small_onesweep() {
  add_sort_contract<onesweep_with<256, 2, 8, 1, 4>, std::int32_t, Stream>("onesweep/256x2_groups_of_4", false);
  // So many blocks have no registers to spare.
  add_sort_contract<onesweep_with<64, 5, 5, 32>, std::uint32_t, Stream>("onesweep/64x5_5_bits", true);
  add_sort_contract<onesweep<onesweep_fixed<onesweep_tile<256, 3>>, 2000>, std::uint32_t, Stream>("onesweep/portions",
                                                                                                  true);
  add_sort_contract<onesweep<onesweep_fixed<onesweep_tile<256, 3>>, 2000, 0>, std::uint32_t, Stream>(
      "onesweep/64_bit_places", false);
  add_every_size_contract<onesweep_with<64, 5, 5, 32>, Stream>("onesweep/64x5_5_bits", 641, 5);
  add_equal_floats_contract<onesweep_with<256, 2>, Stream>("onesweep/256x2", 1300);
  add_argsort_contract<onesweep_with<256, 2>, Stream>("onesweep/256x2", 512);
  add_argsort_contract<onesweep<onesweep_fixed<onesweep_tile<256, 3>>, 2000, 0>, Stream>("onesweep/64_bit_places", 768);
  return true;
}

/// All that it does beside sorting.
template <class Stream>
bool add_contracts_of_onesweep_and_runs() {
  add_onesweep_contract<onesweep_with<256, 2>, Stream>("onesweep");
  add_wide_value_contract<onesweep_with<256, 2>, wide_value<std::uint32_t, 3>, Stream>("onesweep");
  add_run_starts_contract<Stream>("run_starts", 2000);
  add_counted_sort_contract<onesweep_with<256, 2>, Stream>("onesweep/counted_by_the_device", 1500);
  add_in_place_contract<onesweep_with<256, 2>, Stream>("onesweep/in_place", 1500);
  if constexpr (!std::is_same_v<Stream, sim_stream>) {
    add_in_place_contract<default_sort_policy, Stream>("default/in_place", 200'000);
  } else {
    // Pairs that remember their way, and digits that are fewer than the lanes of a warp, under the race checker.
    add_onesweep_digits_contract<onesweep_with<256, 9>, Stream>("onesweep/256x9");
    add_onesweep_digits_contract<onesweep_with<64, 4, 3>, Stream>("onesweep/64x4_3_bits");
  }
  return true;
}

}  // namespace upsweep::test
