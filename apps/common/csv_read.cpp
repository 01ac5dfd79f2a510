#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "csv_column.hpp"
#include "csv_rows.hpp"
#include "failure.hpp"
#include "field_ends.hpp"
#include "records.hpp"
#include "text.hpp"
#include "text_numbers.hpp"
#include "unpacked_whole.hpp"

namespace upsweep::apps {
namespace {

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
    fail(exit_code::bad_input, "{}: line 1: got {}; expected the names of the columns", file,
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

/// The number of the line that begins there, from 1.
std::uint64_t line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<std::uint64_t>(std::ranges::count(text.substr(0, at), '\n'));
}

/// Some programs end lines so; those who look at what comes out may take it for one line.
[[noreturn]] void fail_at_return(const std::string& file, std::uint64_t line) {
  fail(exit_code::bad_input,
       "{}: line {}: got a carriage return alone; expected lines that end in \\n or \\r\\n (tr '\\r' '\\n' makes them)",
       file, line);
}

/// Rows of text without quotes that have as many fields as the first line: some KiB of them at a time, column by
/// column.
class plain_rows {
 public:
  plain_rows(std::string_view text, const record_rows& rows, std::size_t fields)
      : text_(text), row_ends_(rows.ends), delimiter_(rows.delimiter), fields_(fields) {}

  /// Takes what the columns have in some rows from `i` on, the next one or the first one of all, but none from `last`
  /// on; returns how many rows. None where row `i` must be looked at by itself.
  std::size_t add(std::size_t i, std::size_t last, const std::vector<csv_column>& columns,
                  std::vector<csv_part>& parts) {
    if (i >= found_) find(i, last);
    while (next_ != ends_.end() && begin_ + *next_ < row_ends_[i]) ++next_;
    std::size_t count = row_ends_[i] < short_number_room ? 0 : plain_from(i);
    const char* const text = text_.data() + begin_;
    for (std::size_t c = 0; c < columns.size() && count > 0; ++c) {
      const std::size_t fields = fields_;
      const std::uint32_t* const ends = next_ + columns[c].field();
      const std::uint32_t* const in_front = ends - 1;  // ends of the fields in front
      const auto field = [=](std::size_t row, const char*& from, const char*& to) {
        from = text + static_cast<std::uint32_t>(in_front[row * fields] + 1);
        to = text + ends[row * fields];
      };
      const auto last_field = [=](std::size_t row, const char*& from, const char*& to) {
        field(row, from, to);
        if (to > from && to[-1] == '\r') --to;
      };
      const bool is_last = columns[c].field() + 1 == fields;
      count = is_last ? parts[c].add_fields(count, last_field) : parts[c].add_fields(count, field);
    }
    for (csv_part& part : parts) part.keep_first(i + count);
    next_ += count * fields_;
    return count;
  }

 private:
  /// Where the fields end of rows from `i` on.
  void find(std::size_t i, std::size_t last) {
    begin_ = row_ends_[i];
    found_ = i + 1;
    while (found_ < last && row_ends_[found_ + 1] - begin_ <= field_ends::most_bytes) ++found_;
    const std::size_t bytes = std::min<std::size_t>(row_ends_[found_] - begin_, field_ends::most_bytes);
    ends_.find(text_.substr(begin_, bytes), delimited{delimiter_});
    next_ = ends_.begin();
  }
  /// How many rows there are from `i` on that have as many fields.
  std::size_t plain_from(std::size_t i) const {
    const std::uint32_t* end = next_;
    std::size_t row = i;
    for (; row < found_ && ends_.end() - end > static_cast<std::ptrdiff_t>(fields_); ++row) {
      end += fields_;
      if (begin_ + end[-1] + 1 != row_ends_[row + 1]) break;
    }
    return row - i;
  }

  const std::string_view text_;
  const growing_array<std::uint64_t>& row_ends_;
  const char delimiter_;
  const std::size_t fields_;
  field_ends ends_;
  std::uint64_t begin_ = 0;              ///< of the text that they are found in
  std::size_t found_ = 0;                ///< before this row
  const std::uint32_t* next_ = nullptr;  ///< the first end of the next row
};

/// How many rows decide on which columns have dates.
constexpr std::size_t rows_of_dates = 1024;

/// Tells columns of dates by the first texts that are not missing, where the first rows have one.
void look_for_dates(const record_rows& rows, csv_reader reader, std::vector<csv_column>& columns) {
  std::vector<csv_column*> unknown;
  for (csv_column& c : columns) unknown.push_back(&c);
  for (std::size_t i = 0; i < std::min(rows_of_dates, rows.ends.size() - 1) && !unknown.empty(); ++i) {
    reader.go_to(rows.ends[i]);
    std::string_view row = without_end(reader.next_row());
    std::vector<std::string> fields;
    while (const auto field = reader.next_field(row, rows.delimiter)) fields.emplace_back(without_blanks(*field));
    std::erase_if(unknown, [&](csv_column* c) { return c->field() < fields.size() && c->look_at(fields[c->field()]); });
  }
}

/// The text of a file: all of it at once or, of what is decompressed meanwhile, some MiB more at a time.
class csv_text {
 public:
  explicit csv_text(input_file& file) : file_(file) {}

