#include "ply_ascii.hpp"

#include <algorithm>

#include "failure.hpp"
#include "field_ends.hpp"
#include "ply_values.hpp"
#include "share_rows.hpp"

namespace upsweep::apps {

ascii_row::ascii_row(input_file& file, const std::string& element) : file_(file.name()), element_(element) {
  constexpr std::size_t longest_line = std::size_t{1} << 30;
  do {
    const auto line = file.line(longest_line);
    if (!line) fail(exit_code::bad_input, "{}: ends inside element \"{}\"", file_, element);
    line_ = rest_ = *line;
    skip_blank();
  } while (rest_.empty());
  number_ = file.line_number();
}

void ascii_row::value(const ply_property& p, std::byte* to) {
  const std::string_view text = word(p);
  const text_number how = parse_ply_value(p.type, text, to);
  if (how == text_number::taken) return;
  const std::string_view what = how == text_number::too_large ? "in the range of" : "of type";
  bad(p, fmt::format("a value {} {}", what, name_of(p.type)), text);
}

void ascii_row::step_over_list(const ply_property& p) {
  const std::string_view text = word(p);
  alignas(8) std::byte raw[8];
  if (parse_ply_value(p.count_type, text, raw) != text_number::taken) bad(p, "a list's count", text);
  const double count = ply_value_as_double(p.count_type, raw);
  if (count < 0) bad(p, "a list's count", text);
  for (double i = 0; i < count; ++i) static_cast<void>(word(p));
}

void ascii_row::end() const {
  if (rest_.empty()) return;
  fail(exit_code::bad_input, "{}: line {}: element \"{}\": expected the end of the line; got \"{}\"", file_, number_,
       element_, rest_.substr(0, 60));
}

void ascii_row::bad(const ply_property& p, std::string_view expected, std::string_view got) const {
  fail(exit_code::bad_input, "{}: line {}: property \"{}\" of element \"{}\": expected {}; got \"{}\"", file_, number_,
       p.name, element_, expected, got.substr(0, 60));
}

namespace {

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Lines of rows that several threads make numbers of.
struct ascii_batch {
  struct line {
    const char* begin;
    std::size_t size;
    std::uint64_t number;
    std::string_view text() const { return {begin, size}; }
  };
  std::string_view text;  ///< up to the end of what is ahead
  std::vector<line> lines;
  std::size_t busy = 0;      ///< cores that have other work
  std::size_t bytes = 0;     ///< of all these lines, and of blank ones among them
  std::uint64_t passed = 0;  ///< how many those are

  /// Finds some MiB of rows, or all that are left.
  void find(input_file& file, const std::string& element, std::uint64_t most) {
    constexpr std::size_t about = std::size_t{4} << 20, longest_line = std::size_t{1} << 30;
    busy = file.busy_cores();
    text = file.lines_ahead(about, longest_line);
    if (text.empty()) fail(exit_code::bad_input, "{}: ends inside element \"{}\"", file.name(), element);
    lines.clear();
    bytes = passed = 0;
    while (bytes < text.size() && lines.size() < most) {
      const std::size_t end = std::min(text.find(file.line_end(), bytes), text.size());
      line found{text.data() + bytes, end - bytes, file.line_number() + ++passed};
      if (found.size > 0 && found.begin[found.size - 1] == '\r') --found.size;
      if (!std::all_of(found.begin, found.begin + found.size, is_blank)) lines.push_back(found);
      bytes = std::min(end + 1, text.size());
    }
  }
};

/// Rows of short numbers.
class short_lines {
 public:
  short_lines(const ascii_batch& batch, const std::vector<ply_destination>& to) : batch_(batch), to_(to) {}

  /// Takes the values of line `i`, the next one or the first one of all, of those before `last`, for a row. False
  /// where another reader must look at it; it tells what is wrong, too.
  bool take(std::size_t i, std::size_t last, std::uint64_t row) {
    if (i >= found_) find(i, last);
    const ascii_batch::line& line = batch_.lines[i];
    const char* at = line.begin;
    const char* const end = line.begin + line.size;
    if (end > begin_ + bytes_ || at - batch_.text.data() < short_number_room) return false;
    // The last end of all is not before that of the line.
    while (begin_ + *next_ < at) ++next_;
    for (const ply_destination& d : to_) {
      while (begin_ + *next_ == at && at < end) ++next_, ++at;
      if (at == end || d.column == nullptr) return false;
      const char* const word_end = begin_ + *next_;
      const scalar_type type = d.property.type;
      if (!take_short_value(type, at, word_end, d.column + row * size_of(type))) return false;
      at = word_end;
    }
    return std::all_of(at, end, is_blank);
  }

 private:
  /// Where the words end of lines from `i` on.
  void find(std::size_t i, std::size_t last) {
    const auto end_of = [&](std::size_t line) { return batch_.lines[line].begin + batch_.lines[line].size; };
    begin_ = batch_.lines[i].begin;
    found_ = i + 1;
    while (found_ < last && end_of(found_) - begin_ <= static_cast<std::ptrdiff_t>(field_ends::most_bytes)) ++found_;
    bytes_ = std::min(static_cast<std::size_t>(end_of(found_ - 1) - begin_), field_ends::most_bytes);
    ends_.find({begin_, bytes_}, blanks());
    next_ = ends_.begin();
  }

  const ascii_batch& batch_;
  const std::vector<ply_destination>& to_;
  field_ends ends_;
  std::size_t found_ = 0, bytes_ = 0;    ///< before this line, and their bytes
  const char* begin_ = nullptr;          ///< of these
  const std::uint32_t* next_ = nullptr;  ///< the end of the next word
};

}  // namespace

void read_ascii_rows(input_file& file, const ply_element& element, const std::vector<ply_destination>& to) {
  ascii_batch batch;
  for (std::uint64_t row = 0; row < element.count; row += batch.lines.size()) {
    batch.find(file, element.name, element.count - row);
    const auto read_share = [&](std::size_t first, std::size_t last) {
      short_lines short_ones(batch, to);
      for (std::size_t i = first; i < last; ++i) {
        const ascii_batch::line& line = batch.lines[i];
        if (short_ones.take(i, last, row + i)) continue;
        ascii_row words(file.name(), element.name, line.text(), line.number);
        for (const ply_destination& d : to) {
          if (d.property.is_list) {
            words.step_over_list(d.property);
          } else if (d.column) {
            words.value(d.property, d.column + (row + i) * size_of(d.property.type));
          } else {
            static_cast<void>(words.word(d.property));
          }
        }
        words.end();
      }
    };
    share_rows(batch.lines.size(), read_share, least_rows, batch.busy);
    file.consume_lines(batch.bytes, batch.passed);
  }
}

}  // namespace upsweep::apps
