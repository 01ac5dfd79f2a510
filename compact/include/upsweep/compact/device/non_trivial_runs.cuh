// Runs of more than one item, as runs that begin with their second item: no item after a tile is needed to know it, and
// those of runs of one count as nothing.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/scan/device/segment_heads.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/iterator_traits.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// As key_heads, of the second items of runs.
template <class Keys, class Equal>
struct second_heads {
  using key = typename std::iterator_traits<Keys>::value_type;
  template <int N>
  struct loaded {
    typename key_heads<Keys, Equal>::template loaded<N> of_runs;
    key before_front;  // in lane 0
  };

  key_heads<Keys, Equal> runs;

  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE loaded<N> load(Ctx& block, std::int64_t first, int valid) const {
    const std::int64_t at = first + block.warp() * warp_size * N;
    loaded<N> k{runs.template load<Full, N>(block, first, valid), key{}};
    if (block.lane() == 0 && at > 0 && (Full || at - first < valid)) k.before_front = runs.keys[at - 2];
    return k;
  }

  template <bool Full, int N, class Ctx>
  UPSWEEP_DEVICE lane_mask word(Ctx& block, const loaded<N>& k, std::int64_t first, int valid) const {
    const int word_first = (block.warp() * N + block.lane()) * warp_size, left = valid - word_first;
    const lane_mask heads = runs.template word<Full, N>(block, k.of_runs, first, valid);
    lane_mask in_front = block.shuffle_up(heads, 1) >> (warp_size - 1);
    if (block.lane() == 0 && first + word_first > 0 && left > 0) {
      in_front = static_cast<bool>(runs.equal(k.before_front, k.of_runs.front)) ? 0 : 1;
    }
    const lane_mask there = block.lane() >= N || left <= 0 ? 0
                            : left >= warp_size            ? full_warp
                                                           : (lane_mask{1} << left) - 1;
    return ~heads & there & (heads << 1 | in_front);
  }
};

/// What items count for: the second of a run for two, those after it for one each, others for none.
template <class T, class Keys, class Equal>
struct counted_from_second {
  Keys keys;
  mutable Equal equal;
  std::int64_t first = 0;

  UPSWEEP_DEVICE T operator[](std::int64_t i) const {
    const std::int64_t at = first + i;
    if (at == 0 || !static_cast<bool>(equal(keys[at - 1], keys[at]))) return 0;
    return at == 1 || !static_cast<bool>(equal(keys[at - 2], keys[at - 1])) ? 2 : 1;
  }
  UPSWEEP_DEVICE counted_from_second operator+(std::int64_t i) const { return {keys, equal, first + i}; }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
