#include "contracts/context_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_context_contract<cudaStream_t>();

}  // namespace
