#include "contracts/block_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_block_contracts<cudaStream_t>();

}  // namespace
