#include "contracts/block_contract.hpp"

namespace {

using namespace upsweep::test;

// The race checker sees nothing here that it does not see with span8, which looks closer.
using sizes = std::conditional_t<race_check, block_sizes<96>, all_block_sizes>;
const bool added = add_block_contracts<upsweep::sim_stream, affine_maps>("affine", sizes{});

}  // namespace
