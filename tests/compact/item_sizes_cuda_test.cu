#include "contracts/item_sizes_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_item_sizes_contract<upsweep::default_compact_policy, cudaStream_t>("item_sizes");

}  // namespace
