#include "contracts/sort_types_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_sort_types_contracts<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
