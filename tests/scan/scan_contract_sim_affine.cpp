#include "contracts/scan_contract.hpp"

namespace {

const bool added = upsweep::test::add_scan_contracts<upsweep::sim_stream, upsweep::test::affine_maps>("affine");

}  // namespace
