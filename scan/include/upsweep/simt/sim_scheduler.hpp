// The sim's scheduler as its block context sees it: one fiber a thread, collectives that meet by mask, barriers.
// All fibers of a block run on one thread of the CPU, so nothing here is atomic; blocks on different threads of the CPU
// talk only through the memory that kernels share.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <cstddef>
#include <cstdint>
#include <iosfwd>  // std::string without what it is; each call includes this file
#include <span>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"
#include "upsweep/simt/sim_options.hpp"
#include "upsweep/simt/warp_types.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {

/// A source line, taken where a kernel calls its context.
struct call_site {
  const char* file;
  unsigned line;
  static constexpr UPSWEEP_HOST_DEVICE call_site current(const char* file = __builtin_FILE(),
                                                         unsigned line = __builtin_LINE()) {
    return {file, line};
  }
  friend bool operator==(const call_site&, const call_site&) = default;
};

/// Computes a collective for all lanes of `mask` at once: calls[lane] is that lane's argument and result record.
using combine_function = void (*)(void* const calls[warp_size], lane_mask mask);

/// What a block barrier may compute on the way.
enum class barrier_vote : std::uint8_t { none, count, all, any };

/// An atomic or ordered access of a kernel.
struct ordered_access {
  const void* at;
  std::size_t bytes;
  bool reads, writes;
  bool acquires, releases;
  bool device_wide;  // device_scope, not block_scope
};

/// A copy that runs beside the threads.
struct bulk_copy {
  void* to;
  const void* from;
  std::uint32_t bytes;
  phase_barrier* barrier;  // of a load; null for a store
  int thread;
  int group;  // of the thread's bulk stores
  call_site site;
};

class observer;
class worker;
struct cluster_state;
struct fiber;

/// The threads of one block in flight.
class UPSWEEP_EXPORT block_runtime {
 public:
  block_runtime();
  ~block_runtime();
  block_runtime(const block_runtime&) = delete;
  block_runtime& operator=(const block_runtime&) = delete;

  UPSWEEP_HOST_DEVICE std::int64_t block_index() const { return block_index_; }
  UPSWEEP_HOST_DEVICE std::int64_t num_blocks() const { return num_blocks_; }
  UPSWEEP_HOST_DEVICE void* shared() const { return shared_; }
  /// From shared() to the end; the kernel's temp_storage lies at its beginning.
  std::size_t shared_bytes() const { return shared_bytes_; }
  std::size_t storage_bytes() const { return storage_bytes_; }
  UPSWEEP_HOST_DEVICE void* dynamic_shared() const { return dynamic_shared_; }
  UPSWEEP_HOST_DEVICE std::size_t dynamic_shared_bytes() const { return dynamic_bytes_; }

  /// Waits until every lane of `mask` has called with the same mask, kind and site; the last computes for all.
  UPSWEEP_HOST_DEVICE void meet(int thread, lane_mask mask, const char* kind, call_site site, void* call,
                                combine_function combine);

  /// `result` becomes the `bytes` at `value` of lane `source`, or poison where the mask does not name that lane.
  UPSWEEP_HOST_DEVICE void exchange(int thread, const void* value, void* result, std::size_t bytes, int source,
                                    lane_mask mask, const char* kind, call_site site);
  /// The lanes of the mask that vote for it.
  UPSWEEP_HOST_DEVICE lane_mask ballot(int thread, bool vote, lane_mask mask, const char* kind, call_site site);
  /// The lanes of the mask that have the same word.
  UPSWEEP_HOST_DEVICE lane_mask match(int thread, std::uint64_t word, lane_mask mask, const char* kind, call_site site);
  /// The words of all lanes of the mask together, from the lowest on.
  UPSWEEP_HOST_DEVICE std::uint32_t reduce(int thread, std::uint32_t word,
                                           std::uint32_t (*op)(std::uint32_t, std::uint32_t), lane_mask mask,
                                           const char* kind, call_site site);

