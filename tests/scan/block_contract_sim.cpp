#include "contracts/block_contract.hpp"

namespace {

const bool added = upsweep::test::add_block_contracts<upsweep::sim_stream>();

}  // namespace
