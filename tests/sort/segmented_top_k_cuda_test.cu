#include "contracts/segmented_top_k_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = [] {
  add_segmented_top_k_contract<default_segmented_top_k_policy, cudaStream_t>("segmented_top_k", 4096);
  return true;
}();

}  // namespace
}  // namespace upsweep::test