  /// The block's barrier; returns the vote over all threads.
  UPSWEEP_HOST_DEVICE int barrier(int thread, barrier_vote vote, bool value, const char* kind, call_site site);

  /// The barrier of some warps: arrive without waiting, or arrive and wait.
  UPSWEEP_HOST_DEVICE void group_arrive(int thread, warp_group group, bool wait, call_site site);

  UPSWEEP_HOST_DEVICE int cluster_blocks() const { return cluster_blocks_; }
  UPSWEEP_HOST_DEVICE int cluster_rank() const { return cluster_rank_; }
  /// The barrier of all threads of the cluster; `orders` what is before it and after it.
  UPSWEEP_HOST_DEVICE void cluster_barrier(int thread, bool orders, const char* kind, call_site site);
  /// The place in the shared memory of block number `rank` that `mine` is in the caller's.
  UPSWEEP_HOST_DEVICE void* cluster_shared(int thread, void* mine, int rank, call_site site);
  const cluster_state& cluster() const { return *cluster_; }
  /// The blocks of the cluster, by rank.
  std::span<block_runtime* const> blocks_of_cluster() const;

  UPSWEEP_HOST_DEVICE void phase_init(int thread, phase_barrier& b, int arrivals, call_site site);
  UPSWEEP_HOST_DEVICE void phase_arrive(int thread, phase_barrier& b, std::uint32_t expected_bytes, call_site site);
  UPSWEEP_HOST_DEVICE bool phase_done(int thread, const phase_barrier& b, int parity, call_site site);
  UPSWEEP_HOST_DEVICE void phase_wait(int thread, const phase_barrier& b, int parity, call_site site);

  UPSWEEP_HOST_DEVICE void bulk_load(int thread, void* to_shared, const void* from, std::uint32_t bytes,
                                     phase_barrier& b, call_site site);
  UPSWEEP_HOST_DEVICE void bulk_store(int thread, void* to, const void* from_shared, std::uint32_t bytes,
                                      call_site site);
  UPSWEEP_HOST_DEVICE void bulk_commit(int thread);
  UPSWEEP_HOST_DEVICE void bulk_wait(int thread, int groups_left);

  /// The thread waits for another block or warp; others run first.
  UPSWEEP_HOST_DEVICE void back_off(int thread, const char* kind, call_site site);

  /// Accesses through which blocks talk, to words of 1, 2, 4, 8 or 16 bytes: `access` says where, how and for whom.
  UPSWEEP_HOST_DEVICE void load(int thread, const ordered_access& access, void* value, call_site site);
  UPSWEEP_HOST_DEVICE void store(int thread, const ordered_access& access, void* to, const void* value, call_site site);
  /// The beginning and the end of any other such access; whether it `changes` the word shows when it is over.
  UPSWEEP_HOST_DEVICE void begins_access(int thread, const void* at, std::size_t bytes, call_site site);
  UPSWEEP_HOST_DEVICE void ends_access(int thread, const ordered_access& access, bool changes, call_site site);

  /// Kernels run one after the other; that this one has waited is noted.
  UPSWEEP_HOST_DEVICE void wait_for_previous();

  /// An observer is told; nothing happens without one.
  UPSWEEP_HOST_DEVICE void note_vector_read(int thread, const void* at, std::size_t bytes, call_site site) {
    if (observer_ != nullptr) tell_vector_read(thread, at, bytes, site);
  }
  UPSWEEP_HOST_DEVICE void fence(int thread, bool device_wide);
  UPSWEEP_HOST_DEVICE void bulk_fence(int thread);

  int threads() const { return threads_; }
  bool finished() const { return exited_ == threads_; }
  /// The thread that runs; -1 when none does.
  int current_thread() const { return current_; }
  /// Whether the address lies on the stack of one of the block's threads.
  bool on_stack(const void* p) const {
    return reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(stacks_) < stacks_bytes_;
  }

