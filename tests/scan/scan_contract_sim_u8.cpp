#include "contracts/scan_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

const bool added = add_scan_contracts<sim_stream, sum_of<std::uint8_t>, sklansky<96>, kogge_stone<256>>("u8");

}  // namespace
