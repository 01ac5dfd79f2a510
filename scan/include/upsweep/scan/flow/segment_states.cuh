// What tiles of segments publish where each publishes once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/flow/tile_pieces.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/scan/thread/thread_segments.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The status of a plain sum tells of a segment's: inclusive with a head, since nothing from before it comes in,
/// partial without one. So it takes no more bytes than a plain sum.
template <class T>
class segment_states {
  using plain = typename states_of_one_sum<T>::type;

 public:
  using state_slots = typename plain::state_slots;
  static constexpr state_slots add_to(workspace_layout& layout, std::int64_t tiles) {
    return plain::add_to(layout, tiles);
  }

  segment_states(const workspace_layout& layout, workspace w, const state_slots& s) : sums_(layout, w, s) {}

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status, const segment_sum<T>& sum) const {
    sums_.publish(block, tile, sum.has_head ? tile_status::inclusive : tile_status::partial, sum.value);
  }
  template <class Ctx>
  UPSWEEP_DEVICE tile_reading<segment_sum<T>> read(Ctx& block, std::int64_t tile) const {
    const tile_reading<T> r = sums_.read(block, tile);
    return {{r.value, r.status == tile_status::inclusive}, r.status};
  }

 private:
  plain sums_;
};

template <class T>
struct states_of_one_sum<segment_sum<T>> {
  using type = segment_states<T>;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
