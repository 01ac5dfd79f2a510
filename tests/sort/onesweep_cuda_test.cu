#include "sort/sort_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_sort_contracts_of_onesweep<cudaStream_t>() &&
                   add_sort_contracts_of_small_onesweep<cudaStream_t>() &&
                   add_contracts_of_onesweep_and_runs<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
