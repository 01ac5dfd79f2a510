#include "compact/group_by_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_group_by_contracts<cudaStream_t>() && add_more_group_by_contracts<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
