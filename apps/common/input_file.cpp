#include "input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "compression.hpp"
#include "failure.hpp"
#include "share_rows.hpp"
#include "temporary_file.hpp"
#include "unpacked_stream.hpp"
#include "unpacked_whole.hpp"

namespace upsweep::apps {
namespace {

constexpr std::size_t input_buffer_bytes = std::size_t{4} << 20;
/// Of what is decompressed, which waits in blocks of its own.
constexpr std::size_t unpacked_buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t largest_read = std::size_t{64} << 20;

/// So many bytes of a pipe are looked at at once, and up to so many before room is made for all of it.
constexpr std::size_t first_bytes = std::size_t{64} << 10;
constexpr std::size_t most_ahead = std::size_t{8} << 20;

}  // namespace

input_file::input_file(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  file_ = descriptor(path == "-" ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file_.get() < 0) fail(exit_code::bad_input, "{}: cannot open it: {}", name_, std::strerror(errno));
  struct stat info = {};
  fstat(file_.get(), &info);
  if (S_ISDIR(info.st_mode)) fail(exit_code::bad_input, "{}: a directory; expected a file", name_);
  // What the kernel makes up, as in /proc, has no size.
  if (!S_ISREG(info.st_mode) || info.st_size == 0) {
    is_complete_ = false;
    take_ahead(first_bytes);
    unpack();
    return;
  }
  const off_t passed = lseek(file_.get(), 0, SEEK_CUR);
  size_ = static_cast<std::uint64_t>(std::max<off_t>(info.st_size - std::max<off_t>(passed, 0), 0));
  buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(first_bytes, size_ + 1)));
  bar_.emplace("reading " + name_, size_);
  unpack();
  if (!stream_) buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(input_buffer_bytes, size_ + 1)));
}

input_file::input_file(std::string name, std::span<const std::byte> bytes)
    : name_(std::move(name)), size_(bytes.size()), memory_(bytes.data()), end_(bytes.size()) {}

input_file::~input_file() = default;

std::size_t input_file::busy_cores() const {
  return stream_ != nullptr && stream_->is_busy() ? 1 : 0;
}

/// Reads of a pipe until so many bytes are there, or all.
void input_file::take_ahead(std::size_t bytes) {
  if (buffer_.size() - begin_ < bytes) {
    if (buffered() > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
    end_ = buffered();
    begin_ = 0;
    if (buffer_.size() < bytes) buffer_.resize(std::max(bytes, 2 * buffer_.size()));
  }
  while (buffered() < bytes) {
    const std::size_t got = read_some(buffer_.data() + end_, buffer_.size() - end_);
    if (got == 0) {
      size_ = position_ + buffered();
      is_complete_ = true;
      return;
    }
    end_ += got;
  }
}

void input_file::expect_at_most(std::uint64_t most) {
  if (!is_complete_ && most <= std::numeric_limits<std::uint64_t>::max() - position_) most_ = position_ + most;
}

void input_file::take_all() {
  if (is_complete_) return;
  is_complete_ = true;
  spool();
  bar_.emplace("reading " + name_, size_);
}

void input_file::write_all(int copy, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = ::write(copy, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) cannot_use_temporary_folder(name_);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

/// Copies everything that the pipe still gives to an unnamed file, which is read from then on.
void input_file::spool() {
  descriptor copy(unnamed_file(name_));
  std::vector<std::byte> block(input_buffer_bytes);
  std::uint64_t copied = 0;
  for (;;) {
    if (position_ + buffered() + copied > most_) {
      fail(exit_code::bad_input, "{}: goes on after byte {}; expected the end of the file there", name_, most_);
    }
    const std::size_t got = read_some(block.data(), block.size());
    if (got == 0) break;
    write_all(copy.get(), {block.data(), got});
    copied += got;
    show_progress();
  }
  lseek(copy.get(), 0, SEEK_SET);
  file_ = std::move(copy);
  stream_.reset();
  size_ = position_ + buffered() + copied;
}

/// From here on it is what its bytes decompress to.
void input_file::unpack() {
  constexpr std::size_t magic_bytes = 4;
  const compression how = compression_of(ahead(magic_bytes));
  if (how == compression::none) return;
  std::optional<std::uint64_t> bytes;
  if (how == compression::zstd && is_complete_) {
    packed_begin_ = lseek(file_.get(), 0, SEEK_CUR) - static_cast<off_t>(end_);
    bytes = unpacked_bytes_of_zstd(size_, [&](std::uint64_t from, std::byte* to, std::size_t most) {
      const ssize_t got = ::pread(file_.get(), to, most, packed_begin_ + static_cast<off_t>(from));
      return static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    });
  }
  constexpr std::uint64_t long_enough = std::uint64_t{16} << 20;
  if (bytes.value_or(0) >= long_enough && can_decompress_into()) packed_ = descriptor(dup(file_.get()));
  buffer_.resize(end_);
  packed_bytes_ = is_complete_ ? size_ : 0;
  stream_ = std::make_unique<unpacked_stream>(how, name_, std::exchange(buffer_, {}), std::move(file_));
  begin_ = end_ = 0;
  size_ = bytes.value_or(0);
  is_complete_ = bytes.has_value();
  buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(unpacked_buffer_bytes, size_ + 1)));
  if (is_complete_) bar_.emplace("reading " + name_, size_);
}

