#include "contracts/scan_contract.hpp"

namespace {

const bool added =
    upsweep::test::add_scan_contracts<upsweep::sim_stream, upsweep::test::joined_spans<std::uint32_t>>("span8");

}  // namespace
