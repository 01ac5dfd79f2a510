// The rows of CSV, and their fields.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "failure.hpp"
#include "growing_array.hpp"

namespace upsweep::apps {

/// Finds them in turn, in a text that may still grow.
class csv_reader {
 public:
  /// `least_share`: bytes that one thread looks through, at least.
  explicit csv_reader(const std::string& file, std::size_t least_share = std::size_t{1} << 20)
      : file_(file), least_share_(least_share) {}

  /// The text so far, which goes on where it has ended before, and may lie elsewhere. Fails where a byte is 0. From now
  /// on, so many cores have other work.
  void see(std::string_view text, bool is_complete, std::size_t busy = 0);
  std::size_t busy_cores() const { return busy_; }
  std::string_view text() const { return text_; }
  bool is_complete() const { return is_complete_; }

  /// The next row with its end, whose fields may go over several lines. Empty at the end of the text, or where the row
  /// may go on after it.
  std::string_view next_row() {
    const std::uint64_t before = line_++;
    const std::string_view rest = text_.substr(at_);
    std::size_t end = rest.find('\n');
    if (has_quotes_) {
      bool quoted = false;
      const std::uint64_t first = line_;
      for (end = 0; end < rest.size() && (quoted || rest[end] != '\n'); ++end) {
        if (rest[end] == '"') quoted = !quoted;
        if (rest[end] == '\n') ++line_;
      }
      if (quoted && is_complete_) {
        fail(exit_code::bad_input, "{}: line {}: expected a closing quote; got the end of the file", file_, first);
      }
    }
    if (end >= rest.size() && !is_complete_) {
      line_ = before;
      return {};
    }
    const std::string_view row = rest.substr(0, end == rest.npos ? end : end + 1);
    at_ += row.size();
    return row;
  }

  /// Appends where each row ends that is there, and so the next one begins, to the ends that are known already. A
  /// line without a field is part of the row before it.
  void find_rows(growing_array<std::uint64_t>& ends);

  /// Of the row that was read last.
  std::uint64_t line() const { return line_; }
  std::size_t at() const { return at_; }
  bool has_quotes() const { return has_quotes_; }
  /// The next row begins there. Lines are counted as if it were the first.
  void go_to(std::size_t at) {
    at_ = at;
    line_ = 0;
  }

  /// The first field of a row, which is taken off it with the delimiter after it; its quotes are gone, and two in it
  /// are one. Valid until the next call. Nothing when there is none.
  std::optional<std::string_view> next_field(std::string_view& row, char delimiter) {
    if (row.data() == nullptr) return std::nullopt;
    std::string_view field = row;
    if (has_quotes_ && row.starts_with('"')) {
      unquoted_.clear();
      std::size_t i = 1;
      for (; i < row.size() && (row[i] != '"' || row.substr(i + 1, 1) == "\""); ++i) {
        if (row[i] == '"') ++i;
        unquoted_ += row[i];
      }
      i = std::min(i + 1, row.size());
      const std::size_t end = row.find(delimiter, i);
      // What comes after the quote belongs to the field too.
      unquoted_ += row.substr(i, end == row.npos ? end : end - i);
      row = end == row.npos ? std::string_view() : row.substr(end + 1);
      return unquoted_;
    }
    const std::size_t end = row.find(delimiter);
    if (end == row.npos) {
      row = {};
      return field;
    }
    field = row.substr(0, end);
    row.remove_prefix(end + 1);
    return field;
  }

 private:
  void find_rows_in_turn(growing_array<std::uint64_t>& ends);

  const std::string& file_;
  std::size_t least_share_;
  std::string_view text_;
  std::size_t at_ = 0, busy_ = 0;
  std::uint64_t line_ = 0;
  bool has_quotes_ = false, is_complete_ = false;
  std::string unquoted_;
};

/// The text between the blanks around it.
inline std::string_view without_blanks(std::string_view field) {
  constexpr std::string_view blank = " \t";
  while (!field.empty() && blank.find(field.front()) != blank.npos) field.remove_prefix(1);
  while (!field.empty() && blank.find(field.back()) != blank.npos) field.remove_suffix(1);
  return field;
}

/// A row without what ends its line.
inline std::string_view without_end(std::string_view row) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  while (row.ends_with('\r')) row.remove_suffix(1);
  // A field of a row that is not null.
  return row.data() == nullptr ? std::string_view("") : row;
}

}  // namespace upsweep::apps
