#include "contracts/scan_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

const bool added = add_scan_contracts<sim_stream, sum_of<std::uint64_t>, blelloch<96>, raking<256>>("u64");

}  // namespace
