#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "failure.hpp"
#include "records.hpp"
#include "text_numbers.hpp"

namespace upsweep::apps {
namespace {

std::string_view without_blanks(std::string_view field) {
  constexpr std::string_view blank = " \t\r";
  field.remove_prefix(std::min(field.find_first_not_of(blank), field.size()));
  return field.substr(0, field.find_last_not_of(blank) + 1);
}

/// The numbers of a column, of the narrowest type that has held all of them so far.
class csv_column {
 public:
  csv_column(std::string name, std::size_t field) : name_(std::move(name)), field_(field) {}

  const std::string& name() const { return name_; }
  std::size_t field() const { return field_; }
  /// Makes room for so many more.
  void expect(std::size_t rows) { values_.reserve(rows); }

  /// False where the text is no number.
  bool add(std::string_view text) {
    if (type_ != scalar_type::f64) {
      const bool is_signed = type_ == scalar_type::i64;
      std::int64_t whole = 0;
      std::uint64_t natural = 0;
      if (is_signed && parse_number(text, whole) == text_number::taken) {
        values_.push_back(static_cast<std::uint64_t>(whole));
        has_negative_ |= whole < 0;
        return true;
      }
      if (!has_negative_ && parse_number(text, natural) == text_number::taken) {
        type_ = scalar_type::u64;
        values_.push_back(natural);
        return true;
      }
      become_real();
    }
    double real = std::numeric_limits<double>::quiet_NaN();
    if (!is_missing(text) && parse_number(text, real) != text_number::taken) return false;
    push(real);
    return true;
  }

  /// Makes it the next column of a table of `count` rows, as many as were added.
  void move_to(particle_table& table) {
    table_column& to = table.add(name_, type_);
    if (!values_.empty()) std::memcpy(to.data.data(), values_.data(), to.data.bytes());
    values_ = {};
  }

 private:
  static bool is_missing(std::string_view text) {
    return text.empty() || text == "NA" || text == "N/A" || text == "null" || text == "NULL";
  }
  void push(double real) { values_.push_back(std::bit_cast<std::uint64_t>(real)); }
  void become_real() {
    for (std::uint64_t& v : values_) {
      const double real =
          type_ == scalar_type::i64 ? static_cast<double>(static_cast<std::int64_t>(v)) : static_cast<double>(v);
      v = std::bit_cast<std::uint64_t>(real);
    }
    type_ = scalar_type::f64;
  }

  std::string name_;
  std::size_t field_;
  scalar_type type_ = scalar_type::i64;
  bool has_negative_ = false;
  std::vector<std::uint64_t> values_;
};

class csv_reader {
 public:
  csv_reader(const std::string& file, std::string_view text) : file_(file), text_(text) {
    has_quotes_ = std::memchr(text.data(), '"', text.size()) != nullptr;
  }

  /// The next row with its end, whose fields may go over several lines. Empty at the end of the text.
  std::string_view next_row() {
    ++line_;
    const std::string_view rest = text_.substr(at_);
    std::size_t end = rest.find('\n');
    if (has_quotes_) {
      bool quoted = false;
      const std::uint64_t first = line_;
      for (end = 0; end < rest.size() && (quoted || rest[end] != '\n'); ++end) {
        if (rest[end] == '"') quoted = !quoted;
        if (rest[end] == '\n') ++line_;
      }
      if (quoted) {
        fail(exit_code::bad_input, "{}: line {}: expected a quote behind the text of a field; came the end of the file",
             file_, first);
      }
    }
    const std::string_view row = rest.substr(0, end == rest.npos ? end : end + 1);
    at_ += row.size();
    return row;
  }

  std::uint64_t line() const { return line_; }
  std::size_t at() const { return at_; }

  /// The first field of a row, which is taken off it with the delimiter behind; its quotes are gone, and two in it are
  /// one. Valid until the next call. Nothing when there is none.
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
      // What comes behind the quote belongs to the field too.
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
  const std::string& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 0;
  bool has_quotes_;
  std::string unquoted_;
};

std::string_view without_end(std::string_view row) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  if (row.ends_with('\r')) row.remove_suffix(1);
  // A field of a row that is not null.
  return row.data() == nullptr ? std::string_view("") : row;
}

char delimiter_of(std::string_view head) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char c : {'\t', ',', ';'}) {
    bool quoted = false;
    const auto count = std::ranges::count_if(head, [&](char h) {
      quoted ^= h == '"';
      return h == c && !quoted;
    });
    if (count > most) {
      most = count;
      best = c;
    }
  }
  return best;
}

