#include "contracts/sort_from_host_contract.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

bool add_all() {
  add_sort_from_host_type_contract<double, cudaStream_t>("f64", 20000);
  return add_sort_from_host_contracts<cudaStream_t>(50000);
}
const bool added = add_all();

}  // namespace
}  // namespace upsweep::test
