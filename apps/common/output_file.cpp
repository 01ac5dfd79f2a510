#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
constexpr std::size_t largest_write = std::size_t{64} << 20;

/// A name in the target's directory that no other output of this machine uses.
std::string temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter = 0;
  const std::string name = fmt::format(".{}.{}-{}.tmp", target.filename().string().substr(0, 200), getpid(), counter++);
  return (target.parent_path() / name).string();
}

}  // namespace

output_file::output_file(const std::string& path) : name_(path == "-" ? "standard output" : path) {
  if (path == "-") {
    fd_ = dup(STDOUT_FILENO);
    if (fd_ < 0) cannot("cannot write to it", errno);
    return;
  }
  std::error_code resolved;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, resolved);
  target_ = resolved ? path : real.string();
  struct stat info = {};
  const bool exists = stat(target_.c_str(), &info) == 0;
  if (!exists && errno != ENOENT) cannot("cannot write to it", errno);
  if (exists && S_ISDIR(info.st_mode)) fail(exit_code::cannot_write, "{}: a directory; expected a file name", name_);
  if (exists && !S_ISREG(info.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) cannot("cannot open it for writing", errno);
    return;
  }
  if (exists && access(target_.c_str(), W_OK) != 0) cannot("cannot replace it", errno);
  temporary_ = temporary_name(target_);
  doomed_ = std::make_unique<doomed_file>(temporary_);
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0) cannot("cannot create a file beside it", errno);
  if (exists) static_cast<void>(fchmod(fd_, info.st_mode & 07777));
}

output_file::~output_file() {
  if (fd_ >= 0) ::close(fd_);
  if (doomed_) unlink(temporary_.c_str());
}

void output_file::cannot(const char* what, int error) const {
  fail(exit_code::cannot_write, "{}: {}: {}", name_, what, std::strerror(error));
}

void output_file::expect(std::uint64_t bytes) {
  bar_.emplace("writing " + name_, bytes);
}

void output_file::write(const void* from, std::size_t bytes) {
  const auto* data = static_cast<const std::byte*>(from);
  if (bytes >= buffer_bytes) {
    flush();
    write_through(data, bytes);
    return;
  }
  buffer_.insert(buffer_.end(), data, data + bytes);
  if (buffer_.size() >= buffer_bytes) flush();
}

void output_file::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void output_file::write_through(const std::byte* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = ::write(fd_, from, std::min(bytes, largest_write));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) cannot("cannot write to it", errno);
    from += put;
    bytes -= static_cast<std::size_t>(put);
    written_ += static_cast<std::uint64_t>(put);
    if (bar_) bar_->reach(written_);
  }
}

void output_file::finish() {
  if (fd_ < 0) return;
  flush();
  if (bar_) bar_->done();
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) cannot("cannot write to it", errno);
}

void output_file::commit() {
  finish();
  if (!doomed_) return;
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) cannot("cannot replace it", errno);
  doomed_.reset();
}

void print_text(std::string_view text) {
  output_file out("-");
  out.write(text);
  out.commit();
}

void check_is_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code missing;
    if (!std::filesystem::equivalent(output, input, missing) || !std::filesystem::is_regular_file(input, missing)) {
      continue;
    }
    fail(exit_code::usage, "{}: named for an input and for an output; expected another file to write", output);
  }
}

void check_distinct_outputs(const std::vector<std::string>& paths) {
  std::vector<std::string> seen;
  for (const std::string& path : paths) {
    if (path.empty() || path == "-") continue;
    std::error_code resolved;
    const std::string real = std::filesystem::weakly_canonical(std::filesystem::absolute(path), resolved).string();
    if (!resolved && std::filesystem::exists(real, resolved) && !std::filesystem::is_regular_file(real, resolved)) {
      continue;
    }
    if (std::find(seen.begin(), seen.end(), real) != seen.end()) {
      fail(exit_code::usage, "{}: named for two outputs; each needs a file of its own", path);
    }
    seen.push_back(real);
  }
}

}  // namespace upsweep::apps
