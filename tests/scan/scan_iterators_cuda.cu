#include "contracts/scan_iterator_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace {

const bool added = upsweep::test::add_scan_iterator_contracts<cudaStream_t>() &&
                   upsweep::test::add_more_scan_iterator_contracts<cudaStream_t>();

}  // namespace
