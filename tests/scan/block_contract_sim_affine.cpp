#include "contracts/block_contract.hpp"

namespace {

using namespace upsweep::test;

using some_sizes = std::conditional_t<race_check, block_sizes<256>, block_sizes<32, 96, 256>>;
using sizes = std::conditional_t<full_product, all_block_sizes, some_sizes>;
const bool added = add_block_contracts<upsweep::sim_stream, affine_maps>("affine", sizes{});

}  // namespace
