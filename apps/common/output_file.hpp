// A file that appears whole or not at all; one whose name ends in .gz or .zst is compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compression.hpp"
#include "interrupt.hpp"
#include "progress.hpp"

namespace upsweep::apps {

/// Writes a file without a name in its target's folder, or one of a fresh random name where the file system has no such
/// files; `commit` puts it in the target's place. Without a commit the target stays as it was, and nothing is left
/// behind; what a run that was killed in between has left, the next one to the same target removes. Every failure is
/// exit_code::cannot_write and names the target.
class output_file {
 public:
  /// Creates the file. "-" is standard output, which is written as it is, like anything that is not a regular file; a
  /// symbolic link stays, and what it leads to is replaced or made. `nameless` is for tests of the other way.
  explicit output_file(const std::string& path, bool nameless = true);
  /// An open file of that name, which is the caller's: it stays where it is.
  output_file(int fd, std::string name);
  ~output_file();
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t bytes_written() const { return written_; }
  /// Where the file is while it is written; of one made with `nameless` there is no such path.
  const std::string& path() const { return temporary_.empty() ? target_ : temporary_; }

  /// How many bytes will come, before they are compressed, for the progress bar.
  void expect(std::uint64_t bytes);
  void write(const void* from, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  /// Writes other bytes over some that were written before. Only for regular files that are not compressed.
  void rewrite(std::uint64_t at, std::span<const std::byte> bytes);
  /// Everything has been handed to the system. Nothing may be written after it.
  void finish();
  /// Finishes, and gives the file its target's name.
  void commit();

 private:
  void create(bool nameless);
  void flush();
  void put(const std::byte* from, std::size_t bytes);
  void write_through(const std::byte* from, std::size_t bytes);
  [[noreturn]] void cannot(const char* what, int error) const;

  std::string name_;
  std::string target_;
  std::string temporary_;  ///< empty while the file has no name, and for what is written as it is
  int fd_ = -1;
  std::uint64_t written_ = 0;
  std::vector<std::byte> buffer_;
  std::optional<progress> bar_;
  std::unique_ptr<compressor> compressor_;
  std::uint64_t taken_ = 0;  ///< before they are compressed
  bool is_finished_ = false;
  bool replaces_ = false;  ///< its target gets its name at the commit
  std::unique_ptr<doomed_file> doomed_;
};

/// Finishes all of them, and then gives each its target's name. Where one cannot have it, the message names those that
/// have theirs.
void commit_all(const std::vector<output_file*>& files);

/// Writes all of a text to standard output.
void print_text(std::string_view text);

}  // namespace upsweep::apps
