// Bytes that another thread puts away, while more of them are made.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "compression.hpp"

namespace upsweep::apps {

/// Hands what is written to it, in its order, to a sink that runs on a thread of its own, some MiB behind at most.
class overlapped_sink {
 public:
  explicit overlapped_sink(byte_sink sink);
  /// Without a finish, what has not gone yet never goes.
  ~overlapped_sink();
  overlapped_sink(const overlapped_sink&) = delete;
  overlapped_sink& operator=(const overlapped_sink&) = delete;

  /// Throws what the sink has thrown, if it has.
  void write(const std::byte* from, std::size_t bytes);
  /// Returns when all has gone; throws as write does.
  void finish();

 private:
  void run();
  void hand_over();

  byte_sink sink_;
  std::vector<std::byte> filling_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<std::byte>> waiting_;
  std::vector<std::vector<std::byte>> spare_;  ///< empty ones, with room
  bool is_complete_ = false, is_given_up_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace upsweep::apps
