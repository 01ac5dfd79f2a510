// Reductions of runs: the default tile, and small ones.
#pragma once

#include "contracts/runs_contract.hpp"

namespace upsweep::test {

template <class Stream>
bool add_run_contracts() {
  add_runs_contract<run_lookback<warp_scans<32>, 1>, Stream>("runs/32x1");
  add_runs_contract<run_lookback<warp_scans<64>, 3>, Stream>("runs/64x3");
  return true;
}

}  // namespace upsweep::test
