#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>

#include "csv_column.hpp"
#include "failure.hpp"
#include "records.hpp"
#include "share_rows.hpp"
#include "text.hpp"
#include "text_numbers.hpp"

namespace upsweep::apps {
namespace {

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

  /// Of the row that came last.
  std::uint64_t line() const { return line_; }
  std::size_t at() const { return at_; }
  bool has_quotes() const { return has_quotes_; }
  /// The next row begins there. Lines are counted as if it were the first.
  void go_to(std::size_t at) {
    at_ = at;
    line_ = 0;
  }

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

/// A field of a line of text, from 1; 0 for all of it. '\0': blanks stand between fields.
std::string_view field_of(std::string_view line, std::size_t field, char delimiter) {
  if (field == 0) return line;
  const auto end_in = [&](std::string_view rest) {
    return delimiter == '\0' ? rest.find_first_of(" \t") : rest.find(delimiter);
  };
  for (std::size_t f = 1; f < field && !line.empty(); ++f) {
    const std::size_t next = end_in(line);
    line = next == line.npos ? std::string_view() : line.substr(next + 1);
    if (delimiter == '\0') line = without_blanks(line);
  }
  return without_blanks(line.substr(0, end_in(line)));
}

/// Where each row ends, and so the next one begins. A line without a field is part of the row in front.
void find_rows(csv_reader& reader, std::string_view text, growing_array<std::uint64_t>& ends) {
  const std::size_t begin = reader.at();
  while (reader.at() < text.size()) {
    const std::string_view row = reader.next_row();
    if (without_blanks(without_end(row)).empty()) {
      ends.back() = reader.at();
      continue;
    }
    ends.push_back(reader.at());
    // How many rows there are, the first ones tell about; one alone may be far shorter than most.
    constexpr std::size_t first_rows = 1024;
    if (ends.size() != first_rows + 1) continue;
    const std::size_t row_bytes = std::max<std::size_t>(1, (reader.at() - begin) * 3 / 4 / first_rows);
    ends.reserve((text.size() - begin) / row_bytes + 2);
  }
}

/// The number of the line that begins there, from 1.
std::uint64_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::uint64_t>(std::ranges::count(text.substr(0, at), '\n'));
}

/// Takes the short numbers that the columns have in a row without quotes; returns how many columns, from the first one
/// on, have got theirs. `end` is that of the text.
std::size_t add_short_fields(std::string_view row, const char* end, char delimiter,
                             const std::vector<csv_column>& columns, std::vector<csv_part>& parts) {
  const char* at = row.data();
  const char* const row_end = at + row.size();
  std::size_t field = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (; field < columns[c].field(); ++field) {
      if (at == row_end) return c;
      if (*at != delimiter) {
        at = static_cast<const char*>(std::memchr(at, delimiter, static_cast<std::size_t>(row_end - at)));
        if (at == nullptr) return c;
      }
      ++at;
    }
    if (parts[c].is_dropped()) continue;
    while (at < row_end && *at == ' ') ++at;
    short_decimal number;
    if (end - at < static_cast<std::ptrdiff_t>(short_number_room) || !take_short_decimal(at, number)) return c;
    at += number.size;
    if (*at != delimiter && *at != '\n' && *at != '\r') return c;
    if (!parts[c].add(number)) return c;
  }
  return columns.size();
}

/// Reads the columns by read(first, last, parts) of shares of the rows, a part for each column; those that are dropped
/// are others of the table.
template <class Read>
void read_columns(std::vector<csv_column>& columns, const record_rows& rows, particle_table& particles,
                  const Read& read) {
  const std::size_t count = rows.ends.size() - 1;
  for (csv_column& c : columns) c.make_room(count);
  std::mutex mutex;
  std::vector<std::vector<csv_part>> of_column(columns.size());
  const auto read_share = [&](std::size_t first, std::size_t last) {
    std::vector<csv_part> parts;
    for (csv_column& c : columns) parts.emplace_back(c, first);
    read(first, last, parts);
    const std::lock_guard lock(mutex);
    for (std::size_t c = 0; c < columns.size(); ++c) of_column[c].push_back(parts[c]);
  };
  if (!columns.empty()) share_rows(count, read_share);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (std::ranges::any_of(of_column[c], &csv_part::is_dropped)) {
      particles.others.push_back(columns[c].name());
    } else {
      columns[c].move_to(particles, of_column[c]);
    }
  }
}

}  // namespace

