// How the sim runs kernels.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <iosfwd>

#include "upsweep/simt/config.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// The order in which the sim resumes the threads of a block whenever it may choose.
enum class sim_order : std::uint8_t {
  in_order,  ///< the lowest thread that can run
  reversed,  ///< the highest
  random,    ///< any, and it may leave a block at every atomic or ordered access; replayed by its seed
  explored,  ///< warp after warp, and elsewhere where sim_options::exploration says so
};

struct sim_exploration;  // sim_exploration.hpp

/// How the sim runs a kernel. The defaults are fast; run tests of your kernels in several orders.
struct sim_options {
  sim_order order = sim_order::in_order;  ///< of the threads of a block
  /// Whether blocks are issued from the last to the first.
  bool blocks_backwards = false;
  /// Which random order, for sim_order::random: the same seed gives the same run.
  std::uint64_t seed = 1;
  /// For sim_order::explored; null for a run without preemptions. It must outlive the launch, which writes to it.
  sim_exploration* exploration = nullptr;
  /// How many threads of the CPU run blocks; 0: one for each core, for large grids. The orders random and explored
  /// always take one.
  int os_threads = 0;
  /// How many blocks each of them has in flight; all of the grid's under the order explored.
  int resident_blocks = 4;
  /// The most blocks of a cluster, as on a GPU; 1: the sim has no clusters.
  int most_cluster_blocks = 16;
  /// Bytes of the stack of one simulated thread.
  std::size_t stack_bytes = std::size_t{64} << 10;
  /// Whether diagnostics are also printed to standard error.
  bool print = true;
};

/// Why the sim last stopped a kernel that the calling host thread launched; empty if it has not. A caller includes
/// the header of std::string.
UPSWEEP_EXPORT const std::string& sim_diagnostic();

}  // namespace upsweep::inline UPSWEEP_ABI
