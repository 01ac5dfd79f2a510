#include "contracts/segmented_sort_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = [] {
  add_segmented_sort_contract<default_segmented_sort_policy, cudaStream_t>("segmented_sort", {512, 1024, 4096});
  return true;
}();

}  // namespace
}  // namespace upsweep::test
