#include "contracts/keep_flags_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_keep_flags_contract<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
