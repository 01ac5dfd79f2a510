#include <type_traits>

#include "contracts/block_contract.hpp"

namespace {

using namespace upsweep::test;

using sizes = std::conditional_t<race_check && !full_product, block_sizes<256>, all_block_sizes>;
const bool added = add_block_contracts<upsweep::sim_stream, affine_maps>("affine", sizes{});

}  // namespace
