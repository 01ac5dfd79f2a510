// Decoupled look-back (Merrill & Garland 2016) of many columns at once, by one thread each.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The sum of `count` > 0 states, of which the nearest is number `nearest`, the one before it `step` in front of that,
/// and so on. The farthest publishes nothing but inclusive. One thread calls; it reads `Window` states at a time, and
/// waits for those that are not there.
template <int Window, class Ctx, class T, class Op>
UPSWEEP_DEVICE T look_back_in_column(Ctx& block, const tile_states<T>& states, std::int64_t nearest, std::int64_t step,
                                     std::int64_t count, Op op) {
  T sum{};
  UPSWEEP_NO_UNROLL
  for (bool is_first = true;;) {
    tile_reading<T> reading[Window];
    UPSWEEP_UNROLL
    for (int i = 0; i < Window; ++i) {
      if (i < count) reading[i] = states.read(block, nearest - i * step);
    }
    bool waits = false;
    int added = 0;
    UPSWEEP_UNROLL
    for (int i = 0; i < Window; ++i) {
      waits = waits || !reading[i].is_there();
      if (waits) continue;
      sum = is_first ? reading[i].value : op(reading[i].value, sum);
      is_first = false;
      ++added;
      if (reading[i].status == tile_status::inclusive) return sum;
    }
    nearest -= added * step;
    count -= added;
    if (waits) block.back_off();
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
