// What the warps of a pipelined compaction do with a tile that lies in shared memory.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <bit>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/block/move_words.cuh"
#include "upsweep/simt/callable.hpp"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// A tile of items, one segment for each of the warps that let them vote. `Stencil` is what else votes are cast by, one
/// an item; void where the items themselves decide. Rejects: items that are not kept go somewhere, too.
template <class Item, class Stencil, bool Rejects, int Segments, int TileItems>
class compact_stage {
 public:
  static constexpr int segments = Segments, tile_items = TileItems, segment_items = TileItems / Segments;
  static_assert(segment_items % warp_size == 0 && tile_items <= 32768);
  static constexpr bool by_stencil = !std::is_void_v<Stencil>;
  /// Items that are so small move: kept ones to the front of their segment, and others, if they are wanted, from its
  /// end on backwards. Of larger ones, lists are made in that order.
  static constexpr bool lists = sizeof(Item) > 8;
  using stencil_type = std::conditional_t<by_stencil, Stencil, char>;

  alignas(128) uninitialized_array<Item, tile_items> items;
  alignas(128) uninitialized_array<stencil_type, (by_stencil ? tile_items : 1)> stencil;

  /// What all segments keep, when all have arrived: arrivals above, items below. Zero at first.
  std::uint32_t arrived;

  /// One warp: the items of segment i, of `valid` in the tile, vote. Returns how many are kept, in all lanes.
  template <class Ctx, class Keep>
  UPSWEEP_DEVICE int vote(Ctx& block, int i, int valid, const Keep& keep) {
    const int left = valid - i * segment_items;
    return left >= segment_items ? vote_rows<true>(block, i, segment_items, keep)
                                 : vote_rows<false>(block, i, left, keep);
  }

  /// One warp, when all segments have voted: what comes before segment i in the tile.
  template <class Ctx>
  UPSWEEP_DEVICE int before_segment(Ctx& block, int i) const {
    return block.reduce_add(block.lane() < i ? kept_[block.lane()] : 0);
  }
  UPSWEEP_DEVICE int kept_of_segment(int i) const { return kept_[i]; }
  UPSWEEP_DEVICE int rejected_of_segment(int i, int valid) const {
    const int left = valid - i * segment_items;
    return (left < 0 ? 0 : left < segment_items ? left : segment_items) - kept_[i];
  }

  /// One warp: the first `count` kept items of segment i to `out`. Whole lines of 128 bytes are stored at once.
  template <class Ctx>
  UPSWEEP_DEVICE void write(Ctx& block, int i, int count, Item* out) const {
    constexpr int line = 128 / sizeof(word_type);
    const auto in_line = static_cast<int>(reinterpret_cast<std::uintptr_t>(out) / sizeof(word_type) % line);
    move(block.lane() - in_line, i, out, {&list_[lists ? i * segment_items : 0], 0, 1, count, 1});
  }

  /// One warp: the `count` other items of segment i, the first to `out`, the next after it, or before it.
  template <class Ctx>
  UPSWEEP_DEVICE void write_rejected(Ctx& block, int i, int count, Item* out, bool backwards) const {
    const std::uint16_t* const list = &list_[lists ? i * segment_items : 0];
    move(block.lane(), i, out, {list, segment_items - 1, -1, count, backwards ? -1 : 1});
  }

 private:
  /// The addresses to which items are written are multiples of it.
  using word_type = word_of<widest_word(sizeof(Item))>;
  /// From a segment.
  struct route {
    const std::uint16_t* list;
    int begin, step, count, to_step;
    UPSWEEP_DEVICE int from(int k) const { return lists ? list[begin + k * step] : begin + k * step; }
    UPSWEEP_DEVICE int to(int k) const { return k * to_step; }
  };
  UPSWEEP_DEVICE void move(int lane, int i, Item* out, const route& way) const {
    const auto* const from = reinterpret_cast<const word_type*>(items.data() + i * segment_items);
    const word_array<word_type> words{from, reinterpret_cast<word_type*>(out)};
    using of_item = std::integral_constant<std::uint32_t, sizeof(Item) / sizeof(word_type)>;
    move_words<warp_size, 4, 1>(lane, of_item{}, way, [&](int) { return words; });
  }

  /// Rows of 32 items that are read at once: all, when items go to the end of the segment.
  static constexpr int all_rows = segment_items / warp_size;
  static constexpr int rows = all_rows < 8 || (Rejects && !lists) ? all_rows : 8;
  static_assert(all_rows % rows == 0);

  template <bool Full, class Ctx, class Keep>
  UPSWEEP_DEVICE int vote_rows(Ctx& block, int i, int left, const Keep& given) {
    auto&& keep = callable<std::conditional_t<by_stencil, stencil_type, Item>&>(given);
    Item* const from = items.data() + i * segment_items;
    const lane_mask below = (lane_mask{1} << block.lane()) - 1;
    int kept = 0;
    for (int first = 0; first < left; first += rows * warp_size) {
      uninitialized_array<Item, (lists ? 1 : rows)> item;
      bool is_kept[rows];
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) {
        const int at = first + r * warp_size + block.lane();
        is_kept[r] = false;
        if (!Full && at >= left) continue;
        if constexpr (!lists) item[r] = from[at];
        // A copy votes, which a predicate may change.
        if constexpr (by_stencil) {
          stencil_type x = stencil[i * segment_items + at];
          is_kept[r] = static_cast<bool>(keep(x));
        } else {
          Item x = from[at];
          is_kept[r] = static_cast<bool>(keep(x));
        }
      }
      block.warp_sync();  // the rows have been read
      UPSWEEP_UNROLL
      for (int r = 0; r < rows; ++r) {
        const lane_mask votes = block.ballot(is_kept[r]);
        const int place = kept + count_lanes(votes & below);
        if (is_kept[r]) {
          if constexpr (lists) {
            list_[i * segment_items + place] = static_cast<std::uint16_t>(first + r * warp_size + block.lane());
          } else {
            from[place] = item[r];
          }
        }
        if constexpr (Rejects) {
          const int at = first + r * warp_size + block.lane(), from_end = segment_items - 1 - (at - place);
          if (!is_kept[r] && (Full || at < left)) {
            if constexpr (lists) {
              list_[i * segment_items + from_end] = static_cast<std::uint16_t>(at);
            } else {
              from[from_end] = item[r];
            }
          }
        }
        kept += count_lanes(votes);
      }
    }
    if (block.lane() == 0) kept_[i] = kept;
    return kept;
  }

  uninitialized_array<int, segments> kept_;
  /// Places in their segment: of those that are kept, and, from its end on backwards, of the others.
  uninitialized_array<std::uint16_t, (lists ? tile_items : 1)> list_;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
