#include "output_file.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <utility>

#include "failure.hpp"
#include "named_files.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
constexpr std::size_t largest_write = std::size_t{64} << 20;

/// How the name of a file ends that is still being written, and will then be put in its target's place.
constexpr std::string_view ending = ".upsweep-tmp";

std::string temporary_prefix(const std::filesystem::path& target) {
  return fmt::format(".{}.", target.filename().string().substr(0, 200));
}

/// A name in the target's folder that no file has, as good as certainly.
std::string temporary_name(const std::filesystem::path& target) {
  std::random_device random;
  const auto number = std::uint64_t{random()} << 32 | random();
  return (target.parent_path() / fmt::format("{}{:016x}{}", temporary_prefix(target), number, ending)).string();
}

/// Removes temporary files of the target whose writers are gone: a living one holds a lock on its file.
void remove_strays(const std::filesystem::path& target) {
  const std::string prefix = temporary_prefix(target);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(target.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.size() != prefix.size() + 16 + ending.size() || !name.starts_with(prefix) || !name.ends_with(ending)) {
      continue;
    }
    const int fd = ::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) continue;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) unlink(entry.path().c_str());
    ::close(fd);
  }
}

}  // namespace

output_file::output_file(const std::string& path, bool nameless)
    : name_(path == "-" ? "standard output" : path), compressor_(make_compressor(compression_of_name(path), name_)) {
  if (path == "-") {
    fd_ = dup(STDOUT_FILENO);
    if (fd_ < 0) cannot("cannot write to it", errno);
    return;
  }
  target_ = final_target(path);
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
  replaces_ = true;
  create(nameless);
  if (exists) static_cast<void>(fchmod(fd_, info.st_mode & 07777));
}

output_file::output_file(int fd, std::string name) : name_(std::move(name)), fd_(dup(fd)) {
  if (fd_ < 0) cannot("cannot write to it", errno);
}

void output_file::create(bool nameless) {
  const std::filesystem::path target = target_;
  if (target.filename().string().size() > NAME_MAX) cannot("cannot create it", ENAMETOOLONG);
  remove_strays(target);
  // The name is given by way of /proc.
  if (nameless && access("/proc/self/fd", X_OK) == 0) {
    fd_ = ::open(target.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  }
  if (fd_ >= 0) {
    static_cast<void>(flock(fd_, LOCK_EX | LOCK_NB));
    return;
  }
  // Another program may take the file for a stray one before it is locked, and remove it.
  for (bool is_there = false; !is_there;) {
    temporary_ = temporary_name(target);
    doomed_ = std::make_unique<doomed_file>(temporary_);
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) cannot("cannot create a file beside it", errno);
    static_cast<void>(flock(fd_, LOCK_EX | LOCK_NB));
    is_there = access(temporary_.c_str(), F_OK) == 0;
    if (!is_there) ::close(fd_);
  }
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
    put(data, bytes);
    return;
  }
  buffer_.insert(buffer_.end(), data, data + bytes);
  if (buffer_.size() >= buffer_bytes) flush();
}

void output_file::flush() {
  put(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void output_file::put(const std::byte* from, std::size_t bytes) {
  taken_ += bytes;
  if (compressor_) {
    compressor_->write(from, bytes, [&](const std::byte* packed, std::size_t size) { write_through(packed, size); });
  } else {
    write_through(from, bytes);
  }
  if (bar_) bar_->reach(taken_);
}

void output_file::write_through(const std::byte* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = ::write(fd_, from, std::min(bytes, largest_write));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) cannot("cannot write to it", errno);
    from += put;
    bytes -= static_cast<std::size_t>(put);
    written_ += static_cast<std::uint64_t>(put);
  }
}

void output_file::rewrite(std::uint64_t at, std::span<const std::byte> bytes) {
  flush();
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) cannot("cannot write to its beginning again", errno);
    at += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void output_file::finish() {
  if (fd_ < 0 || is_finished_) return;
  is_finished_ = true;
  flush();
  if (compressor_) {
    compressor_->finish([&](const std::byte* packed, std::size_t size) { write_through(packed, size); });
  }
  if (bar_) bar_->done();
  // File systems on a network tell what went wrong when a descriptor is closed; the lock, and a file without a name,
  // need one that stays open.
  const int fd = replaces_ ? dup(fd_) : std::exchange(fd_, -1);
  if (fd >= 0 && ::close(fd) != 0) cannot("cannot write to it", errno);
}

void output_file::commit() {
  finish();
  if (!replaces_) return;
  if (temporary_.empty()) {
    temporary_ = temporary_name(target_);
    doomed_ = std::make_unique<doomed_file>(temporary_);
    const std::string nameless = fmt::format("/proc/self/fd/{}", fd_);
    if (linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      cannot("cannot give it a name", errno);
    }
  }
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) cannot("cannot replace it", errno);
  doomed_.reset();
  replaces_ = false;
}

void commit_all(const std::vector<output_file*>& files) {
  for (output_file* file : files) file->finish();
  std::vector<std::string> done;
  for (output_file* file : files) {
    try {
      file->commit();
    } catch (const failure& error) {
      if (done.empty()) throw;
      fail(error.code(), "{}; written before: {}", error.what(), list_text(done));
    }
    done.push_back(file->name());
  }
}

void print_text(std::string_view text) {
  output_file out("-");
  out.write(text);
  out.commit();
}

}  // namespace upsweep::apps
