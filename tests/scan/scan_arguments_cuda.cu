#include "contracts/scan_argument_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_scan_argument_contracts<cudaStream_t>();

}  // namespace
