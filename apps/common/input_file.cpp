#include "input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
constexpr std::size_t largest_read = std::size_t{64} << 20;

/// Of a pipe that many bytes are looked at before room is made for all of it.
constexpr std::size_t first_bytes = std::size_t{64} << 10;

const char* temporary_folder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

/// An unnamed file to read and write.
int unnamed_file(const char* folder) {
  const int fd = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  std::string name = std::string(folder) + "/upsweep-XXXXXX";
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

input_file::input_file(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  fd_ = path == "-" ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail(exit_code::bad_input, "{}: cannot open it: {}", name_, std::strerror(errno));
  struct stat info = {};
  fstat(fd_, &info);
  if (S_ISDIR(info.st_mode)) {
    ::close(fd_);
    fail(exit_code::bad_input, "{}: a directory; expected a file", name_);
  }
  if (!S_ISREG(info.st_mode)) {
    take_first();
    return;
  }
  const off_t passed = lseek(fd_, 0, SEEK_CUR);
  size_ = static_cast<std::uint64_t>(std::max<off_t>(info.st_size - std::max<off_t>(passed, 0), 0));
  buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(buffer_bytes, size_ + 1)));
  bar_.emplace("reading " + name_, size_);
}

input_file::~input_file() {
  if (fd_ >= 0) ::close(fd_);
}

/// The first bytes of a pipe, or all where there are fewer.
void input_file::take_first() {
  buffer_.resize(first_bytes);
  while (end_ < first_bytes) {
    const std::size_t got = read_some(buffer_.data() + end_, first_bytes - end_);
    if (got == 0) {
      size_ = end_;
      return;
    }
    end_ += got;
  }
  is_complete_ = false;
}

void input_file::take_all() {
  if (is_complete_) return;
  is_complete_ = true;
  spool();
  bar_.emplace("reading " + name_, size_);
}

/// Copies everything that the pipe still gives to an unnamed file, which is read from then on.
void input_file::spool() {
  const char* const folder = temporary_folder();
  const auto cannot = [&] {
    fail(exit_code::cannot_write, "{}: cannot copy {} there: {}", folder, name_, std::strerror(errno));
  };
  const int copy = unnamed_file(folder);
  if (copy < 0) cannot();
  const int pipe = std::exchange(fd_, copy);
  std::vector<std::byte> block(buffer_bytes);
  std::uint64_t copied = 0;
  for (;;) {
    const ssize_t got = ::read(pipe, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(exit_code::bad_input, "{}: cannot read it: {}", name_, std::strerror(errno));
    if (got == 0) break;
    for (ssize_t at = 0; at < got;) {
      const ssize_t put = ::write(copy, block.data() + at, static_cast<std::size_t>(got - at));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) cannot();
      at += put;
    }
    copied += static_cast<std::uint64_t>(got);
  }
  ::close(pipe);
  lseek(copy, 0, SEEK_SET);
  size_ = position_ + buffered() + copied;
}

std::size_t input_file::read_some(void* to, std::size_t bytes) {
  for (;;) {
    const ssize_t got = ::read(fd_, to, std::min(bytes, largest_read));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(exit_code::bad_input, "{}: cannot read it: {}", name_, std::strerror(errno));
  }
}

void input_file::ends_early(std::uint64_t wanted) {
  fail(exit_code::bad_input, "{}: ends at byte {}; expected {} bytes more from byte {}", name_, size_, wanted,
       position_);
}

void input_file::became_shorter(std::uint64_t now) {
  fail(exit_code::bad_input, "{}: became shorter while it was read: {} bytes; expected {}, as at the beginning", name_,
       now, size_);
}

std::span<const std::byte> input_file::ahead(std::size_t at_least) {
  if (!is_complete_ && at_least <= buffered()) return {buffer_.data() + begin_, buffered()};
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(at_least, remaining()));
  if (buffered() < wanted) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
    end_ = buffered();
    begin_ = 0;
    if (wanted > buffer_.size()) buffer_.resize(wanted);
    while (end_ < wanted) {
      const std::size_t got = read_some(buffer_.data() + end_, buffer_.size() - end_);
      if (got == 0) became_shorter(position_ + end_);
      end_ += got;
    }
  }
  const auto shown = static_cast<std::size_t>(std::min<std::uint64_t>(buffered(), remaining()));
  return {buffer_.data() + begin_, shown};
}

void input_file::consume(std::size_t bytes) {
  begin_ += bytes;
  position_ += bytes;
  if (bar_) bar_->reach(position_);
}

void input_file::skip(std::uint64_t bytes) {
  if (bytes > buffered() && bytes > remaining()) ends_early(bytes);
  while (bytes > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(ahead(1).size(), bytes));
    consume(step);
    bytes -= step;
  }
}

void input_file::read(void* to, std::size_t bytes) {
  if (bytes > buffered() && bytes > remaining()) ends_early(bytes);
  auto* out = static_cast<std::byte*>(to);
  const std::size_t first = std::min(buffered(), bytes);
  if (first > 0) std::memcpy(out, buffer_.data() + begin_, first);
  consume(first);
  out += first;
  for (std::size_t left = bytes - first; left > 0;) {
    const std::size_t got = read_some(out, left);
    if (got == 0) became_shorter(position_);
    out += got;
    left -= got;
    position_ += got;
    if (bar_) bar_->reach(position_);
  }
}

void input_file::pass_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  const auto bytes = ahead(mark.size());
  if (bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0) consume(mark.size());
}

/// Where the first line of `text` ends, of which so many characters were searched before; null when it goes on behind.
const char* input_file::find_line_end(std::string_view text, std::size_t searched, bool is_rest) {
  if (line_end_ != '\0') {
    return static_cast<const char*>(std::memchr(text.data() + searched, line_end_, text.size() - searched));
  }
  const std::size_t at = text.find_first_of("\r\n", searched > 0 ? searched - 1 : 0);
  if (at == text.npos || (text[at] == '\r' && at + 1 == text.size() && !is_rest)) return nullptr;
  line_end_ = text[at] == '\r' && text.substr(at + 1, 1) != "\n" ? '\r' : '\n';
  return text.data() + text.find(line_end_, at);
}

std::optional<std::string_view> input_file::line(std::size_t longest) {
  if (buffered() == 0 && remaining() == 0) return std::nullopt;
  std::size_t searched = 0;
  for (std::size_t wanted = 1;;) {
    const auto bytes = ahead(wanted);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool is_rest = is_complete_ && text.size() == remaining();
    const char* const found = find_line_end(text, searched, is_rest);
    const std::size_t length = found != nullptr ? static_cast<std::size_t>(found - text.data()) : text.size();
    if (length > longest) {
      fail(exit_code::bad_input, "{}: line {} is longer than {} characters", name_, line_number_ + 1, longest);
    }
    if (found != nullptr || is_rest) {
      consume(length + (found != nullptr ? 1 : 0));
      ++line_number_;
      return text.substr(0, length > 0 && text[length - 1] == '\r' ? length - 1 : length);
    }
    searched = text.size();
    wanted = 2 * text.size();
  }
}

}  // namespace upsweep::apps
