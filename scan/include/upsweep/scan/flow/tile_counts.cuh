// How many elements are kept before a tile, told by the tiles before it through device memory: decoupled look-back
// (Merrill & Garland 2016) over counts. few_tiles.cuh has other ways, for a few tiles.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "upsweep/scan/flow/ordered_tile_id.cuh"
#include "upsweep/scan/flow/remembered_prefix.cuh"
#include "upsweep/scan/flow/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The counts that tiles publish: the status in the two highest bits of a word of 8 bytes, below it the count. Zero
/// before the launch.
class tile_counts : public tile_words<std::uint64_t> {
 public:
  using tile_words::tile_words;

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status status, std::int64_t count) const {
    block.store_relaxed(words_ + tile, static_cast<std::uint64_t>(status) << 62 | static_cast<std::uint64_t>(count));
  }
  template <class Ctx>
  UPSWEEP_DEVICE tile_reading<std::int64_t> read(Ctx& block, std::int64_t tile) const {
    const std::uint64_t word = block.load_relaxed(words_ + tile);
    return {static_cast<std::int64_t>(word << 2 >> 2), static_cast<tile_status>(word >> 62)};
  }
};

/// Counts of tiles that publish once: the count and 1 more; zero before the launch.
template <class Count>
class tile_counts_once : public tile_words<std::make_unsigned_t<Count>> {
  using word = std::make_unsigned_t<Count>;
  using base = tile_words<word>;
  using base::words_;

 public:
  using base::base;

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status, Count count) const {
    block.store_relaxed(words_ + tile, static_cast<word>(count) + 1);
  }
  /// The word as it is: who waits keeps nothing else.
  struct reading {
    word w = 0;
    UPSWEEP_HOST_DEVICE bool is_there() const { return w != 0; }
    UPSWEEP_HOST_DEVICE Count get() const { return static_cast<Count>(w - 1); }
  };
  template <class Ctx>
  UPSWEEP_DEVICE reading read(Ctx& block, std::int64_t tile) const {
    return {block.load_relaxed(words_ + tile)};
  }
};

/// What is kept before the tiles of a block that stays for many of them.
using kept_counts = remembered_states<tile_counts_once<std::uint32_t>, tile_counts_once<std::int64_t>>;
using kept_before = remembered_prefix<std::int64_t, true, 9>;

/// What is kept before `tile`, which is not the first, in all lanes. One warp calls. Waits, for smaller tiles only.
template <class Ctx>
UPSWEEP_DEVICE std::int64_t look_back(Ctx& block, const tile_counts& tiles, std::int64_t tile) {
  std::int64_t sum = 0;
  look_back_windows(block, tiles, tile, [&](std::int64_t count, int last, bool) {
    if (block.lane() <= last) sum += count;
  });
  UPSWEEP_UNROLL
  for (int lanes = warp_size / 2; lanes > 0; lanes /= 2) sum += block.shuffle_xor(sum, lanes);
  return sum;
}

/// Of tiles that are read before they publish. Where they are in place, fences order that before the writes of the
/// tiles that have looked back at them.
struct tile_counts_in_place : tile_counts {
  bool in_place;

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status status, std::int64_t count) const {
    if (in_place) block.fence();
    tile_counts::publish(block, tile, status, count);
  }
};
template <class Ctx>
UPSWEEP_DEVICE std::int64_t look_back(Ctx& block, const tile_counts_in_place& tiles, std::int64_t tile) {
  const tile_counts& counts = tiles;
  const std::int64_t before = look_back(block, counts, tile);
  if (tiles.in_place) {
    block.fence();
    block.warp_sync();  // each lane has looked at counts of its own
  }
  return before;
}

/// A tile learns from the tiles before it. As compact_tiles_kernel asks, like those of few_tiles.cuh: `tile` is the
/// block's, the same in all threads, and holds a barrier, before which `s` is written; `before`, which all threads call
/// with what the tile keeps, is what comes before it, the same in all threads. Between the two halves of `before`,
/// `meanwhile()` is called. Where takes_tickets, as many blocks as there are tiles have to call, and when the launch
/// before has ended; of the others, all blocks call.
template <class Counts = tile_counts>
struct counts_by_look_back {
  static constexpr bool takes_tickets = true;
  struct temp_storage {
    ordered_tile_id::temp_storage ticket;
    std::int64_t before;
  };

  Counts counts;
  ordered_tile_id ids;

  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t tile(Ctx& block, temp_storage& s) const {
    return ids.take(block, s.ticket);
  }
  template <class Ctx, class Meanwhile>
  UPSWEEP_DEVICE std::int64_t before(Ctx& block, temp_storage& s, std::int64_t tile, int kept,
                                     Meanwhile meanwhile) const {
    if (block.thread_rank() == 0) {
      counts.publish(block, tile, tile == 0 ? tile_status::inclusive : tile_status::partial, kept);
    }
    meanwhile();
    if (block.warp() == 0) {
      const std::int64_t before = tile == 0 ? 0 : look_back(block, counts, tile);
      if (block.lane() == 0) {
        if (tile > 0) counts.publish(block, tile, tile_status::inclusive, before + kept);
        s.before = before;
      }
    }
    block.barrier();  // s.before is written
    return s.before;
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
