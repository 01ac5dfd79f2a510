#include "block_queue.hpp"

#include <utility>

namespace upsweep::apps {

void block_queue::put(std::vector<std::byte>& block, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_given_up_ || waiting_.size() < most_; });
  if (is_given_up_) throw given_up();
  waiting_.push_back({std::exchange(block, {}), bytes});
  if (!spare_.empty()) {
    block = std::move(spare_.back());
    spare_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
  block.resize(block_bytes_);
}

void block_queue::end(std::exception_ptr failure) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    is_complete_ = true;
  }
  changed_.notify_all();
}

std::span<const std::byte> block_queue::next() {
  std::unique_lock lock(mutex_);
  if (!current_.block.empty()) spare_.push_back(std::move(current_.block));
  current_ = {};
  changed_.wait(lock, [&] { return is_given_up_ || is_complete_ || !waiting_.empty(); });
  if (is_given_up_) throw given_up();
  if (waiting_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    return {};
  }
  current_ = std::move(waiting_.front());
  waiting_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return {current_.block.data(), current_.bytes};
}

bool block_queue::has_room() {
  const std::lock_guard lock(mutex_);
  return !is_complete_ && waiting_.size() < most_;
}

void block_queue::give_up() {
  {
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
  }
  changed_.notify_all();
}

}  // namespace upsweep::apps
