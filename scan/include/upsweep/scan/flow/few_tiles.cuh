// How many elements are kept before a tile, of a few tiles: there is one; or they tell each other through the shared
// memory of a cluster; or an earlier launch has counted. To the kernel they look as counts_by_look_back does.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/uninitialized.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

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

/// The previous launch, which may still run, writes how many elements each block's tile keeps.
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
    uninitialized_array<int, 16> kept;  // of the blocks before
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
