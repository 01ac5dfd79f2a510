#include "shared_output.hpp"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "failure.hpp"

namespace upsweep::apps {

shared_output::shared_output(process_ranks& ranks, const std::string& path, const std::string& origin)
    : ranks_(ranks), name_(path) {
  using path_bytes = std::array<char, PATH_MAX>;
  path_bytes mine{};
  ranks_.together([&] {
    if (path == "-") fail(exit_code::usage, "{}: got \"-\"; expected a file, as several ranks write it", origin);
    if (compression_of_name(path) != compression::none) {
      fail(exit_code::usage, "{}: {} would be compressed; expected an uncompressed file, as several ranks write it",
           origin, path);
    }
    if (ranks_.rank() > 0) return;
    file_.emplace(path, false);
    if (file_->path().size() >= mine.size()) fail(exit_code::cannot_write, "{}: the path is too long", name_);
    std::copy(file_->path().begin(), file_->path().end(), mine.begin());
  });
  ranks_.bring_from_first(mine.data(), mine.size());
  path_ = mine.data();
  ranks_.together([&] {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ >= 0) return;
    fail(exit_code::cannot_write, "{}: rank {} cannot open {}, which rank 0 created: {}", name_, ranks_.rank(), path_,
         std::strerror(errno));
  });
}

shared_output::~shared_output() {
  if (fd_ >= 0) ::close(fd_);
}

void shared_output::write_at(std::uint64_t at, const void* from, std::size_t bytes) {
  constexpr std::size_t largest_write = std::size_t{64} << 20;
  const auto* data = static_cast<const std::byte*>(from);
  while (bytes > 0) {
    const ssize_t put = ::pwrite(fd_, data, std::min(bytes, largest_write), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(exit_code::cannot_write, "{}: cannot write to it: {}", name_, std::strerror(errno));
    data += put;
    at += static_cast<std::uint64_t>(put);
    bytes -= static_cast<std::size_t>(put);
  }
}

void shared_output::finish() {
  ranks_.together([&] {
    const int fd = std::exchange(fd_, -1);
    if (::close(fd) != 0) fail(exit_code::cannot_write, "{}: cannot write to it: {}", name_, std::strerror(errno));
  });
}

void shared_output::commit(const std::vector<shared_output*>& others) {
  ranks_.together([&] {
    if (!file_) return;
    std::vector<output_file*> files{&*file_};
    for (shared_output* other : others) files.push_back(&*other->file_);
    commit_all(files);
  });
}

}  // namespace upsweep::apps
