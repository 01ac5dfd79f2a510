// A thread of the CPU that runs blocks of one launch.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/simt/sim_scheduler.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {

inline int warp_of(int thread) {
  return thread / warp_size;
}
inline lane_mask bit_of(int thread) {
  return 1u << (static_cast<unsigned>(thread) % warp_size);
}

/// Blocks in flight that reach each other's shared memory, and their barrier.
struct cluster_state {
  std::vector<block_runtime*> blocks;  // by rank
  std::int64_t barriers = 0;           // that are complete
  int arrived = 0, exited = 0;         // threads
  const char* kind = "";
  call_site site{};
  std::string first_thread;
  std::vector<std::pair<block_runtime*, int>> waiting;
};

/// What the scheduler keeps of a block beside what contexts ask for.
struct block_runtime::state {
  struct meeting {
    lane_mask mask, arrived;
    const char* kind;
    call_site site;
  };
  struct warp_state {
    lane_mask runnable = 0, spinning = 0, exited = 0;
    int open = 0;
    std::uint32_t met = 0;        // collectives since a lane of it backed off
    std::uint64_t let_go_at = 0;  // under the order explored: what had happened when its spinning lanes last went on
    meeting meetings[warp_size];
    void* calls[warp_size];
  };
  struct barrier_state {
    int arrived = 0;  // threads for the block's barrier, warps' lanes for a group's
    int expected = 0;
    int value = 0;   // the vote while the barrier fills
    int result = 0;  // the vote of the last complete one
    const char* kind = "";
    call_site site{};
    int first_thread = 0;
    std::vector<int> waiting;
  };

  std::vector<warp_state> warps;
  barrier_state barriers[16];
  std::vector<bulk_copy> bulk;
  std::vector<int> bulk_group;  // each thread's open group of bulk stores
  std::vector<fiber> fibers;
  std::vector<std::byte> shared_memory;
};

/// What the workers of one launch share.
struct launch_state {
  launch_state(const launch_request& r, const sim_options& o) : request(r), options(o) {}

  const launch_request& request;
  const sim_options& options;
  std::atomic<std::int64_t> issued{0};
  std::atomic<std::uint64_t> progress{0};
  std::atomic<bool> stopped{false};
  std::atomic<bool> waited{false};  // for the previous launch
  std::mutex mutex;
  std::string message;  // of the first stop
  status outcome = status::success;

  void stop(const std::string& why, status how = status::launch_failure);
};

class worker {
 public:
  worker(launch_state& launch, std::uint64_t seed) : launch_(launch), state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  /// Issues and runs blocks until none is left or the launch has stopped.
  void run();

  const launch_request& request() const { return launch_.request; }
  const sim_options& options() const { return launch_.options; }
  /// Under the order explored: the warp of each block that may run.
  int warp_in_turn() const { return turn_ % warps(); }
  /// A schedule point of the order explored: false when the warp that runs shall leave.
  bool stays();
  bool stopped() const { return launch_.stopped.load(std::memory_order_relaxed); }
  void stop(const std::string& why) { launch_.stop(why); }
  void waits() { launch_.waited.store(true, std::memory_order_relaxed); }
  void run_thread(block_runtime& block, int thread);

  /// xorshift64*
  std::uint64_t random() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return (state_ * 0x2545f4914f6cdd1du) >> 16;
  }

 private:
  struct slot {
    std::unique_ptr<block_runtime> block;
    bool busy = false;
  };

  bool issue_cluster(std::size_t which);
  bool in_flight(std::size_t which) const;
  void run_in_turns();
  bool run_slot(slot& s);
  bool free_if_finished(slot& s);
  void look_for_standstill(bool moved);

  // The order explored, in sim_exploration.cpp
  void run_explored();
  bool choose_turn();
  int choice_of(std::size_t alternatives);
  void complete_bulk_copy(std::size_t which);
  bool look_again(std::uint64_t now);
  std::uint64_t happened() const;
  std::size_t cluster_blocks() const { return static_cast<std::size_t>(request().cluster_blocks); }
  int warps() const { return (request().threads + warp_size - 1) / warp_size; }
  slot& slot_of(int place) { return slots_[static_cast<std::size_t>(place / warps())]; }

  launch_state& launch_;
  std::uint64_t state_;
  std::vector<slot> slots_;              // those of a cluster are neighbours
  std::vector<cluster_state> clusters_;  // in flight
  int turn_ = 0;              // the place of the warp that runs: its slot's number times warps(), plus its own
  std::vector<int> can_run_;  // places, from turn_ on
  std::size_t next_preemption_ = 0;
  int idle_rounds_ = 0;
  std::uint64_t seen_progress_ = 0;
  std::int64_t idle_since_ns_ = 0;
};

}  // namespace upsweep::sim::inline UPSWEEP_ABI
