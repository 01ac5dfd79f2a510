// What enqueues a frame on the sim, which has run it when it returns, with the host's clock between its stages.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>

#include "upsweep/simt/error.hpp"

namespace upsweep::apps {

template <class Program, std::size_t Stages, class Enqueue>
class timed_calls final : public Program {
 public:
  /// enqueue(mark): a status; mark(stage) must be called after each stage.
  explicit timed_calls(Enqueue enqueue) : enqueue_(std::move(enqueue)) {}

  status run() override {
    next_ ^= 1;
    clock::time_point last = clock::now();
    return enqueue_([&](auto stage) {
      const clock::time_point now = clock::now();
      ms_[next_][static_cast<std::size_t>(stage)] = std::chrono::duration<float, std::milli>(now - last).count();
      last = now;
    });
  }
  status times(std::size_t back, std::array<float, Stages>& ms) override {
    ms = ms_[next_ ^ back];
    return status::success;
  }

 private:
  using clock = std::chrono::steady_clock;

  Enqueue enqueue_;
  std::array<std::array<float, Stages>, 2> ms_ = {};
  std::size_t next_ = 0;
};

template <class Program, std::size_t Stages, class Enqueue>
auto make_timed_calls(Enqueue enqueue) {
  return std::make_unique<timed_calls<Program, Stages, Enqueue>>(std::move(enqueue));
}

}  // namespace upsweep::apps
