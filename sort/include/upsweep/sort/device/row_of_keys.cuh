// A row of short segments that are neighbours, of keys alone whose codes have 32 bits: a warp copies it, and
// sorts it in its registers by all bits.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/padded_array.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/sort/block/segments_in_a_row.cuh"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

template <class Key, class Digits>
struct row_of_keys {
  static constexpr bool asks_for_lanes = true;

  /// Of one warp.
  struct temp_storage {
    padded_array<std::uint32_t, most_items_of_a_row> code;
    std::uint32_t heads[warp_size];  // at which of each lane's items a segment begins
  };

  Digits digits;
  const Key* keys_in;
  Key* keys_out;
  unit_factors units{};

  template <class Ctx>
  UPSWEEP_DEVICE void copy(Ctx& block, const row_of_segments& r) const {
    constexpr int at_once = 4;
    const Key* const in = keys_in + r.base + block.lane();
    Key* const out = keys_out + r.base + block.lane();
    int done = 0;
    for (; done + at_once * warp_size <= r.items; done += at_once * warp_size) {
      Key key[at_once];
      UPSWEEP_UNROLL
      for (int j = 0; j < at_once; ++j) key[j] = in[done + j * warp_size];
      UPSWEEP_UNROLL
      for (int j = 0; j < at_once; ++j) out[done + j * warp_size] = key[j];
    }
    UPSWEEP_NO_UNROLL
    for (; done + block.lane() < r.items; done += warp_size) out[done] = in[done];
  }

  /// Sorts and writes it. mark_heads(n) writes s.heads, where n, an integral_constant, is how many items a lane has.
  template <class Ctx, class MarkHeads>
  UPSWEEP_DEVICE void sort(Ctx& block, temp_storage& s, const row_of_segments& r, MarkHeads mark_heads) const {
    if (r.items <= 4 * warp_size) {
      sort_by_lanes_of<4>(block, s, r, mark_heads);
    } else if (r.items <= 8 * warp_size) {
      sort_by_lanes_of<8>(block, s, r, mark_heads);
    } else if (r.items <= 10 * warp_size) {
      sort_by_lanes_of<10>(block, s, r, mark_heads);
    } else if (r.items <= 12 * warp_size) {
      sort_by_lanes_of<12>(block, s, r, mark_heads);
    } else {
      sort_by_lanes_of<16>(block, s, r, mark_heads);
    }
  }

 private:
  template <int Items, class Ctx, class MarkHeads>
  UPSWEEP_DEVICE void sort_by_lanes_of(Ctx& block, temp_storage& s, const row_of_segments& r,
                                       const MarkHeads& mark_heads) const {
    using layout = row_layout<Items>;
    // Of the lane's items in rows. Each compared with this needs no register of its own, which live through the sort.
    const int lane = block.lane(), left = r.items - lane;
    mark_heads(std::integral_constant<int, Items>{});
    const auto digit = digits.at(0, 1);
    const Key* const in = keys_in + r.base + lane;
    std::uint32_t word[Items];
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      word[i] = ~std::uint32_t{0};
      if (i * warp_size < left) word[i] = digit.code_of(in[i * warp_size]);
    }
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) s.code.slot[layout::of_row(i, lane)] = word[i];
    block.warp_sync();  // s.code and s.heads are written
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) word[i] = s.code.slot[layout::of_lane(lane, i)];
    sort_segments_in_a_row(block, word, heads_of_lane<Items>(block, s.heads), r.longest, units);
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) s.code.slot[layout::of_lane(lane, i)] = word[i];
    block.warp_sync();  // s.code is sorted
    Key* const out = keys_out + r.base + lane;
    UPSWEEP_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i * warp_size >= left) continue;
      out[i * warp_size] =
          digit.key_of(static_cast<decltype(digit.code_of(Key{}))>(s.code.slot[layout::of_row(i, lane)]));
    }
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
