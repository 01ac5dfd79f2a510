#include "key_file.hpp"

#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "failure.hpp"
#include "key_types.hpp"
#include "text.hpp"
#include "upsweep/sort/runtime.hpp"

namespace upsweep::apps {
namespace {

npy_vector read_raw(input_file& file, scalar_type type) {
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
  npy_vector keys{type, static_cast<std::int64_t>(bytes / item), byte_array(static_cast<std::size_t>(bytes))};
  file.read(keys.data.data(), keys.data.bytes());
  return keys;
}

template <class Number>
Number number_in(const input_file& file, std::string_view line) {
  constexpr std::string_view blank = " \t";
  std::string_view text = line;
  text.remove_prefix(std::min(text.find_first_not_of(blank), text.size()));
  text = text.substr(0, text.find_last_not_of(blank) + 1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    constexpr bool is_float = std::is_floating_point_v<Number>;
    fail(exit_code::bad_input, "{}: line {}: came \"{}\"; expected one number of type {}{}", file.name(),
         file.line_number(), one_line(line), name_of(scalar_type_of<Number>()),
         is_float ? "" : " (--type names another, as f64)");
  }
  return number;
}

npy_vector read_text(input_file& file, scalar_type type) {
  constexpr std::size_t longest_line = 4096;
  npy_vector keys;
  sorted_types::visit(type, [&]<class Number>(Number) {
    std::vector<Number> numbers;
    while (const auto line = file.line(longest_line)) numbers.push_back(number_in<Number>(file, *line));
    keys = {type, static_cast<std::int64_t>(numbers.size()), byte_array(numbers.size() * sizeof(Number))};
    if (!numbers.empty()) std::memcpy(keys.data.data(), numbers.data(), keys.data.bytes());
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

npy_vector read_keys(input_file& file, key_format format, scalar_type type) {
  if (format == key_format::raw) return read_raw(file, type);
  if (format == key_format::text) return read_text(file, type);
  const npy_header header = read_npy_header(file);
  check_npy_vector(file, header, runtime::sort_key_types());
  return read_npy_vector(file, header);
}

void write_keys(output_file& file, key_format format, scalar_type type, const void* data, std::int64_t count) {
  switch (format) {
    case key_format::npy:
      return write_npy_vector(file, type, data, count);
    case key_format::raw:
      return file.write(data, static_cast<std::size_t>(count) * size_of(type));
    case key_format::text:
      sorted_types::visit(type,
                          [&]<class Number>(Number) { write_text(file, static_cast<const Number*>(data), count); });
  }
}

}  // namespace upsweep::apps