  /// Ends the launch with a message that names block, warp, lane and line.
  [[noreturn]] UPSWEEP_HOST_DEVICE void stop_misaligned(int thread, call_site site, std::size_t bytes);
  [[noreturn]] void stop(int thread, call_site site, const std::string& what);

 private:
  friend class worker;
  friend struct fiber;

  /// What only the scheduler needs, in its own sources.
  struct state;
  void start(worker& w, cluster_state& cluster, int rank, std::int64_t index);
  void end();
  void run();
  void run_warp(int warp, std::uint64_t happened);
  bool warp_can_run(int warp, std::uint64_t happened) const;
  void enter(int thread);
  void suspend(int thread, const char* kind, call_site site);
  void switch_from(int thread, int next);
  void resume(int thread);
  void thread_exits(int thread);
  int pick();
  void talk(int thread, bool writes, call_site site);
  void schedule_point(int thread, call_site site) {
    if (may_turn_) maybe_turn(thread, site);
  }
  void maybe_turn(int thread, call_site site);
  void note(int thread, const ordered_access& access, call_site site);
  bool is_phase_done(int thread, const phase_barrier& b, int parity, call_site site);
  UPSWEEP_HOST_DEVICE void tell_vector_read(int thread, const void* at, std::size_t bytes, call_site site);
  bool wake_spinners();
  void wake_spinners(int warp);
  bool can_run() const { return runnable_warps_ != 0; }
  bool others_may_run() const;
  bool complete_one_bulk_copy();
  void complete_bulk_copy(std::size_t which);
  void complete(const bulk_copy& copy);
  void release_phase_if_complete(phase_barrier& b);
  std::string stuck_report(const char* headline) const;
  std::string thread_name(int thread) const;
  std::string name_of_exited() const;
  void unmap_stacks();
  void prepare(int threads, std::size_t shared_bytes, std::size_t dynamic_bytes, std::size_t stack_bytes);

  worker* worker_ = nullptr;
  observer* observer_ = nullptr;
  cluster_state* cluster_ = nullptr;
  int cluster_blocks_ = 1, cluster_rank_ = 0;
  std::int64_t block_index_ = 0, num_blocks_ = 0;
  int threads_ = 0, exited_ = 0;
  bool may_turn_ = false;  // at schedule points
  bool leaves_ = false;    // the schedule has turned to another block
  std::uint32_t runnable_warps_ = 0;
  std::uint32_t reads_since_progress_ = 0, max_reads_without_progress_ = 0;
  std::uint64_t progress_ = 0;

  state* const state_;
  fiber* scheduler_ = nullptr;
  int current_ = -1;
  void* stacks_ = nullptr;
  std::size_t stacks_bytes_ = 0, stack_stride_ = 0;
  int guarded_ = 0;  // how many of the stacks begin with a page that cannot be touched
  void *shared_ = nullptr, *dynamic_shared_ = nullptr;
  std::size_t shared_bytes_ = 0, storage_bytes_ = 0, dynamic_bytes_ = 0;
};

/// A kernel launch as the scheduler sees it.
struct launch_request {
  const char* kernel;  // text_with_name() of its type
  std::int64_t blocks;
  int cluster_blocks;
  int threads;
  std::size_t shared_bytes, dynamic_bytes;
  void (*run_thread)(const void* closure, block_runtime& block, int thread);
  const void* closure;  // the kernel's arguments
  std::size_t closure_bytes;
  const void* functor;  // the kernel itself
  std::size_t functor_bytes;
  bool must_wait = false;          // some thread calls wait_for_previous
  bool overlaps_previous = false;  // on a GPU the launch before may still run when this one comes
};

/// Runs every block of a possible grid to its end, or stops with a diagnostic: then launch_failure, or
/// memory_allocation without room for their stacks. Throws nothing.
UPSWEEP_EXPORT status run(const launch_request& request, const sim_options& options);

/// Nanoseconds of a clock that only goes on. <chrono> takes as long to compile as all of the sim's headers.
UPSWEEP_EXPORT std::int64_t now();

}  // namespace upsweep::sim::inline UPSWEEP_ABI
