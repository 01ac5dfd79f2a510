#include "sort/merge_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_merge_contracts<cudaStream_t>() && add_bounds_contracts<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
