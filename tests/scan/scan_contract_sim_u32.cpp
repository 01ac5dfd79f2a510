#include "contracts/scan_contract.hpp"

namespace {

const bool added = upsweep::test::add_scan_contracts<upsweep::sim_stream, upsweep::test::sum_of<std::uint32_t>>("u32");

}  // namespace
