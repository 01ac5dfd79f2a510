#include "contracts/scan_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_scan_contracts<cudaStream_t, upsweep::test::sum_of<std::uint32_t>>("u32");

}  // namespace
