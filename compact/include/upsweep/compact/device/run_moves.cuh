// How the warps of the ring of runs read and write.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// Items of the calling lane's that are neighbours, of which there are `mine`; as vectors, where Full says all. The
/// others are item `last`.
template <bool Full, int Items, class To, class From, class Ctx>
UPSWEEP_DEVICE void read_of_lane(Ctx& block, const From* from, int mine, int last, To (&item)[Items]) {
  constexpr int width = [] {
    int w = 1;
    while (2 * w * sizeof(From) <= 16 && Items % (2 * w) == 0) w *= 2;
    return w;
  }();
  const int first = block.lane() * Items;
  UPSWEEP_UNROLL
  for (int i = 0; i < Items; i += width) {
    if constexpr (Full && width > 1) {
      const auto v = block.template load_vector<width>(from + first + i);
      UPSWEEP_UNROLL
      for (int k = 0; k < width; ++k) item[i + k] = static_cast<To>(v.item[k]);
    } else {
      UPSWEEP_UNROLL
      for (int k = i; k < i + width; ++k) item[k] = static_cast<To>(from[Full || k < mine ? first + k : last]);
    }
  }
}

/// The calling lane's items: how many heads the stretch has so far, `before` before them.
template <int Items, class Ctx>
UPSWEEP_DEVICE void write_ranks(Ctx& block, std::uint16_t* ranks, lane_mask heads, std::uint32_t before) {
  constexpr int width = Items % 4 == 0 ? 4 : Items % 2 == 0 ? 2 : 1;
  std::uint32_t rank = before;
  UPSWEEP_UNROLL
  for (int k = 0; k < Items; k += width) {
    vector_of<std::uint16_t, width> v;
    UPSWEEP_UNROLL
    for (int j = 0; j < width; ++j) v.item[j] = static_cast<std::uint16_t>(rank += heads >> (k + j) & 1);
    block.template store_vector<width>(ranks + block.lane() * Items + k, v);
  }
}

/// One warp stores value(k) at out[to + k] for each k from `from` to below `count`, whole lines of 128 bytes at once.
template <class Ctx, class Out, class Value>
UPSWEEP_DEVICE void store_lines(Ctx& block, Out out, std::int64_t to, int from, int count, Value value) {
  int in_line = 0;
  if constexpr (std::is_pointer_v<Out>) {
    constexpr int bytes = static_cast<int>(sizeof *out), line = bytes < 128 ? 128 / bytes : 1;
    in_line = static_cast<int>(reinterpret_cast<std::uintptr_t>(out + to) / bytes % line);
  }
  constexpr int rows = 4;
  for (int row = block.lane() - in_line; row < count; row += rows * warp_size) {
    decltype(value(0)) v[rows];
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int k = row + r * warp_size;
      if (k >= from && k < count) v[r] = value(k);
    }
    UPSWEEP_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int k = row + r * warp_size;
      if (k >= from && k < count) out[to + k] = v[r];
    }
  }
}

/// How many heads of a stretch, before whose first item all are heads, lie where they go: those before the first item
/// that is none.
template <class Place, class Ctx>
UPSWEEP_DEVICE int unmoved(Ctx& block, const Place* heads_at, int first, int heads) {
  for (int row = 0;; row += warp_size) {
    const int k = row + block.lane();
    const lane_mask moved = block.ballot(k >= heads || heads_at[k] != first + k);
    if (moved != 0) return row + lowest_lane(moved);
  }
}

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
