#include "ply_ascii.hpp"

#include <exception>

#include "failure.hpp"
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

/// Lines of rows that several threads make numbers of.
struct ascii_batch {
  struct line {
    std::size_t begin, size;
    std::uint64_t number;
  };
  std::string text;
  std::vector<line> lines;

  /// Takes rows until it is full, or there are no more.
  void fill(input_file& file, const std::string& element, std::uint64_t most) {
    constexpr std::size_t most_bytes = std::size_t{8} << 20;
    text.clear();
    lines.clear();
    while (lines.size() < most && text.size() < most_bytes) {
      const ascii_row row(file, element);
      lines.push_back({text.size(), row.line().size(), row.number()});
      text += row.line();
    }
  }
};

}  // namespace

void read_ascii_rows(input_file& file, const ply_element& element, const std::vector<ply_destination>& to) {
  ascii_batch batch;
  for (std::uint64_t row = 0; row < element.count; row += batch.lines.size()) {
    std::exception_ptr ends_here;  // behind rows that may be wrong, and come first
    try {
      batch.fill(file, element.name, element.count - row);
    } catch (const failure&) {
      ends_here = std::current_exception();
    }
    share_rows(batch.lines.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const ascii_batch::line& line = batch.lines[i];
        ascii_row words(file.name(), element.name, std::string_view(batch.text).substr(line.begin, line.size),
                        line.number);
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
    });
    if (ends_here) std::rethrow_exception(ends_here);
  }
}

}  // namespace upsweep::apps
