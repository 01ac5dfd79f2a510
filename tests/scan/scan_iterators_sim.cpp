#include "contracts/scan_iterator_contract.hpp"

namespace upsweep::test {
namespace {

const bool added =
    add_scan_iterator_contracts<sim_stream>() && add_scan_iterator_contract<sim_stream, serial>("serial");

#ifndef UPSWEEP_RACE_CHECK
// Without arrays of items it is decoupled look-back; direct look-back reads and writes as that does.
const bool pipelined = [] {
  using contract = scan_iterator_contract<sim_stream, decoupled_lookback_pipelined<64, 2>>;
  add_test<sim_stream>("scan_iterators/decoupled_lookback_pipelined", "carries_more_than_the_output_holds",
                       contract::carries_more_than_the_output_holds);
  return true;
}();
#endif

}  // namespace
}  // namespace upsweep::test
