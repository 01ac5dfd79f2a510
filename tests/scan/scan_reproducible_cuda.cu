#include "contracts/reproducible_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_reproducible_contracts<cudaStream_t>() &&
                   upsweep::test::reproducible_bits_contract<cudaStream_t>::add();

}  // namespace
