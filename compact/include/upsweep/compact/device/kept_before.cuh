// How many items are kept before a tile, where a block stays for many tiles: decoupled look-back (Merrill & Garland
// 2016) by blocks that remember. One warp keeps what stands before its last tile and adds what the tiles since then
// have published, so that a block reads each count once.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// What tiles publish, once each, all of it zero at first: how many items they keep, and 1 more. Every 32nd also
/// publishes what is kept before it, and 1 more, for a block that has fallen far behind the others.
struct kept_counts {
  static constexpr int tiles_a_mark = 32;

  std::uint32_t* tiles;
  std::uint64_t* marks;

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, std::uint32_t kept) const {
    block.store_relaxed(tiles + tile, kept + 1);
  }
  /// With `in_place`, who goes on from there may write over all that the tiles before have read, as far as the caller
  /// knows that they have.
  template <class Ctx>
  UPSWEEP_DEVICE void publish_before(Ctx& block, std::int64_t tile, std::int64_t before, bool in_place) const {
    if (tile % tiles_a_mark == 0) {
      if (in_place) block.fence();
      block.store_relaxed(marks + tile / tiles_a_mark, static_cast<std::uint64_t>(before) + 1);
    }
  }
};

/// Of one block, kept by one warp, whose lanes all call.
class kept_before {
 public:
  /// What is kept before `tile`, which lies behind all those before. Waits, for smaller tiles only.
  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t find(Ctx& block, const kept_counts& counts, std::int64_t tile) {
    if (tile - next_ > window) catch_up(block, counts, tile);
    for (; next_ < tile; next_ += window) {
      const std::uint32_t* const from = counts.tiles + next_ + block.lane();
      const int left = static_cast<int>(tile - next_ < window ? tile - next_ : window) - block.lane();
      std::uint32_t word[loads] = {};
      for (;;) {
        // All loads are on their way before the first is looked at.
        UPSWEEP_UNROLL
        for (int k = 0; k < loads; ++k) {
          if (k * warp_size < left && word[k] == 0) word[k] = block.load_relaxed(from + k * warp_size);
        }
        bool all = true;
        UPSWEEP_UNROLL
        for (int k = 0; k < loads; ++k) all &= word[k] != 0 || k * warp_size >= left;
        if (block.all(all)) break;
        block.back_off();
      }
      std::uint32_t kept = 0;
      UPSWEEP_UNROLL
      for (int k = 0; k < loads; ++k) kept += word[k] != 0 ? word[k] - 1 : 0;
      before_ += block.reduce_add(kept);
    }
    next_ = tile;
    return before_;
  }

 private:
  /// Counts that are read at once: those between two tiles of a block, which are as far apart as there are blocks, and
  /// as many again where it is late.
  static constexpr int loads = 9, window = loads * warp_size;

  /// Goes on from the last mark that can be seen.
  template <class Ctx>
  UPSWEEP_DEVICE void catch_up(Ctx& block, const kept_counts& counts, std::int64_t tile) {
    const std::int64_t mine = tile / kept_counts::tiles_a_mark - block.lane();
    std::uint64_t mark = 0;
    if (mine * kept_counts::tiles_a_mark > next_) mark = block.load_relaxed(counts.marks + mine);
    const lane_mask seen = block.ballot(mark != 0);
    if (seen == 0) return;
    before_ = static_cast<std::int64_t>(block.shuffle(mark, lowest_lane(seen))) - 1;
    next_ = block.shuffle(mine, lowest_lane(seen)) * kept_counts::tiles_a_mark;
  }

  std::int64_t next_ = 0;    // the first tile that has not been added
  std::int64_t before_ = 0;  // what is kept before it
};

/// What a launch over so many tiles keeps in its workspace.
class kept_counts_memory {
 public:
  explicit kept_counts_memory(std::int64_t tiles)
      : ticket_(layout_.add<std::uint32_t>(1)),
        tiles_(layout_.add<std::uint32_t>(static_cast<std::size_t>(tiles))),
        marks_(layout_.add<std::uint64_t>(static_cast<std::size_t>(tiles / kept_counts::tiles_a_mark + 1))) {}

  std::size_t bytes() const { return layout_.bytes(); }

  /// To be done before the launch; invalid_value for a workspace that is too small.
  template <class Executor>
  status clear(Executor& ex, workspace w) const {
    return layout_.fits(w) ? ex.clear(layout_.at(w, ticket_), layout_.used()) : status::invalid_value;
  }

  ordered_tile_id ticket(workspace w) const { return {layout_.at(w, ticket_)}; }
  kept_counts counts(workspace w) const { return {layout_.at(w, tiles_), layout_.at(w, marks_)}; }

 private:
  workspace_layout layout_;
  workspace_layout::slot<std::uint32_t> ticket_, tiles_;
  workspace_layout::slot<std::uint64_t> marks_;
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
