// Blocks of bytes on their way from one thread to another.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

namespace upsweep::apps {

/// One thread puts blocks in, some ahead of another one that takes them out in the same order.
class block_queue {
 public:
  /// What a thread ends with that waits for one that wants no more.
  struct given_up {};

  /// At most `most` blocks wait.
  block_queue(std::size_t block_bytes, std::size_t most) : block_bytes_(block_bytes), most_(most) {}

  /// Takes the first `bytes` bytes of a block, and leaves another one of block_bytes to be filled. Waits where as many
  /// are ahead as may be.
  void put(std::vector<std::byte>& block, std::size_t bytes);
  /// Nothing comes any more, or this failure.
  void end(std::exception_ptr failure);

  /// The next bytes, valid until the next call; none at the end. Fails there as the other thread has.
  std::span<const std::byte> next();
  /// Whether more may be put in, and will be.
  bool has_room();

  /// Nobody wants any more: whoever waits, or comes, ends with given_up.
  void give_up();
  bool is_given_up() const { return is_given_up_; }

 private:
  struct filled {
    std::vector<std::byte> block;
    std::size_t bytes = 0;  ///< so many of it
  };

  const std::size_t block_bytes_, most_;
  filled current_;  ///< of the thread that takes them
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<filled> waiting_;
  std::vector<std::vector<std::byte>> spare_;
  bool is_complete_ = false;
  std::atomic<bool> is_given_up_ = false;
  std::exception_ptr failure_;
};

}  // namespace upsweep::apps