std::vector<std::string> names_in_head(csv_reader& reader, std::string_view head, char delimiter,
                                       const std::string& file) {
  std::vector<std::string> names;
  std::string_view row = without_end(head);
  bool are_numbers = true;
  while (const auto field = reader.next_field(row, delimiter)) {
    names.emplace_back(without_blanks(*field));
    double number = 0;
    are_numbers &= parse_number(std::string_view(names.back()), number) == text_number::taken;
    if (names.size() > most_columns) {
      fail(exit_code::bad_input, "{}: line 1: expected at most {} columns", file, most_columns);
    }
  }
  if (are_numbers) {
    fail(exit_code::bad_input, "{}: line 1: came {}; expected the names of the columns", file,
         list_text(names).substr(0, 60));
  }
  std::set<std::string> different;
  for (const std::string& name : names) {
    if (!different.insert(name).second) {
      fail(exit_code::bad_input, "{}: line 1: two columns are called \"{}\"; expected different names", file, name);
    }
  }
  return names;
}

}  // namespace

record_rows read_csv(input_file& file, char delimiter, const wanted_columns& wanted, particle_table& particles) {
  record_rows rows;
  rows.bytes = byte_array(static_cast<std::size_t>(file.remaining()));
  file.read(rows.bytes.data(), rows.bytes.bytes());
  const std::string_view text(rows.bytes.as<char>(), rows.bytes.bytes());
  if (text.empty()) fail(exit_code::bad_input, "{}: empty; expected a line of column names", file.name());
  if (text.find('\0') != text.npos) {
    fail(exit_code::bad_input, "{}: byte {} is 0; expected text", file.name(), text.find('\0'));
  }
  csv_reader reader(file.name(), text);
  rows.head = reader.next_row();
  if (!rows.head.ends_with('\n')) rows.head += '\n';
  rows.delimiter = delimiter == '\0' ? delimiter_of(rows.head) : delimiter;
  const std::vector<std::string> names = names_in_head(reader, rows.head, rows.delimiter, file.name());
  const std::uint64_t head_end = reader.at();
  rows.ends.push_back(head_end);

  std::vector<csv_column> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (wanted.has(names[i])) {
      columns.emplace_back(names[i], i);
    } else {
      particles.others.push_back(names[i]);
    }
  }
  while (reader.at() < text.size()) {
    const std::string_view whole = reader.next_row();
    std::string_view row = without_end(whole);
    if (without_blanks(row).empty()) {
      // A line without a field is passed over, and part of the row in front.
      rows.ends.back() = reader.at();
      continue;
    }
    // How long rows are, the first one tells about.
    if (rows.ends.size() == 1) {
      const std::size_t about =
          (text.size() - head_end) / std::max<std::size_t>(1, whole.size() - whole.size() / 4) + 1;
      rows.ends.reserve(about);
      for (csv_column& c : columns) c.expect(about);
    }
    std::size_t field = 0;
    for (std::size_t c = 0; c < columns.size();) {
      std::optional<std::string_view> found;
      for (; field <= columns[c].field(); ++field) found = reader.next_field(row, rows.delimiter);
      const std::string_view number = without_blanks(found.value_or(""));
      if (found && columns[c].add(number)) {
        ++c;
        continue;
      }
      if (!wanted.all || !found) {
        const std::string came = found ? fmt::format("\"{}\"", number.substr(0, 60)) : "the end of the line";
        fail(exit_code::bad_input, "{}: line {}: column \"{}\": came {}; expected {}", file.name(), reader.line(),
             columns[c].name(), came, found ? "a number" : fmt::format("{} columns, as in line 1", names.size()));
      }
      particles.others.push_back(columns[c].name());
      columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
    }
    rows.ends.push_back(reader.at());
  }
  particles.count = static_cast<std::int64_t>(rows.ends.size() - 1);
  for (csv_column& c : columns) c.move_to(particles);
  return rows;
}

record_rows read_lines(input_file& file, char delimiter, std::size_t field, const std::string& name,
                       particle_table& particles) {
  record_rows rows;
  rows.bytes = byte_array(static_cast<std::size_t>(file.remaining()));
  file.read(rows.bytes.data(), rows.bytes.bytes());
  const std::string_view text(rows.bytes.as<char>(), rows.bytes.bytes());
  rows.ends.push_back(0);
  csv_column column(name, field);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    std::string_view number = without_blanks(without_end(text.substr(at, end - at)));
    for (std::size_t f = 1; f < field && !number.empty(); ++f) {
      const std::size_t next = delimiter == '\0' ? number.find_first_of(" \t") : number.find(delimiter);
      number = next == number.npos ? std::string_view() : number.substr(next + 1);
      if (delimiter == '\0') number = without_blanks(number);
    }
    if (field > 0) {
      number =
          without_blanks(number.substr(0, delimiter == '\0' ? number.find_first_of(" \t") : number.find(delimiter)));
    }
    if (!column.add(number)) {
      const std::string where = field == 0 ? "" : fmt::format(" in field {}", field);
      fail(exit_code::bad_input, "{}: line {}: came \"{}\"; expected a number{}", file.name(), rows.ends.size(),
           number.substr(0, 60), where);
    }
    rows.ends.push_back(at = end);
  }
  particles.count = static_cast<std::int64_t>(rows.ends.size() - 1);
  column.move_to(particles);
  return rows;
}

}  // namespace upsweep::apps
