#include "compact/runs_policies.hpp"
#include "support/cuda_test_device.cuh"

namespace upsweep::test {
namespace {

const bool added = add_run_contracts<cudaStream_t>() && [] {
  using few = run_lookback<warp_scans<256>, 11, 5>;
  add_runs_contract<few, cudaStream_t>("runs/default_for_few");
  add_runs_contract<pipelined_runs<few, 10, 12, 20, 28, 0>, cudaStream_t>("runs/default_for_many");
  return true;
}();

}  // namespace
}  // namespace upsweep::test
