#include "compact/expand_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_expand_contracts<cudaStream_t>() && [] {
  add_expand_contract<default_expand_policy, cudaStream_t>("expand/default");
  return true;
}();

}  // namespace
}  // namespace upsweep::test
