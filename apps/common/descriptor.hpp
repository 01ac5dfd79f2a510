// An open file of the system.
#pragma once

#include <unistd.h>

#include <utility>

namespace upsweep::apps {

/// Closes what it holds.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  /// -1 where there is none.
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace upsweep::apps
