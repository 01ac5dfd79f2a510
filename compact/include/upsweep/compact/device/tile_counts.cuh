// How many elements are kept before a tile: told by the tiles in front of it through device memory (decoupled
// look-back, Merrill & Garland 2016), or, of a few tiles, through the shared memory of a cluster or by the launch in
// front.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/scan/device/ordered_tile_id.cuh"
#include "upsweep/scan/device/tile_state.cuh"
#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/uninitialized.hpp"
#include "upsweep/simt/warp_types.hpp"
#include "upsweep/simt/workspace.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// The counts that tiles publish: the status in the two highest bits of a word of 8 bytes, below it the count. Zero
/// before the launch.
class tile_counts {
 public:
  explicit tile_counts(std::uint64_t* words) : words_(words) {}

  template <class Ctx>
  UPSWEEP_DEVICE void publish(Ctx& block, std::int64_t tile, tile_status status, std::int64_t count) const {
    block.store_relaxed(words_ + tile, static_cast<std::uint64_t>(status) << 62 | static_cast<std::uint64_t>(count));
  }
  template <class Ctx>
  UPSWEEP_DEVICE tile_reading<std::int64_t> read(Ctx& block, std::int64_t tile) const {
    const std::uint64_t word = block.load_relaxed(words_ + tile);
    return {static_cast<std::int64_t>(word << 2 >> 2), static_cast<tile_status>(word >> 62)};
  }

 private:
  std::uint64_t* words_;
};

/// What is kept before `tile`, which is not the first, in all lanes. One warp calls. Waits, for smaller tiles only.
template <class Ctx>
UPSWEEP_DEVICE std::int64_t look_back(Ctx& block, const tile_counts& tiles, std::int64_t tile) {
  std::int64_t sum = 0;
  for (std::int64_t nearest = tile - 1;; nearest -= warp_size) {
    const std::int64_t mine = nearest - block.lane();
    tile_reading<std::int64_t> r{0, tile_status::invalid};
    lane_mask ends;
    for (;;) {
      if (mine >= 0 && r.status == tile_status::invalid) r = tiles.read(block, mine);
      ends = block.ballot(r.status == tile_status::inclusive);
      const lane_mask nearer = ends == 0 ? full_warp : (ends & (0 - ends)) - 1;
      const lane_mask unready = block.ballot(r.status == tile_status::invalid) & nearer;
      if (unready == 0) break;
      block.back_off();
    }
    if (ends == 0 || block.lane() <= lowest_lane(ends)) sum += r.value;
    if (ends != 0) break;
  }
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

/// A tile learns from the tiles before it. As compact_tiles_kernel asks, like those below:
/// `tile` is the block's, the same in all threads, and holds a barrier, before which `s` is written;
/// `before`, which all threads call with what the tile keeps, is what stands before it, the same in all threads.
/// Between the two halves of `before`, `meanwhile()` is called. Where takes_tickets, as many blocks as there are tiles
/// have to call, and when the launch in front has ended; of the others, all blocks call.
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

/// What a launch over so many tiles with tickets keeps in its workspace. The ticket lies in front of the counts, so
/// that one clear does for both.
struct tile_counts_memory {
  workspace_layout layout;
  workspace_layout::slot<std::uint32_t> ticket;
  workspace_layout::slot<std::uint64_t> counts;

  explicit tile_counts_memory(std::int64_t tiles)
      : ticket(layout.add<std::uint32_t>(1)), counts(layout.add<std::uint64_t>(static_cast<std::size_t>(tiles))) {}

  /// To be done before the launch.
  template <class Executor>
  status clear(Executor& ex, workspace w) const {
    return ex.clear(layout.at(w, ticket), workspace_layout::alignment + counts.bytes());
  }
  counts_by_look_back<> by_look_back(workspace w) const {
    return {tile_counts(layout.at(w, counts)), {layout.at(w, ticket)}};
  }
  counts_by_look_back<tile_counts_in_place> by_look_back(workspace w, bool in_place) const {
    return {{tile_counts(layout.at(w, counts)), in_place}, {layout.at(w, ticket)}};
  }
};

/// One block has all elements.
struct counts_of_one_tile {
  static constexpr bool takes_tickets = false;
  struct temp_storage {};

  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t tile(Ctx&, temp_storage&) const {
    return 0;
  }
  template <class Ctx, class Meanwhile>
  UPSWEEP_DEVICE std::int64_t before(Ctx& block, temp_storage&, std::int64_t, int, Meanwhile meanwhile) const {
    meanwhile();
    block.barrier();  // the list is written
    return 0;
  }
};

/// The launch in front, which may still run, writes how many elements each block's tile keeps.
struct counts_of_launch {
  static constexpr bool takes_tickets = false;
  struct temp_storage {
    uninitialized_array<int, 32> of_warp;
  };

  const std::uint32_t* kept;

  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t tile(Ctx& block, temp_storage&) const {
    return block.block_index();
  }
  template <class Ctx, class Meanwhile>
  UPSWEEP_DEVICE std::int64_t before(Ctx& block, temp_storage& s, std::int64_t tile, int, Meanwhile meanwhile) const {
    meanwhile();
    block.wait_for_previous();
    int sum = 0;
    for (std::int64_t i = block.thread_rank(); i < tile; i += Ctx::threads) {
      sum += static_cast<int>(block.load_relaxed(kept + i));
    }
    sum = block.reduce_add(sum);
    if (block.lane() == 0) s.of_warp[block.warp()] = sum;
    block.barrier();  // s.of_warp is written
    return block.reduce_add(block.lane() < Ctx::warps ? s.of_warp[block.lane()] : 0);
  }
};

/// The tiles are those of one cluster of at most 16 blocks.
struct counts_of_cluster {
  static constexpr bool takes_tickets = false;
  struct temp_storage {
    uninitialized_array<int, 16> kept;  // of the blocks in front
  };

  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t tile(Ctx& block, temp_storage&) const {
    block.cluster_barrier_relaxed();  // all blocks have begun
    return block.cluster_rank();
  }
  template <class Ctx, class Meanwhile>
  UPSWEEP_DEVICE std::int64_t before(Ctx& block, temp_storage& s, std::int64_t tile, int kept,
                                     Meanwhile meanwhile) const {
    const int rank = static_cast<int>(tile);
    if (block.thread_rank() > rank && block.thread_rank() < block.cluster_blocks()) {
      *block.cluster_shared(&s.kept[rank], block.thread_rank()) = kept;
    }
    meanwhile();
    block.cluster_barrier();  // s.kept is written, everywhere
    int sum = block.lane() < rank ? s.kept[block.lane()] : 0;
    UPSWEEP_UNROLL
    for (int lanes = 8; lanes > 0; lanes /= 2) sum += block.shuffle_xor(sum, lanes);
    return block.shuffle(sum, 0);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
