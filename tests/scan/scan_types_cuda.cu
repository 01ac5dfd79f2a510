#include "contracts/scan_types_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::scan_types_contract<cudaStream_t>::add();

}  // namespace
