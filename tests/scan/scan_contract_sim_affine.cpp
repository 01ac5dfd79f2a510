#include "contracts/scan_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

const bool added =
    add_scan_contracts<sim_stream, affine_maps, warp_radix_sklansky<96>, brent_kung_padded<256>>("affine");

}  // namespace
