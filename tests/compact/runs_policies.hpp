// Reductions of runs: look-back and the ring, in small tiles.
#pragma once

#include "contracts/runs_contract.hpp"

namespace upsweep::test {

template <class Stream>
bool add_run_contracts() {
  using small_tiles = run_lookback<warp_scans<64>, 3>;
  add_runs_contract<run_lookback<warp_scans<32>, 1>, Stream>("runs/32x1");
  add_runs_contract<small_tiles, Stream>("runs/64x3");
  add_runs_contract<pipelined_runs<small_tiles, 2, 1, 2, 3, 0, 2>, Stream>("runs/ring_2x2");
  add_decode_contract<Stream>("runs/decode");
  return true;
}

}  // namespace upsweep::test
