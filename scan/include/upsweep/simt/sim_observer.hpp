// Sees what kernels do on the sim. The race checker of tests/sim is one; a tracer could be another.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/sim_scheduler.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {

/// Every call comes from the one thread of the CPU that runs all blocks while there is an observer; the host launches
/// one kernel at a time. Threads are ranks in `block`. Nothing else runs between an access and the call about it.
class observer {
 public:
  virtual ~observer() = default;

  virtual void allocated(void* p, std::size_t bytes) = 0;
  virtual void deallocated(void* p) = 0;
  /// The owner of device memory says that no kernel may touch these bytes, or that what they hold means nothing.
  virtual void forbids(const void* p, std::size_t bytes) = 0;
  virtual void forgets(const void* p, std::size_t bytes) = 0;

  /// A launch that sets these bytes to zero, and lets the next one begin early.
  virtual void clears(const void* p, std::size_t bytes) = 0;

  virtual void launch_begins(const launch_request& request) = 0;
  virtual void launch_ends() = 0;
  /// The block's shared memory is laid out, and none of its threads has begun.
  virtual void block_begins(block_runtime& block) = 0;
  virtual void block_ends(block_runtime& block) = 0;
  /// All other threads of the block have exited.
  virtual void last_thread_exits(block_runtime& block, int thread) = 0;
  /// From here on, block.current_thread() runs.
  virtual void block_enters(block_runtime& block) = 0;

  virtual void waits_for_previous(block_runtime& block, int thread) = 0;

  /// All threads of the block have arrived at its barrier.
  virtual void barrier_completes(block_runtime& block) = 0;
  virtual void group_arrives(block_runtime& block, int thread, int group) = 0;
  /// `waiting` are the threads that the group's barrier lets go.
  virtual void group_completes(block_runtime& block, int group, std::span<const int> waiting) = 0;
  /// A barrier of a cluster: each thread of its blocks arrives, then it is complete, then each leaves.
  virtual void cluster_arrives(block_runtime& block, int thread) = 0;
  virtual void cluster_completes(block_runtime& block) = 0;
  virtual void cluster_leaves(block_runtime& block, int thread) = 0;
  /// The lanes of `mask` have met in warp_sync; no other collective orders memory.
  virtual void warp_syncs(block_runtime& block, int warp, lane_mask mask) = 0;

  virtual void phase_begins(block_runtime& block, int thread, const phase_barrier& b, call_site site) = 0;
  virtual void phase_arrives(block_runtime& block, int thread, const phase_barrier& b, call_site site) = 0;
  virtual void phase_completes(block_runtime& block, const phase_barrier& b) = 0;
  /// The thread has looked at the barrier, and seen a phase's end or not.
  virtual void phase_seen(block_runtime& block, int thread, const phase_barrier& b, bool done, call_site site) = 0;

  virtual void bulk_copy_issued(block_runtime& block, const bulk_copy& copy) = 0;
  /// The bulk stores of the thread's groups below `group` have read shared memory.
  virtual void bulk_waited(block_runtime& block, int thread, int group) = 0;
  virtual void bulk_fenced(block_runtime& block, int thread) = 0;

  virtual void accesses(block_runtime& block, int thread, const ordered_access& access, call_site site) = 0;
  virtual void fenced(block_runtime& block, int thread, bool device_wide) = 0;
  /// Of a vector that a thread reads every byte counts: none is padding.
  virtual void vector_read(block_runtime& block, int thread, const void* at, std::size_t bytes, call_site site) = 0;
};

/// Who watches all launches of the process from now on; null for nobody. Set it while no kernel runs.
UPSWEEP_EXPORT void set_observer(observer* who);
UPSWEEP_EXPORT observer* current_observer();

}  // namespace upsweep::sim::inline UPSWEEP_ABI
