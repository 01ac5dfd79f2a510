// The shape of a launch; the threads of a block are the kernel's own.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// How a kernel is launched: so many blocks, of the kernel's own number of threads. A number of blocks converts to it.
struct grid {
  std::int64_t blocks;            ///< 0 to max_grid_blocks; a multiple of cluster_blocks
  std::size_t dynamic_bytes = 0;  ///< of dynamic shared memory, for each block
  /// How many neighbouring blocks are a cluster: they run at the same time, and reach each other's shared memory.
  int cluster_blocks = 1;
  /// Whether the executor's next kernel is on the GPU as soon as all blocks of this one are, and waits there. Only for
  /// a kernel that `lets_next_begin`.
  bool overlaps_next = false;

  /// Blocks, bytes of dynamic shared memory of each, and blocks of a cluster.
  grid(std::int64_t all_blocks, std::size_t dynamic_bytes_each = 0, int blocks_a_cluster = 1)
      : blocks(all_blocks), dynamic_bytes(dynamic_bytes_each), cluster_blocks(blocks_a_cluster) {}
};

/// The most blocks one launch may have.
inline constexpr std::int64_t max_grid_blocks = (std::int64_t{1} << 31) - 1;

/// The most blocks of a cluster. A launch of more than `portable_cluster_blocks`, or by a process that has only a part
/// of the GPU, may be refused.
inline constexpr int max_cluster_blocks = 16;
/// The most blocks of a cluster that every GPU with clusters takes.
inline constexpr int portable_cluster_blocks = 8;

/// Whether a launch may have this shape: whole clusters, and not too many blocks.
inline bool is_possible(const grid& g) {
  return g.blocks >= 0 && g.blocks <= max_grid_blocks && g.cluster_blocks >= 1 &&
         g.cluster_blocks <= max_cluster_blocks && g.blocks % g.cluster_blocks == 0;
}

/// ceil(a / b) for a >= 0, b > 0.
UPSWEEP_HOST_DEVICE constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0);
}

}  // namespace upsweep::inline UPSWEEP_ABI
