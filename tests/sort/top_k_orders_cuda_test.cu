#include "contracts/top_k_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = [] {
  add_top_k_orders<default_top_k_policy, cudaStream_t>("top_k", 1 << 15, 8192);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
