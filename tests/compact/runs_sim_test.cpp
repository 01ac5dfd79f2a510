#include "compact/runs_policies.hpp"

namespace upsweep::test {
namespace {

const bool added = add_run_contracts<sim_stream>();
#ifndef UPSWEEP_RACE_CHECK  // the same kernel, in more threads
const bool added_default = [] {
  add_runs_contract<run_lookback<warp_scans<256>, 11, 5>, sim_stream>("runs/default");  // that of few items
  return true;
}();
#endif

}  // namespace
}  // namespace upsweep::test
