#include "contracts/scan_iterator_contract.hpp"

namespace {

const bool added = upsweep::test::add_scan_iterator_contracts<upsweep::sim_stream>() &&
                   upsweep::test::add_scan_iterator_contract<upsweep::sim_stream, upsweep::serial>("serial");

}  // namespace
