// Scans and reductions of one value a lane by shuffles.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Inclusive scan over the first `valid` lanes (Hillis & Steele 1986, by shuffles: log2(Lanes) steps). All lanes of the
/// warp call; the operator runs on valid lanes only. Lanes is a power of two and bounds `valid`.
template <int Lanes = warp_size, class Ctx, class T, class Op>
UPSWEEP_DEVICE T warp_inclusive_scan(Ctx& block, T value, Op op, int valid = Lanes) {
  UPSWEEP_UNROLL
  for (int distance = 1; distance < Lanes; distance *= 2) {
    const T before = block.shuffle_up(value, distance);
    if (block.lane() >= distance && block.lane() < valid) value = op(before, value);
  }
  return value;
}

/// Operator applications of warp_inclusive_scan, of all lanes together.
template <int Lanes = warp_size>
constexpr std::int64_t warp_scan_operations(int valid) {
  std::int64_t count = 0;
  for (int distance = 1; distance < Lanes && distance < valid; distance *= 2) count += valid - distance;
  return count;
}

/// Lane 0 gets value[0] op ... op value[valid - 1]. All lanes of the warp call.
template <class Ctx, class T, class Op>
UPSWEEP_DEVICE T warp_reduce(Ctx& block, T value, Op op, int valid = warp_size) {
  UPSWEEP_UNROLL
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T behind = block.shuffle_down(value, distance);
    if (block.lane() + distance < valid) value = op(value, behind);
  }
  return value;
}

/// Lane 0 gets value[last] op ... op value[0]: the highest lane comes first. All lanes of the warp call.
template <class Ctx, class T, class Op>
UPSWEEP_DEVICE T warp_reduce_backwards(Ctx& block, T value, Op op, int last) {
  UPSWEEP_UNROLL
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const T before = block.shuffle_down(value, distance);
    if (block.lane() + distance <= last) value = op(before, value);
  }
  return value;
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI

namespace upsweep::inline UPSWEEP_CUDA_ABI {

using detail::warp_inclusive_scan;
using detail::warp_reduce;

}  // namespace upsweep::inline UPSWEEP_CUDA_ABI
