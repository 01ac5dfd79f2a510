#include "contracts/scan_argument_contract.hpp"

namespace {

const bool added = upsweep::test::add_scan_argument_contracts<upsweep::sim_stream>();

}  // namespace
