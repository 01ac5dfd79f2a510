#include "compact/group_by_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_small_group_contracts<cudaStream_t>() && [] {
  add_group_by_contract<default_group_policy, cudaStream_t>("group_by/default");
  return true;
}();

}  // namespace
}  // namespace upsweep::test
