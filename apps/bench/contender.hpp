// What can be timed, and the clock for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "upsweep/simt/error.hpp"
#include "upsweep/simt/runtime.hpp"

namespace upsweep::apps {

/// One way to do an operation on buffers that are there already.
struct contender {
  std::string name;
  /// Enqueues one call on the device's stream (or does it, where `on_host`).
  std::function<status()> call;
  /// What a call needs to find and destroys, put back before each call, outside of its time. Empty when there is none.
  std::function<status()> prepare = nullptr;
  bool waits = false;       ///< the call returns only when the device is done
  bool on_host = false;     ///< a loop of the CPU
  bool capturable = true;   ///< its calls can be captured in a graph, and each does all of the work
  int calls = 1;            ///< how many calls of the operation one `call` makes
  std::uint64_t bytes = 0;  ///< that one call must move at least; 0: as many as the operation of the problem
  /// Makes this call, into cleared outputs, and says what is wrong with the result: "" when it is right.
  std::function<std::string(const std::function<status()>& call)> check = nullptr;
};

/// One call took `ms`, while the SM clock was `clock_mhz` (0: not known).
struct call_sample {
  double ms = 0;
  double clock_mhz = 0;
};

/// Times the calls of contenders, one at a time. Errors are those of the calls.
class call_timer {
 public:
  virtual ~call_timer() = default;
  virtual status time(const contender& c, bool flush_l2, call_sample& sample) = 0;
  /// `calls` calls in one captured graph, as a contender. Nothing where the device has no graphs.
  virtual status capture(const contender& c, int calls, std::optional<contender>& graph) = 0;
  virtual std::size_t flushed_bytes() const { return 0; }
};

/// By the clock of the host around the call: for the sim, whose calls have finished when they return.
std::unique_ptr<call_timer> make_host_timer();

/// By GPU events around the call, which a blocking kernel holds back until all of it is enqueued. Null without the CUDA
/// half, or when its buffers cannot be allocated.
std::unique_ptr<call_timer> make_cuda_timer(runtime::stream s);

}  // namespace upsweep::apps
