// Numbers tiles in the order in which blocks start: a block may wait for smaller numbers, since their blocks run
// already.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::detail::inline UPSWEEP_CUDA_ABI {

/// An atomic ticket in the workspace; zero before the launch.
struct ordered_tile_id {
  struct temp_storage {
    std::uint32_t tile;
  };

  std::uint32_t* next;

  /// The block's tile, the same in all threads. Holds a barrier, before which `s` is written.
  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t take(Ctx& block, temp_storage& s) const {
    if (block.thread_rank() == 0) s.tile = static_cast<std::uint32_t>(take_alone(block));
    block.barrier();
    return s.tile;
  }

  /// A tile for the calling thread alone.
  template <class Ctx>
  UPSWEEP_DEVICE std::int64_t take_alone(Ctx& block) const {
    return block.atomic_add(next, 1u);
  }
};

}  // namespace upsweep::detail::inline UPSWEEP_CUDA_ABI
