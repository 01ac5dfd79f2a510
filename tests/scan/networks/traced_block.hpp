// The sim's block context, which notes for each thread what it has passed.
#pragma once

#include "support/internals.hpp"
#include "upsweep/simt/sim_block.hpp"

namespace upsweep::test {

/// What a thread has passed: barriers of its block, and collectives of its warp or of some warps.
struct passed_points {
  int barriers = 0, meetings = 0;
};

template <int Threads>
class traced_block : public sim_block<Threads> {
  using base = sim_block<Threads>;
  using here = sim::call_site;

 public:
  /// `passed` outlives the context.
  traced_block(sim::block_runtime& runtime, int thread, passed_points& passed)
      : base(runtime, thread), passed_(&passed) {}

  const passed_points& passed() const { return *passed_; }

  void barrier(here at = here::current()) {
    base::barrier(at);
    ++passed_->barriers;
  }
  int barrier_count(bool vote, here at = here::current()) {
    const int result = base::barrier_count(vote, at);
    ++passed_->barriers;
    return result;
  }
  bool barrier_and(bool vote, here at = here::current()) {
    const bool result = base::barrier_and(vote, at);
    ++passed_->barriers;
    return result;
  }
  bool barrier_or(bool vote, here at = here::current()) {
    const bool result = base::barrier_or(vote, at);
    ++passed_->barriers;
    return result;
  }

  void group_sync(warp_group group, here at = here::current()) {
    ++passed_->meetings;
    base::group_sync(group, at);
  }
  void warp_sync(lane_mask mask = full_warp, here at = here::current()) {
    ++passed_->meetings;
    base::warp_sync(mask, at);
  }
  template <class T>
  T shuffle(T value, int source, lane_mask mask = full_warp, here at = here::current()) {
    ++passed_->meetings;
    return base::shuffle(value, source, mask, at);
  }
  template <class T>
  T shuffle_up(T value, int distance, lane_mask mask = full_warp, here at = here::current()) {
    ++passed_->meetings;
    return base::shuffle_up(value, distance, mask, at);
  }
  template <class T>
  T shuffle_down(T value, int distance, lane_mask mask = full_warp, here at = here::current()) {
    ++passed_->meetings;
    return base::shuffle_down(value, distance, mask, at);
  }
  template <class T>
  T shuffle_xor(T value, int lanes, lane_mask mask = full_warp, here at = here::current()) {
    ++passed_->meetings;
    return base::shuffle_xor(value, lanes, mask, at);
  }

 private:
  passed_points* passed_;
};

}  // namespace upsweep::test
