#include "overlapped_sink.hpp"

#include <utility>

namespace upsweep::apps {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr std::size_t most_blocks = 4;

}  // namespace

overlapped_sink::overlapped_sink(byte_sink sink) : sink_(std::move(sink)), thread_([this] { run(); }) {}

overlapped_sink::~overlapped_sink() {
  {
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void overlapped_sink::run() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_given_up_ || is_complete_ || !waiting_.empty(); });
    if (is_given_up_ || waiting_.empty()) return;
    std::vector<std::byte> block = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    changed_.notify_all();
    try {
      sink_(block.data(), block.size());
    } catch (...) {
      lock.lock();
      failure_ = std::current_exception();
      is_given_up_ = true;
      lock.unlock();
      changed_.notify_all();
      return;
    }
    block.clear();
    lock.lock();
    spare_.push_back(std::move(block));
  }
}

void overlapped_sink::hand_over() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || waiting_.size() < most_blocks; });
  if (failure_) std::rethrow_exception(failure_);
  waiting_.push_back(std::exchange(filling_, {}));
  if (!spare_.empty()) {
    filling_ = std::move(spare_.back());
    spare_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
}

void overlapped_sink::write(const std::byte* from, std::size_t bytes) {
  filling_.insert(filling_.end(), from, from + bytes);
  if (filling_.size() >= block_bytes) hand_over();
  if (filling_.capacity() < block_bytes) filling_.reserve(2 * block_bytes);
}

void overlapped_sink::finish() {
  hand_over();
  {
    const std::lock_guard lock(mutex_);
    is_complete_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace upsweep::apps
