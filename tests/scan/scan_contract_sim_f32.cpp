#include "contracts/scan_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

const bool added = add_scan_contracts<sim_stream, sum_of<float>, reduce_scan<96>, warp_radix_brent_kung<256>>("f32");

}  // namespace
