// What goes with selection or is built on it: holes filled in place, splits, runs, what is written beside the elements.
#pragma once

#include "contracts/hole_filling_contract.hpp"
#include "contracts/move_contract.hpp"
#include "contracts/put_contract.hpp"
#include "contracts/split_contract.hpp"
#include "contracts/unique_contract.hpp"
#include "upsweep/compact/policy.hpp"

namespace upsweep::test {

template <class Stream>
bool add_form_contracts() {
  add_hole_filling_contract<hole_filling<>, Stream>("hole_filling/default");
  add_split_contract<default_split_policy, Stream>("split/default");
  add_split_contract<detail::default_split<detail::onesweep_split<>, true>, Stream>("split/onesweep_split");
  add_unique_contract<default_compact_policy, Stream>("unique/default");
  add_move_contract<Stream>("move");
  add_put_contract<Stream>("put");
  return true;
}

/// The same kernels with wide positions, other scans and other methods.
template <class Stream>
bool add_more_form_contracts() {
  using scan = reduce_then_scan<warp_scans<64>, 2>;
  add_hole_filling_contract<hole_filling<scan, 0>, Stream>("hole_filling/64_bit_positions");
  using one_pass = detail::onesweep_split<1, 0>;
  add_split_contract<detail::default_split<one_pass, true>, Stream>("split/64_bit_positions_in_portions_of_a_tile");
  add_split_contract<histogram_split<scan, 0>, Stream>("split/histogram_split_with_64_bit_positions");
  add_unique_contract<vote_scan_compact<default_scan_policy>, Stream>("unique/vote_scan_compact");
  return true;
}

}  // namespace upsweep::test
