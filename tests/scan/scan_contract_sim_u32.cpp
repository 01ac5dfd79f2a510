#include "contracts/scan_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

const bool added = add_scan_contracts<sim_stream, sum_of<std::uint32_t>, brent_kung<96>, warp_scans<256>>("u32");

}  // namespace
