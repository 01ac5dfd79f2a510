#include "unpacked_stream.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

/// Twice what is read at a time, so that it goes on while that is looked at.
constexpr std::size_t most_blocks = 16;

/// The reader wants no more.
struct given_up {};

}  // namespace

unpacked_stream::unpacked_stream(compression how, std::string name, std::vector<std::byte> begin, descriptor packed)
    : name_(std::move(name)), begin_(std::move(begin)), packed_(std::move(packed)) {
  thread_ = std::thread([this, how] { run(how); });
}

unpacked_stream::~unpacked_stream() {
  {
    const std::lock_guard lock(mutex_);
    is_given_up_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

/// A pipe may give nothing for long, while the reader has failed and waits for this thread.
void unpacked_stream::wait_for_packed() const {
  constexpr int milliseconds = 50;
  pollfd packed{packed_.get(), POLLIN, 0};
  while (::poll(&packed, 1, milliseconds) == 0) {
    if (is_given_up_) throw given_up();
  }
}

std::size_t unpacked_stream::take_packed(std::byte* to, std::size_t bytes) {
  std::size_t got = std::min(begin_.size() - begin_taken_, bytes);
  if (got > 0) {
    std::memcpy(to, begin_.data() + begin_taken_, got);
    begin_taken_ += got;
  } else {
    wait_for_packed();
    ssize_t read = 0;
    do read = ::read(packed_.get(), to, bytes);
    while (read < 0 && errno == EINTR);
    if (read < 0) fail(exit_code::bad_input, "{}: cannot read it: {}", name_, std::strerror(errno));
    got = static_cast<std::size_t>(read);
  }
  packed_bytes_ += got;
  return got;
}

void unpacked_stream::run(compression how) {
  std::exception_ptr failed;
  try {
    const auto source = [this](std::byte* to, std::size_t bytes) { return take_packed(to, bytes); };
    decompress(how, name_, source,
               [this](std::vector<std::byte>& block, std::size_t bytes) { hand_over(block, bytes); });
  } catch (const given_up&) {
    return;
  } catch (...) {
    failed = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failed;
    is_complete_ = true;
  }
  changed_.notify_all();
}

void unpacked_stream::hand_over(std::vector<std::byte>& block, std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_given_up_ || waiting_.size() < most_blocks; });
  if (is_given_up_) throw given_up();
  waiting_.push_back({std::exchange(block, {}), bytes});
  if (!spare_.empty()) {
    block = std::move(spare_.back());
    spare_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
  block.resize(unpacked_block_bytes);
}

bool unpacked_stream::is_busy() {
  const std::lock_guard lock(mutex_);
  return !is_complete_ && waiting_.size() < most_blocks;
}

std::size_t unpacked_stream::read(std::byte* to, std::size_t bytes) {
  while (current_taken_ == current_.bytes) {
    std::unique_lock lock(mutex_);
    if (!current_.block.empty()) spare_.push_back(std::move(current_.block));
    current_ = {};
    current_taken_ = 0;
    changed_.wait(lock, [&] { return is_complete_ || !waiting_.empty(); });
    if (waiting_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return 0;
    }
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    changed_.notify_all();
  }
  const std::size_t got = std::min(current_.bytes - current_taken_, bytes);
  if (got > 0) std::memcpy(to, current_.block.data() + current_taken_, got);
  current_taken_ += got;
  return got;
}

}  // namespace upsweep::apps
