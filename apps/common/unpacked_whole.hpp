// All of a compressed file, which another thread makes where it is needed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "descriptor.hpp"
#include "read_ahead.hpp"

namespace upsweep::apps {

/// Decompresses a file of zstd into memory that has room for all of it, on a thread of its own. Nothing is copied: the
/// decompressor looks there, too, for what it has made.
class unpacked_whole {
 public:
  /// `to` outlives it, and what comes after the bytes that are there is its own. Throws std::system_error where there
  /// can be no thread.
  unpacked_whole(std::string name, descriptor packed, std::span<std::byte> to);
  ~unpacked_whole();
  unpacked_whole(const unpacked_whole&) = delete;
  unpacked_whole& operator=(const unpacked_whole&) = delete;

  /// Waits until so many bytes are there from the beginning on, or all; returns how many are. Fails as decompress does
  /// where there will never be so many.
  std::size_t wait_for(std::size_t bytes);
  /// Whether it decompresses more.
  bool is_busy();

 private:
  void run();
  void reach(std::size_t bytes);

  const std::string name_;
  read_ahead packed_;
  const std::span<std::byte> to_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t there_ = 0;
  bool is_complete_ = false;
  std::atomic<bool> is_given_up_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace upsweep::apps