record_rows read_csv(input_file& file, char delimiter, const wanted_columns& wanted, particle_table& particles,
                     const column_types& types) {
  record_rows rows;
  rows.bytes = file.take(static_cast<std::size_t>(file.remaining()));
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

  for (const auto& [name, type] : types) {
    if (std::ranges::find(names, name) != names.end()) continue;
    fail(exit_code::bad_input, "{}: line 1: no column \"{}\", whose type was given; it has {}", file.name(), name,
         list_text(names));
  }
  std::vector<csv_column> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (wanted.has(names[i])) {
      const auto type = types.find(names[i]);
      columns.emplace_back(names[i], i, type == types.end() ? std::nullopt : std::optional(type->second));
    } else {
      particles.others.push_back(names[i]);
    }
  }
  find_rows(reader, text, rows.ends);
  particles.count = static_cast<std::int64_t>(rows.ends.size() - 1);
  read_columns(columns, rows, particles, [&](std::size_t first, std::size_t last, std::vector<csv_part>& parts) {
    csv_reader share = reader;
    // A short number goes on over a delimiter that can be part of one.
    constexpr std::string_view of_numbers = " 0123456789+-.eE";
    const bool may_be_short = !reader.has_quotes() && of_numbers.find(rows.delimiter) == of_numbers.npos;
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view all = text.substr(rows.ends[i], rows.ends[i + 1] - rows.ends[i]);
      const std::size_t done =
          may_be_short ? add_short_fields(all, text.data() + text.size(), rows.delimiter, columns, parts) : 0;
      if (done == columns.size()) continue;
      share.go_to(rows.ends[i]);
      std::string_view row = without_end(share.next_row());
      std::size_t field = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        std::optional<std::string_view> found;
        for (; field <= columns[c].field(); ++field) found = share.next_field(row, rows.delimiter);
        const std::string_view number = without_blanks(found.value_or(""));
        if (c < done || (found && (parts[c].is_dropped() || parts[c].add(number)))) continue;
        if (found && wanted.all && !columns[c].given_type()) {
          parts[c].drop();
          continue;
        }
        const std::string came = found ? fmt::format("\"{}\"", number.substr(0, 60)) : "the end of the line";
        fail(exit_code::bad_input, "{}: line {}: column \"{}\": came {}; expected {}", file.name(),
             line_of(text, rows.ends[i]) + share.line() - 1, columns[c].name(), came,
             found ? columns[c].expected() : fmt::format("{} columns, as in line 1", names.size()));
      }
    }
  });
  return rows;
}

record_rows read_lines(input_file& file, char delimiter, std::size_t field, const std::string& name,
                       particle_table& particles) {
  record_rows rows;
  rows.bytes = file.take(static_cast<std::size_t>(file.remaining()));
  const std::string_view text(rows.bytes.as<char>(), rows.bytes.bytes());
  rows.ends.push_back(0);
  while (rows.ends.back() < text.size())
    rows.ends.push_back(std::min(text.find('\n', rows.ends.back()), text.size() - 1) + 1);
  particles.count = static_cast<std::int64_t>(rows.ends.size() - 1);
  std::vector<csv_column> columns;
  columns.emplace_back(name, field);
  read_columns(columns, rows, particles, [&](std::size_t first, std::size_t last, std::vector<csv_part>& parts) {
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view number = field_of(
          without_blanks(without_end(text.substr(rows.ends[i], rows.ends[i + 1] - rows.ends[i]))), field, delimiter);
      if (parts[0].add(number)) continue;
      const std::string where = field == 0 ? "" : fmt::format(" in field {}", field);
      fail(exit_code::bad_input, "{}: line {}: came \"{}\"; expected a number{}", file.name(), i + 1,
           number.substr(0, 60), where);
    }
  });
  return rows;
}

}  // namespace upsweep::apps
