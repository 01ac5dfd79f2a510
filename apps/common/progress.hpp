// A progress bar for long work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

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

/// Says on a terminal how long work has lasted that does not tell how far it is, once that is more than a second; wipes
/// it at the end.
class elapsed_time {
 public:
  explicit elapsed_time(std::string what);
  ~elapsed_time();
  elapsed_time(const elapsed_time&) = delete;
  elapsed_time& operator=(const elapsed_time&) = delete;

 private:
  void draw();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_over_ = false;
  std::thread thread_;  ///< none where there is no terminal
};

}  // namespace upsweep::apps
