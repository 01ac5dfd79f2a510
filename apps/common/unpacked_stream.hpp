// What a compressed file would be, which another thread makes while it is read.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "compression.hpp"
#include "descriptor.hpp"

namespace upsweep::apps {

/// Decompresses a file on a thread of its own, some MiB ahead of what has been read at most.
class unpacked_stream {
 public:
  /// `begin` has been read of the open file `packed`. Throws std::system_error where there can be no thread.
  unpacked_stream(compression how, std::string name, std::vector<std::byte> begin, descriptor packed);
  ~unpacked_stream();
  unpacked_stream(const unpacked_stream&) = delete;
  unpacked_stream& operator=(const unpacked_stream&) = delete;

  /// Puts the next bytes into a buffer and returns how many; 0 at the end. Fails as decompress does, at the place in
  /// question.
  std::size_t read(std::byte* to, std::size_t bytes);
  /// Whether it decompresses more; not when it is as far ahead as it may be, or at the end.
  bool is_busy();
  /// How many bytes of the compressed file have been looked at.
  std::uint64_t packed_bytes() const { return packed_bytes_; }

 private:
  void run(compression how);
  void wait_for_packed() const;
  std::size_t take_packed(std::byte* to, std::size_t bytes);
  void hand_over(std::vector<std::byte>& block, std::size_t bytes);

  struct unpacked {
    std::vector<std::byte> block;
    std::size_t bytes = 0;  ///< so many of it
  };

  const std::string name_;
  std::vector<std::byte> begin_;
  std::size_t begin_taken_ = 0;
  const descriptor packed_;
  std::atomic<std::uint64_t> packed_bytes_ = 0;
  unpacked current_;  ///< of the reader
  std::size_t current_taken_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<unpacked> waiting_;
  std::vector<std::vector<std::byte>> spare_;
  bool is_complete_ = false;
  std::atomic<bool> is_given_up_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace upsweep::apps
