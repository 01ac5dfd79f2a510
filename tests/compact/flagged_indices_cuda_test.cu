#include "contracts/flagged_indices_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_flagged_indices_contract<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
