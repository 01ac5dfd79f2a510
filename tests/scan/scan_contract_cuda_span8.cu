#include "contracts/scan_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_scan_contracts<cudaStream_t, upsweep::test::joined_spans<std::uint32_t>>("span8");

}  // namespace
