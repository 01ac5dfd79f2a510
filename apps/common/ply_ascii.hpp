// Rows of an ASCII PLY file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.hpp"
#include "ply.hpp"

namespace upsweep::apps {

/// Where the values of one property go: a column, or nowhere.
struct ply_destination {
  ply_property property;
  std::byte* column = nullptr;
};

/// The words of one line of ASCII data; every failure names the file and the line.
class ascii_row {
 public:
  /// The next line of the file that is not blank.
  ascii_row(input_file& file, const std::string& element);
  /// A line that was found so.
  ascii_row(const std::string& file, const std::string& element, std::string_view line, std::uint64_t number)
      : file_(file), element_(element), line_(line), rest_(line), number_(number) {
    skip_blank();
  }

  std::uint64_t number() const { return number_; }

  std::string_view word(const ply_property& p) {
    if (rest_.empty()) bad(p, "a value", "the end of the line");
    std::size_t end = 0;
    while (end < rest_.size() && !is_blank(rest_[end])) ++end;
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip_blank();
    return word;
  }

  void value(const ply_property& p, std::byte* to);
  void step_over_list(const ply_property& p);

  /// All of the line.
  std::string_view line() const { return line_; }

  /// Fails unless it ends here.
  void end() const;

 private:
  static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  void skip_blank() {
    std::size_t at = 0;
    while (at < rest_.size() && is_blank(rest_[at])) ++at;
    rest_.remove_prefix(at);
  }

  [[noreturn]] void bad(const ply_property& p, std::string_view expected, std::string_view got) const;

  const std::string& file_;
  const std::string& element_;
  std::string_view line_, rest_;
  std::uint64_t number_ = 0;
};

/// Reads all rows of an element, on some threads.
void read_ascii_rows(input_file& file, const ply_element& element, const std::vector<ply_destination>& to);

}  // namespace upsweep::apps