  /// Takes more, and shows it to a reader.
  void take_more(csv_reader& reader) {
    if (unpacked_ == nullptr && parts_.size() == 0) {
      unpacked_ = file_.unpack_whole([this](std::size_t bytes) {
        parts_.reserve(bytes);
        return parts_.data();
      });
    }
    if (unpacked_ == nullptr && !file_.is_unpacked()) {
      whole_ = file_.take(static_cast<std::size_t>(file_.remaining()));
      return reader.see({whole_.as<char>(), whole_.bytes()}, true);
    }
    constexpr std::size_t step = std::size_t{4} << 20;
    const std::size_t before = parts_.size();
    if (unpacked_ != nullptr) {
      constexpr std::size_t ahead = std::size_t{64} << 20;
      const std::size_t wanted = std::min(before + step, parts_.room()), busy = unpacked_->is_busy() ? 1 : 0;
      // The thread that decompresses takes longer than this one, and would make them otherwise.
      parts_.make_pages_for(std::min(before + ahead, parts_.room()));
      parts_.resize(wanted);
      const std::size_t there = std::min(unpacked_->wait_for(wanted), wanted);
      parts_.resize(there);
      file_.reach(there);
      return reader.see({reinterpret_cast<const char*>(parts_.data()), there}, there < wanted || there == parts_.room(),
                        busy);
    }
    const std::size_t busy = file_.busy_cores();
    if (before + step > parts_.room()) parts_.reserve(std::max<std::size_t>(file_.likely_bytes(), 2 * before) + step);
    parts_.resize(before + step);
    const std::size_t got = file_.read_part(parts_.data() + before, step);
    parts_.resize(before + got);
    reader.see({reinterpret_cast<const char*>(parts_.data()), parts_.size()}, got < step, busy);
  }
  byte_array take() { return whole_.data() != nullptr ? std::move(whole_) : parts_.take(); }

 private:
  input_file& file_;
  byte_array whole_;
  growing_array<std::byte> parts_;
  std::unique_ptr<unpacked_whole> unpacked_;  ///< into the parts
};

}  // namespace

record_rows read_csv(input_file& file, char delimiter, const wanted_columns& wanted, particle_table& particles,
                     const column_types& types) {
  record_rows rows;
  csv_text source(file);
  csv_reader reader(file.name());
  do {
    source.take_more(reader);
    rows.head = reader.next_row();
  } while (rows.head.empty() && !reader.is_complete());
  if (rows.head.empty()) fail(exit_code::bad_input, "{}: empty; expected a line of column names", file.name());
  if (!rows.head.ends_with('\n')) rows.head += '\n';
  rows.delimiter = delimiter == '\0' ? delimiter_of(rows.head) : delimiter;
  if (without_end(rows.head).find('\r') != rows.head.npos && !reader.has_quotes()) {
    fail_at_return(file.name(), 1);
  }
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
  const auto read = [&](std::size_t first, std::size_t last, std::vector<csv_part>& parts) {
    const std::string_view text = reader.text();
    csv_reader share = reader;
    plain_rows plain(text, rows, names.size());
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t added = 1; !reader.has_quotes() && i < last && added > 0; i += added) {
        added = plain.add(i, last, columns, parts);
      }
      if (i == last) break;
      share.go_to(rows.ends[i]);
      std::string_view row = without_end(share.next_row());
      std::size_t field = 0;
      for (std::size_t c = 0; c < columns.size(); ++c) {
        std::optional<std::string_view> found;
        for (; field <= columns[c].field(); ++field) found = share.next_field(row, rows.delimiter);
        const std::string_view number = without_blanks(found.value_or(""));
        if (found && (parts[c].is_dropped() || parts[c].add(number))) continue;
        if (found && wanted.all && !columns[c].has_given_type()) {
          parts[c].drop();
          continue;
        }
        if (number.find('\r') != number.npos) {
          fail_at_return(file.name(), line_of(text, rows.ends[i]) + share.line() - 1);
        }
        const std::string came = found ? fmt::format("\"{}\"", number.substr(0, 60)) : "the end of the line";
        fail(exit_code::bad_input, "{}: line {}: column \"{}\": got {}; expected {}", file.name(),
             line_of(text, rows.ends[i]) + share.line() - 1, columns[c].name(), came,
             found ? columns[c].expected() : fmt::format("{} columns, as in line 1", names.size()));
      }
    }
  };
  for (std::size_t done = 0;; source.take_more(reader)) {
    reader.find_rows(rows.ends);
    const std::size_t count = rows.ends.size() - 1;
    if (count < rows_of_dates && !reader.is_complete()) continue;
    if (done == 0) look_for_dates(rows, reader, columns);
    const double part = static_cast<double>(reader.text().size()) / static_cast<double>(file.likely_bytes());
    read_rows(columns, done, count, reader.is_complete() ? 1.0 : part, read, reader.busy_cores());
    done = count;
    if (reader.is_complete()) break;
  }
  particles.count = static_cast<std::int64_t>(rows.ends.size() - 1);
  for (csv_column& c : columns) c.move_to(particles);
  rows.bytes = source.take();
  return rows;
}

}  // namespace upsweep::apps
