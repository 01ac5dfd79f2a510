#include "contracts/scan_iterator_contract.hpp"
#include "support/race_check.hpp"

namespace upsweep::test {
namespace {

const bool added = [] {
  if constexpr (race_check) return add_scan_iterator_contracts<sim_stream>();
  return add_more_scan_iterator_contracts<sim_stream>() && add_scan_iterator_contract<sim_stream, serial>("serial");
}();

}  // namespace
}  // namespace upsweep::test