std::unique_ptr<unpacked_whole> input_file::unpack_whole(const std::function<std::byte*(std::size_t)>& make_room) {
  if (packed_.get() < 0 || position_ > 0) return nullptr;
  const auto bytes = static_cast<std::size_t>(size_);
  std::byte* const to = make_room(bytes);
  // The thread of the stream reads by the same place in the file, until it has ended.
  stream_.reset();
  begin_ = end_ = 0;
  lseek(packed_.get(), packed_begin_, SEEK_SET);
  return std::make_unique<unpacked_whole>(name_, std::move(packed_), std::span(to, bytes));
}

std::size_t input_file::read_some(void* to, std::size_t bytes) {
  if (stream_) {
    const std::size_t got = stream_->read(static_cast<std::byte*>(to), bytes);
    unpacked_ += got;
    // After the last byte comes a checksum, and nobody has asked for anything after that.
    std::byte more;
    if (got > 0 && is_complete_ && unpacked_ == size_) static_cast<void>(stream_->read(&more, 1));
    return got;
  }
  for (;;) {
    const ssize_t got = ::read(file_.get(), to, std::min(bytes, largest_read));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(exit_code::bad_input, "{}: cannot read it: {}", name_, std::strerror(errno));
  }
}

void input_file::ends_early(std::uint64_t wanted) {
  fail(exit_code::bad_input, "{}: ends at byte {}; expected {} more bytes from byte {}", name_, size_, wanted,
       position_);
}

void input_file::became_shorter(std::uint64_t now) {
  fail(exit_code::bad_input, "{}: became shorter while it was read: {} bytes; expected {}, as at the beginning", name_,
       now, size_);
}

std::span<const std::byte> input_file::ahead(std::size_t at_least) {
  if (!is_complete_ && at_least <= most_ahead) {
    take_ahead(at_least);
    return {buffer_.data() + begin_, buffered()};
  }
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
  return {buffered_bytes(), shown};
}

void input_file::consume(std::size_t bytes) {
  begin_ += bytes;
  position_ += bytes;
  show_progress();
}

void input_file::show_progress() {
  if (bar_) bar_->reach(is_complete_ || !stream_ ? position_ : stream_->packed_bytes());
}

void input_file::reach(std::uint64_t position) {
  position_ = position;
  show_progress();
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
  if (first > 0) std::memcpy(out, buffered_bytes(), first);
  consume(first);
  out += first;
  const std::size_t at_once = stream_ ? 0 : read_by_shares(out, bytes - first);
  out += at_once;
  for (std::size_t left = bytes - first - at_once; left > 0;) {
    const std::size_t got = read_some(out, left);
    if (got == 0) became_shorter(position_);
    out += got;
    left -= got;
    position_ += got;
    show_progress();
  }
}

/// Reads much of a file by several threads: what takes time is to copy it into fresh memory. Returns how many bytes;
/// the rest, and what is wrong with it, is the caller's.
std::size_t input_file::read_by_shares(std::byte* to, std::size_t bytes) {
  constexpr std::size_t least = std::size_t{4} << 20;
  const off_t from = lseek(file_.get(), 0, SEEK_CUR);
  if (from < 0 || bytes < 2 * least) return 0;
  std::atomic<bool> is_complete = true;
  const auto read_share = [&](std::size_t first, std::size_t last) {
    while (first < last) {
      const ssize_t got =
          ::pread(file_.get(), to + first, std::min(last - first, largest_read), from + static_cast<off_t>(first));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      first += static_cast<std::size_t>(got);
    }
    if (first < last) is_complete = false;
  };
  share_rows(bytes, read_share, least);
  if (!is_complete) return 0;
  lseek(file_.get(), from + static_cast<off_t>(bytes), SEEK_SET);
  position_ += bytes;
  show_progress();
  return bytes;
}

/// Without data, and where it was, when that cannot be.
byte_array input_file::map_next(std::size_t bytes) {
  const off_t behind = stream_ ? -1 : lseek(file_.get(), 0, SEEK_CUR);
  if (behind < 0) return {};
  const auto from = static_cast<std::uint64_t>(behind) - buffered();
  byte_array array = byte_array::of_file(file_.get(), from, bytes);
  if (array.data() == nullptr) return array;
  lseek(file_.get(), static_cast<off_t>(from + bytes), SEEK_SET);
  begin_ = end_ = 0;
  position_ += bytes;
  return array;
}

byte_array input_file::take_mapped(std::size_t bytes) {
  if (bytes > remaining()) ends_early(bytes);
  if (bytes == 0) return {};
  byte_array array = map_next(bytes);
  return array.data() != nullptr ? std::move(array) : take(bytes);
}

std::size_t input_file::read_part(void* to, std::size_t bytes) {
  auto* const out = static_cast<std::byte*>(to);
  std::size_t done = std::min(buffered(), bytes);
  if (done > 0) std::memcpy(out, buffered_bytes(), done);
  consume(done);
  while (done < bytes) {
    const std::size_t got = read_some(out + done, bytes - done);
    if (got == 0) break;
    done += got;
    position_ += got;
    show_progress();
  }
  return done;
}

byte_array input_file::take(std::size_t bytes) {
  if (bytes > buffered() && bytes > remaining()) ends_early(bytes);
  if (memory_ != nullptr) {
    byte_array array = byte_array::of_others(buffered_bytes(), bytes);
    consume(bytes);
    return array;
  }
  byte_array array = byte_array::in_memory(bytes);
  if (array.data() == nullptr && is_complete_) {
    array = map_next(bytes);
    if (array.data() != nullptr) return array;
  }
  if (array.data() == nullptr) array = byte_array(bytes);
  read(array.data(), bytes);
  return array;
}

}  // namespace upsweep::apps
