// Lines of text as records.
#include <algorithm>
#include <string_view>

#include "csv_column.hpp"
#include "csv_rows.hpp"
#include "failure.hpp"
#include "records.hpp"

namespace upsweep::apps {
namespace {

/// A field of a line of text, from 1; 0 for all of it. '\0': fields are separated by blanks.
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

}  // namespace

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
  const auto read = [&](std::size_t first, std::size_t last, std::vector<csv_part>& parts) {
    for (std::size_t i = first; i < last; ++i) {
      const std::string_view number = field_of(
          without_blanks(without_end(text.substr(rows.ends[i], rows.ends[i + 1] - rows.ends[i]))), field, delimiter);
      if (parts[0].add(number)) continue;
      const std::string where = field == 0 ? "" : fmt::format(" in field {}", field);
      fail(exit_code::bad_input, "{}: line {}: got \"{}\"; expected a number{}", file.name(), i + 1,
           number.substr(0, 60), where);
    }
  };
  read_rows(columns, 0, rows.ends.size() - 1, 1.0, read);
  columns[0].move_to(particles);
  return rows;
}

}  // namespace upsweep::apps
