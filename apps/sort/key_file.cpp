#include "key_file.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "failure.hpp"
#include "foreign_formats.hpp"
#include "growing_array.hpp"
#include "key_types.hpp"
#include "text.hpp"
#include "text_numbers.hpp"
#include "upsweep/sort/runtime.hpp"
#include "zip_archive.hpp"

namespace upsweep::apps {
namespace {

std::int64_t count_of_raw(input_file& file, scalar_type type) {
  if (begins_as_npy(file)) {
    fail(exit_code::bad_input,
         "{}: an npy file; expected bare numbers of type {} (without --type it is read as what it is)", file.name(),
         name_of(type));
  }
  const std::uint64_t bytes = file.remaining(), item = size_of(type);
  if (bytes % item != 0) {
    fail(exit_code::bad_input, "{}: {} bytes; expected a multiple of {}, the bytes of a {}", file.name(), bytes, item,
         name_of(type));
  }
  return static_cast<std::int64_t>(bytes / item);
}

npy_header read_npy_header_of_keys(input_file& file) {
  if (begins_as_zip(file.ahead(4))) {
    fail(exit_code::bad_input,
         "{}: a zip archive, as .npz is; expected an npy file, or --by NAME, which sorts all arrays", file.name());
  }
  refuse_foreign_format(file, "expected an npy file, or --by NAME for what has properties");
  constexpr std::size_t least_bytes = 10;  // of an npy file
  if (!begins_as_npy(file) && file.ahead(least_bytes).size() >= least_bytes) {
    fail(exit_code::bad_input,
         "{}: {}; expected an npy file, --by NAME for PLY and CSV, --text for a number a line, or --type for bare "
         "numbers",
         file.name(), begins_as_text(file) ? "text" : "neither npy nor text");
  }
  if (begins_as_structures(file)) {
    std::vector<std::string> fields;
    for (const npy_field& field : read_npy_structures(file).fields) fields.push_back(field.name);
    fail(exit_code::bad_input, "{}: an npy file of structures; add --by FIELD, of {}", file.name(), list_text(fields));
  }
  npy_header header = read_npy_header(file);
  check_npy_vector(file, header, runtime::sort_key_types());
  return header;
}

std::string_view without_blanks(std::string_view line) {
  constexpr std::string_view blank = " \t\r\v\f";
  line.remove_prefix(std::min(line.find_first_not_of(blank), line.size()));
  return line.substr(0, line.find_last_not_of(blank) + 1);
}

/// The number that is all of a line but the blanks around it.
template <class Number>
Number number_in(const input_file& file, std::string_view text) {
  Number number{};
  const text_number how = parse_number(text, number);
  if (how == text_number::taken) return number;
  constexpr scalar_type type = scalar_type_of<Number>();
  fail(exit_code::bad_input, "{}: line {}: got \"{}\"{}; expected one number of type {}{}", file.name(),
       file.line_number(), text, how == text_number::too_large ? ", which is out of range" : "", name_of(type),
       type == scalar_type::f64 ? "" : " (--type names another, as f64)");
}

/// A number a line. What editors and other systems leave is passed over: a byte order mark, lines without a number.
npy_vector read_text(input_file& file, scalar_type type) {
  constexpr std::size_t longest_line = 4096;
  npy_vector keys;
  file.pass_byte_order_mark();
  sorted_types::visit(type, [&]<class Number>(Number) {
    growing_array<Number> numbers;
    while (const auto line = file.line(longest_line)) {
      const std::string_view text = without_blanks(*line);
      if (!text.empty()) numbers.push_back(number_in<Number>(file, text));
    }
    const auto count = static_cast<std::int64_t>(numbers.size());
    keys = {type, count, numbers.take()};
  });
  return keys;
}

template <class Number>
void write_text(output_file& file, const Number* numbers, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    char line[64];
    char* const end = std::to_chars(line, line + sizeof line - 1, numbers[i]).ptr;
    *end = '\n';
    file.write(line, static_cast<std::size_t>(end + 1 - line));
  }
}

}  // namespace

keys_ahead read_key_header(input_file& file, key_format format, scalar_type type) {
  if (format == key_format::raw) return {type, count_of_raw(file, type)};
  const npy_header header = read_npy_header_of_keys(file);
  return {header.type, count_of_vector(header), header.big_endian, descr_of_vector(header)};
}

npy_vector read_keys(input_file& file, key_format format, scalar_type type) {
  if (format == key_format::text) return read_text(file, type);
  if (format == key_format::npy) return read_npy_vector(file, read_npy_header_of_keys(file));
  const std::int64_t count = count_of_raw(file, type);
  return {type, count, file.take(static_cast<std::size_t>(count) * size_of(type))};
}

void write_keys(output_file& file, key_format format, scalar_type type, const void* data, std::int64_t count,
                const std::string& descr) {
  switch (format) {
    case key_format::npy:
      if (!descr.empty()) {
        write_npy_header(file, descr, false, {static_cast<std::uint64_t>(count)});
        return file.write(data, static_cast<std::size_t>(count) * size_of(type));
      }
      return write_npy_vector(file, type, data, count);
    case key_format::raw:
      return file.write(data, static_cast<std::size_t>(count) * size_of(type));
    case key_format::text:
      sorted_types::visit(type,
                          [&]<class Number>(Number) { write_text(file, static_cast<const Number*>(data), count); });
  }
}

}  // namespace upsweep::apps
