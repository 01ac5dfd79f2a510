// The stages in shared memory that tiles of a pipelined kernel go through.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A warp's way through the stages, round after round. `parity` is that of the round, as phase_wait takes it.
template <class Stage, int Stages>
struct stage_ring {
  Stage (&stages)[Stages];
  int index = 0;
  int parity = 0;
  bool first_round = true;

  UPSWEEP_DEVICE Stage& here() const { return stages[index]; }
  UPSWEEP_DEVICE void next() {
    if (++index < Stages) return;
    index = 0;
    parity ^= 1;
    first_round = false;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
