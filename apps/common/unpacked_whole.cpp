#include "unpacked_whole.hpp"

#include <utility>

#include "compression.hpp"

namespace upsweep::apps {

unpacked_whole::unpacked_whole(std::string name, descriptor packed, std::span<std::byte> to)
    : name_(std::move(name)), packed_(name_, {}, std::move(packed)), to_(to) {
  thread_ = std::thread([this] { run(); });
}

unpacked_whole::~unpacked_whole() {
  is_given_up_ = true;
  packed_.give_up();
  thread_.join();
}

void unpacked_whole::reach(std::size_t bytes) {
  if (is_given_up_) throw block_queue::given_up();
  {
    const std::lock_guard lock(mutex_);
    there_ = bytes;
  }
  changed_.notify_one();
}

void unpacked_whole::run() {
  std::exception_ptr failed;
  try {
    decompress_zstd_into(
        to_, name_, [this] { return packed_.next(); }, [this](std::size_t bytes) { reach(bytes); });
  } catch (const block_queue::given_up&) {
    return;
  } catch (...) {
    failed = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failed;
    is_complete_ = true;
  }
  changed_.notify_one();
}

std::size_t unpacked_whole::wait_for(std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_complete_ || there_ >= bytes; });
  if (there_ < bytes && failure_) std::rethrow_exception(failure_);
  return there_;
}

bool unpacked_whole::is_busy() {
  const std::lock_guard lock(mutex_);
  return !is_complete_;
}

}  // namespace upsweep::apps
