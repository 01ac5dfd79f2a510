#include "contracts/sort_calls_contract.hpp"
#include "sort/few_keys_policies.hpp"
#include "sort/sort_streams.cuh"  // here, where its sorts are compiled
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_few_keys_contracts<cudaStream_t>() && add_sort_keys_contracts<cudaStream_t>();

}  // namespace
}  // namespace upsweep::test
