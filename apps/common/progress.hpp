// A progress bar for long work.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace upsweep::apps {

/// No bar is drawn from here on.
void hide_progress();

/// Draws a bar, and the rate of bytes, on stderr when that is a terminal and the work has lasted more than a second;
/// wipes it at the end.
class progress {
 public:
  progress(std::string what, std::uint64_t total);
  ~progress() { done(); }
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// `amount` of the total is done, all together.
  void reach(std::uint64_t amount);
  void done();

 private:
  using clock = std::chrono::steady_clock;
  std::string what_;
  std::uint64_t total_;
  clock::time_point begin_ = clock::now();
  clock::time_point next_draw_;
  bool on_terminal_;
  bool drawn_ = false;
};

}  // namespace upsweep::apps
