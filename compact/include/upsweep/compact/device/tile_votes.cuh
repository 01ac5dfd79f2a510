// What a block learns from the votes of its tile, for which each thread has cast some: where each element goes.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include "upsweep/scan/operators.hpp"
#include "upsweep/scan/warp/warp_scan.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Of Threads x Items elements: vote k of a lane is that of element k * 32 + lane of its warp, whose elements lie after
/// those of the warps before.
template <int Threads, int Items>
class tile_votes {
  static constexpr int warps = Threads / warp_size;

 public:
  struct temp_storage {
    uninitialized_array<int, warps> kept;  // of each warp
  };

  /// All threads call. Holds a barrier.
  template <class Ctx>
  UPSWEEP_DEVICE tile_votes(Ctx& block, temp_storage& s, const bool (&keep)[Items]) {
    int of_warp = 0;
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      votes_[k] = block.ballot(keep[k]);
      of_warp += count_lanes(votes_[k]);
    }
    if (block.lane() == 0) s.kept[block.warp()] = of_warp;
    block.barrier();  // s.kept is written
    of_lane_ = block.lane() < warps ? s.kept[block.lane()] : 0;
    up_to_lane_ = warp_inclusive_scan(block, of_lane_, plus{});
    kept_ = block.shuffle(up_to_lane_, warp_size - 1);
  }

  /// How many are kept, of the tile.
  UPSWEEP_DEVICE int kept() const { return kept_; }

  /// each(k, place) for the lane's votes: as many are kept before it, and `before` more. All lanes call.
  template <class Ctx, class Place, class Each>
  UPSWEEP_DEVICE void places(Ctx& block, Place before, Each each) const {
    Place at = before + block.shuffle(up_to_lane_ - of_lane_, block.warp());
    UPSWEEP_UNROLL
    for (int k = 0; k < Items; ++k) {
      each(k, at + count_lanes(votes_[k] & ((lane_mask{1} << block.lane()) - 1)));
      at += count_lanes(votes_[k]);
    }
  }

 private:
  lane_mask votes_[Items];
  int of_lane_, up_to_lane_, kept_;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
