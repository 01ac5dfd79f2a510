// A file that is read once from front to back, in big reads, whose size is known before anything is believed. One that
// gzip or zstd has compressed is read as what they would give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byte_array.hpp"
#include "descriptor.hpp"
#include "progress.hpp"

namespace upsweep::apps {

class unpacked_stream;
class unpacked_whole;

/// An open input file. Every failure is exit_code::bad_input and names the file.
class input_file {
 public:
  /// Opens `path`; "-" is standard input, from where it is. Of what has no size of its own (a pipe) the first bytes
  /// are read; the rest is copied to a file without a name in $TMPDIR, or /tmp, when more is asked for than those. What
  /// is compressed, by its first bytes, is decompressed while it is read. Where it does not say how much that will be,
  /// as what the program zstd makes of a file does, it is like a pipe.
  explicit input_file(const std::string& path);
  /// Bytes in memory, of the caller, as a file of that name.
  input_file(std::string name, std::span<const std::byte> bytes);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() {
    take_all();
    return size_;
  }
  /// Whether it is being decompressed while it is read.
  bool is_unpacked() const { return stream_ != nullptr; }
  /// Decompresses all of it anew into an array that is made for that, where it is long, is of zstd, says how much it
  /// is, and nothing of it has been read; null where not. From then on the caller says by `reach` how far it has read.
  std::unique_ptr<unpacked_whole> unpack_whole(const std::function<std::byte*(std::size_t bytes)>& make_room);
  void reach(std::uint64_t position);
  /// How many cores decompress it: none, while what they have made waits for its reader.
  std::size_t busy_cores() const;
  /// Of such a file, how many bytes it may well have: what it says, else by what is packed.
  std::uint64_t likely_bytes() const { return is_complete_ ? size_ : 3 * packed_bytes_; }
  /// Whether so many are likely enough for what is packed; then nobody needs to wait until they are there.
  bool may_come(std::uint64_t bytes) const {
    constexpr std::uint64_t many = 64;
    return !is_complete_ && stream_ != nullptr && bytes / many < packed_bytes_;
  }
  /// Whether not all of it is there yet, and it may have no end.
  bool still_comes() const { return !is_complete_ && packed_bytes_ == 0; }
  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() { return size() - position_; }
  /// Lines that `line()` has returned.
  std::uint64_t line_number() const { return line_number_; }

  /// Of a pipe: once more than `most` bytes from here on have come, copying it fails. A file's size is the caller's to
  /// look at.
  void expect_at_most(std::uint64_t most);
  /// The bytes ahead: at least `at_least`, or all that are left when there are fewer. Valid until the next call. Up to
  /// some MiB of a pipe are read, not copied.
  std::span<const std::byte> ahead(std::size_t at_least);
  /// Steps over bytes that `ahead` has shown.
  void consume(std::size_t bytes);
  /// Steps over `bytes` bytes, or fails when fewer are left.
  void skip(std::uint64_t bytes);
  /// The next `bytes` bytes as an array, to be read only, or fails when fewer are left. Where there is no memory for
  /// them, they are mapped; what is in memory stays there.
  byte_array take(std::size_t bytes);
  /// The same, mapped where that can be: what is looked at of it comes into memory, and no more. What is decompressed
  /// on its way cannot.
  byte_array take_mapped(std::size_t bytes);
  /// Copies the next `bytes` bytes, or all that are left; returns how many. It does not wait for more to know how many.
  std::size_t read_part(void* to, std::size_t bytes);
  /// Copies the next `bytes` bytes, or fails when fewer are left.
  void read(void* to, std::size_t bytes);
  /// Steps over the mark that some editors begin UTF-8 text with.
  void pass_byte_order_mark();
  /// The next line without its end; nothing at the end of the file. Valid until the next call. Lines end in "\n" or
  /// "\r\n"; where the first one ends in a lone "\r", all do.
  std::optional<std::string_view> line(std::size_t longest);
  /// Whole lines ahead, with their ends: of about so many bytes, or one; nothing at the end of the file. Valid until
  /// the next call.
  std::string_view lines_ahead(std::size_t about, std::size_t longest);
  /// Steps over so many lines that it has shown.
  void consume_lines(std::size_t bytes, std::uint64_t lines);
  /// The last character of every line; '\0' before one has been seen.
  char line_end() const { return line_end_; }

 private:
  void take_ahead(std::size_t bytes);
  void take_all();
  void spool();
  void unpack();
  byte_array map_next(std::size_t bytes);
  void show_progress();
  void write_all(int copy, std::span<const std::byte> bytes) const;
  const char* find_line_end(std::string_view text, std::size_t searched, bool is_rest);
  std::size_t read_by_shares(std::byte* to, std::size_t bytes);
  std::size_t read_some(void* to, std::size_t bytes);
  std::size_t buffered() const { return end_ - begin_; }
  const std::byte* buffered_bytes() const { return (memory_ != nullptr ? memory_ : buffer_.data()) + begin_; }
  [[noreturn]] void ends_early(std::uint64_t wanted);
  [[noreturn]] void became_shorter(std::uint64_t now);

  std::string name_;
  descriptor file_;
  std::uint64_t size_ = 0;
  bool is_complete_ = true;  ///< size_ is known; else the rest of a pipe is still to come
  std::uint64_t position_ = 0;
  std::uint64_t most_ = std::numeric_limits<std::uint64_t>::max();  ///< bytes of a pipe, of which more are refused
  std::uint64_t line_number_ = 0;
  char line_end_ = '\0';               ///< the last character of every line; of none before the first line
  const std::byte* memory_ = nullptr;  ///< all of a file that is in memory, instead of a buffer
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::unique_ptr<unpacked_stream> stream_;  ///< of what is decompressed while it is read, instead of a descriptor
  std::uint64_t unpacked_ = 0;               ///< bytes that it has given
  std::uint64_t packed_bytes_ = 0;           ///< of a file that it decompresses; 0 of a pipe
  descriptor packed_;                        ///< of that file, where it can be decompressed anew
  std::int64_t packed_begin_ = 0;            ///< where it begins there
  std::optional<progress> bar_;
};

}  // namespace upsweep::apps
