#include "contracts/scan_contract.hpp"

namespace {

using namespace upsweep;
using namespace upsweep::test;

const bool added = add_scan_contracts<sim_stream, joined_spans<std::uint64_t>, warp_radix_raking<96>,
                                      warp_radix_brent_kung_fused<256>>("span16");

}  // namespace
