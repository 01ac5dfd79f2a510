// Samples of two sides, interleaved, until their ratio is known.
#pragma once

#include <memory>
#include <vector>

#include "contender.hpp"
#include "device_session.hpp"
#include "record.hpp"

namespace upsweep::apps {

struct measure_settings {
  bool flush_l2 = true;
  int min_samples = 10;    ///< of each side
  double max_seconds = 2;  ///< for one row, when its ratio does not become stable
};

/// Of calls on that device. Fails with exit_code::device when its buffers cannot be allocated.
std::unique_ptr<call_timer> timer_for(device_session& device);

/// Takes the samples. Keeps the highest SM clock that it saw: a sample whose clock is below 0.9 of that was throttled.
class measurer {
 public:
  /// `timer` times what runs on the device; loops of the CPU have the clock of the host.
  measurer(device_session& device, const measure_settings& settings, std::unique_ptr<call_timer> timer);

  /// Fills the timings of `row`, and with a reference its speedup and noise: groups of subject, reference, reference,
  /// subject. A group with a throttled sample is dropped, and its samples are counted. The contenders have been called
  /// before.
  void compare(const contender& subject, const contender* reference, bench_row& row);

  /// Calls it once, so that its kernels are loaded: a load after the blocking kernel would wait for it.
  void warm_up(const contender& c);

  /// The medians of `rounds` samples of each, one of each in turn.
  std::vector<interval> in_turn(const std::vector<contender>& ways, timing_mode mode, int rounds);

  /// Of several ways to make one call, the one with the least median of 5 samples in turn.
  contender fastest(const std::vector<contender>& ways, timing_mode mode);

  /// The contender in the form that `mode` times: itself, or a graph of its calls.
  contender in_mode(const contender& c, timing_mode mode);

  std::size_t flushed_bytes() const { return timer_->flushed_bytes(); }

 private:
  call_sample sample(const contender& c, timing_mode mode);
  bool throttled(const call_sample& s) const { return s.clock_mhz > 0 && s.clock_mhz < 0.9 * highest_mhz_; }

  device_session& device_;
  measure_settings settings_;
  std::unique_ptr<call_timer> timer_, host_timer_ = make_host_timer();
  double highest_mhz_ = 0;
  const contender* last_ = nullptr;  ///< whose sample was taken last
};

}  // namespace upsweep::apps
