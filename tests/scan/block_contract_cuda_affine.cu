#include <type_traits>

#include "contracts/block_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

using namespace upsweep::test;

const bool added = add_block_contracts<cudaStream_t, affine_maps>(
    "affine", std::conditional_t<full_product, all_block_sizes, block_sizes<256>>{});

}  // namespace
