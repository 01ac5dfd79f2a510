// A thread of the CPU that runs blocks of one launch.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "upsweep/simt/sim_scheduler.hpp"

namespace upsweep::sim::inline UPSWEEP_ABI {

inline int warp_of(int thread) {
  return thread / warp_size;
}
inline lane_mask bit_of(int thread) {
  return 1u << (static_cast<unsigned>(thread) % warp_size);
}

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
