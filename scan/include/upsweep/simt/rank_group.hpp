// Where the ranks of one process meet: host threads, one a rank, that bring each other words and learn of each other's
// failures. Both kinds of communicator use it; nothing here depends on a GPU.
#pragma once
#if !defined(UPSWEEP_WARN_IN_HEADERS)
#pragma GCC system_header
#endif

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "upsweep/simt/config.hpp"
#include "upsweep/simt/error.hpp"

namespace upsweep::inline UPSWEEP_ABI {

/// How the threads of a group run between two meetings.
enum class rank_turns : std::uint8_t {
  all_at_once,  ///< as their threads do; for GPUs
  in_order,     ///< one after the other, from rank 0 on; the sim's default, whose launches come one at a time
  reversed,     ///< one after the other, from the last rank on
  random,       ///< one after the other, in another order after every meeting, by the seed
};

/// The ranks of one process. It must outlive the communicators made from it. Any thread may call any
/// method.
class UPSWEEP_EXPORT rank_group {
 public:
  using duration = std::chrono::milliseconds;  ///< in which limits are given

  /// How long a rank waits for the others at a meeting, unless it says otherwise.
  static constexpr duration patience = std::chrono::minutes(10);

  /// The number of ranks, and how their threads take turns; the seed is for rank_turns::random.
  explicit rank_group(int ranks, rank_turns turns = rank_turns::all_at_once, std::uint64_t seed = 1);
  rank_group(const rank_group&) = delete;             ///< threads refer to it
  rank_group& operator=(const rank_group&) = delete;  ///< threads refer to it

  /// The number of ranks.
  int ranks() const { return static_cast<int>(members_.size()); }

  /// Call it before the threads of the ranks begin, each time that they do.
  void begin();
  /// The thread of a rank calls it when it begins; if ranks take turns, it waits for its own.
  void enter(int rank);
  /// The thread of a rank calls it when it ends. Ranks that wait for it, now or later, fail with launch_failure.
  void leave(int rank);

  /// Waits until all ranks have called it, and hands each the bytes of all. What a rank wrote before, the others see
  /// after it.
  ///   rank   of the caller
  ///   mine   `bytes` bytes of host memory
  ///   all    ranks() * bytes bytes of host memory: what every rank brought, in their order
  ///   bytes  the same on all ranks
  ///   limit  how long the caller waits
  /// Errors: failure(), if the group has failed; invalid_value if ranks bring different sizes, and launch_timeout after
  /// `limit`, with which the group fails.
  status meet(int rank, const void* mine, void* all, std::size_t bytes, duration limit = patience);

  /// The group has failed: all meetings return `why`, those that wait now as well. The first failure is kept. To go on,
  /// make a new group.
  void fail(status why);
  /// Why the group has failed; success if it has not.
  status failure() const;

 private:
  struct member {
    bool left = false, waits = false;
    std::vector<std::byte> brought[2];  // of meetings in turns: one may have begun while some still read the last one
  };

  bool takes_turns() const { return turns_ != rank_turns::all_at_once; }
  bool may_run(int rank) const { return !takes_turns() || turn_ == rank; }
  bool can_go_on(int rank) const;
  void pass_turn();
  void complete();
  void look_out_for(std::uint64_t meeting) const;
  status fail_locked(status why);
  void shuffle_turns();

  const rank_turns turns_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<member> members_;
  std::vector<int> order_;  // of the turns
  std::uint64_t random_;
  std::atomic<std::uint64_t> meetings_ = 0;  // that are complete; changes under the mutex
  int arrived_ = 0, left_ = 0, turn_ = -1;
  status failure_ = status::success;
};

/// Runs body(rank) for every rank of the group, each on its own thread, until all have returned. An exception of one
/// reaches the caller, and fails the group with launch_failure.
///     rank_group group(4, rank_turns::in_order);
///     run_ranks(group, [&](int rank) { sim_communicator all(group, rank); ... });
UPSWEEP_EXPORT void run_ranks(rank_group& group, const std::function<void(int)>& body);

}  // namespace upsweep::inline UPSWEEP_ABI
