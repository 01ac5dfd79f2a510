#include "contracts/sum_types_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_sum_types_contracts<cudaStream_t>();

}  // namespace
