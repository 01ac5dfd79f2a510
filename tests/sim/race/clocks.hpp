// Vector clocks (Fidge 1988, Mattern 1989) of the threads of a kernel: what each of them knows that others have done.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "upsweep/simt/warp_types.hpp"

namespace upsweep::race {

/// A thread's own time. It goes on whenever others may learn what the thread has done until then.
using moment = std::uint32_t;

/// What is known of the actors of one block: its threads, and after them its bulk copies.
struct block_view {
  int threads = 0;
  moment all = 0;          // of every thread up to here
  std::vector<moment> of;  // and of each actor up to here

  bool covers(std::uint32_t actor, moment when) const {
    if (actor < static_cast<std::uint32_t>(threads) && when <= all) return true;
    return actor < of.size() && when <= of[actor];
  }
  void join(const block_view& other);
};

/// What a release hands over: views of blocks, in the order of their numbers. A message is never changed; null says
/// nothing.
using view_of_block = std::pair<std::uint32_t, std::shared_ptr<const block_view>>;
using message = std::shared_ptr<const std::vector<view_of_block>>;
message joined(const message& a, const message& b);
/// What it says of a block, or null.
const block_view* view_in(const message& m, std::uint32_t block);

/// The clocks of one block in flight.
class block_clocks {
 public:
  block_clocks(std::uint32_t block, int threads);

  std::uint32_t block() const { return block_; }
  int threads() const { return static_cast<int>(thread_.size()); }
  moment now(int thread) const { return thread_[static_cast<std::size_t>(thread)].now; }
  /// Whether what the actor of that block did at `when` happened before what the thread does now.
  bool knows(int thread, std::uint32_t block, std::uint32_t actor, moment when) const;

  /// All threads meet.
  void barrier();
  /// The lanes of `mask` meet.
  void warp_sync(int warp, lane_mask mask);
  /// All that the thread knows and did.
  message release(int thread);
  void acquire(int thread, const message& m);

  /// What others learn of the thread from here on includes what it did until now.
  void pass(int thread) { begin_next_moment(thread_[static_cast<std::size_t>(thread)]); }

  /// A bulk copy, or several that end together: the thread knows nothing of it before learns().
  std::uint32_t new_actor() { return actors_++; }
  void learns(int thread, std::uint32_t actor, moment when);

 private:
  struct thread_clock {
    moment now = 1;
    std::vector<moment> of;  // by actor
    bool wide = false;       // `of` tells more than `all_` of other warps, or of bulk copies
    message others;          // other blocks
  };
  void begin_next_moment(thread_clock& t);

  std::uint32_t block_;
  moment all_ = 0;
  std::uint32_t actors_;
  std::vector<thread_clock> thread_;
  std::vector<moment> scratch_;
};

}  // namespace upsweep::race
