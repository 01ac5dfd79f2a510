#include "compact/runs_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_run_contracts<cudaStream_t>() && [] {
  add_runs_contract<default_runs_policy, cudaStream_t>("runs/default");
  return true;
}();

}  // namespace
}  // namespace upsweep::test
