#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "failure.hpp"
#include "npy.hpp"
#include "npy_dictionary.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t longest_header = std::size_t{1} << 20;

}  // namespace

byte_array rows_of_columns(const byte_array& columns, const std::vector<std::uint64_t>& shape, std::size_t item) {
  byte_array rows(columns.bytes());
  const std::byte* from = columns.data();
  for (std::size_t k = 0; k < shape[1]; ++k) {
    for (std::size_t i = 0; i < shape[0]; ++i, from += item) {
      std::memcpy(rows.data() + (i * shape[1] + k) * item, from, item);
    }
  }
  return rows;
}

void check_npy_size(input_file& file, const std::vector<std::uint64_t>& shape, std::string_view type,
                    std::uint64_t item) {
  std::uint64_t values = 1;
  bool too_many = false;
  // What has no bytes is as if there were none of it.
  bool none = item == 0;
  item = std::max<std::uint64_t>(item, 1);
  for (const std::uint64_t size : shape) {
    none |= size == 0;
    too_many |= size != 0 && values > std::numeric_limits<std::uint64_t>::max() / size;
    if (!none && !too_many) values *= size;
  }
  if (none) {
    values = 0;
    too_many = false;
  }
  // One byte more is enough to know.
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  if (!too_many && values <= (most - 1) / item) file.expect_at_most(values * item);
  if (too_many || values > file.remaining() / item || values * item != file.remaining()) {
    fail(exit_code::bad_input, "{}: the header promises shape {} of {}, {} bytes each; {} bytes of data follow",
         file.name(), shape_text(shape), type, item, file.remaining());
  }
}

std::string npy_dictionary_text(input_file& file) {
  char start[10] = {};
  if (file.ahead(sizeof(start)).size() < sizeof(start)) {
    fail(exit_code::bad_input, "{}: only {} bytes; expected an npy file", file.name(), file.size());
  }
  file.read(start, sizeof(start));
  if (std::string_view(start, 6) != magic) fail(exit_code::bad_input, "{}: expected an npy file", file.name());
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    fail(exit_code::bad_input, "{}: npy version {}.{}; expected 1.0, 2.0 or 3.0", file.name(), major, minor);
  }
  std::size_t length = static_cast<unsigned char>(start[8]) + 256u * static_cast<unsigned char>(start[9]);
  if (major > 1) {
    unsigned char high[2] = {};
    file.read(high, sizeof(high));
    length += (std::size_t{high[0]} << 16) + (std::size_t{high[1]} << 24);
  }
  if (length > longest_header || file.ahead(length).size() < length) {
    fail(exit_code::bad_input, "{}: npy header of {} bytes; expected at most {}, and as many as are in the file",
         file.name(), length, longest_header);
  }
  std::string text(length, ' ');
  file.read(text.data(), length);
  return text;
}

bool begins_as_npy(input_file& file) {
  const auto bytes = file.ahead(magic.size());
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

npy_header read_npy_header(input_file& file) {
  const std::string text = npy_dictionary_text(file);
  npy_dictionary_parser parser(file.name(), text);
  npy_dictionary said = parser.parse();
  const scalar_type type = parser.type_of_any(said.descr);
  check_npy_size(file, said.shape, name_of(type), size_of(type));
  return {type, said.fortran_order, std::move(said.shape), said.descr[0] == '>', said.descr};
}

bool begins_as_structures(input_file& file) {
  if (!begins_as_npy(file)) return false;
  constexpr std::size_t far = 4096;
  const auto bytes = file.ahead(far);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), far));
  const std::size_t key = text.find("descr"), colon = text.find(':', key);
  const std::size_t value = colon == text.npos ? colon : text.find_first_not_of(" ", colon + 1);
  return key != text.npos && value != text.npos && text[value] == '[';
}

npy_structures read_npy_structures(input_file& file) {
  const std::string text = npy_dictionary_text(file);
  const npy_dictionary said = npy_dictionary_parser(file.name(), text).parse();
  npy_structures all;
  all.descr = said.descr;
  npy_dictionary_parser(file.name(), all.descr).structure("", all, 0);
  const bool is_column = said.shape.size() == 2 && said.shape[1] == 1;
  if (said.shape.size() != 1 && !is_column) {
    fail(exit_code::bad_input, "{}: shape {} of structures; expected one dimension", file.name(),
         shape_text(said.shape));
  }
  if (all.fields.empty()) {
    fail(exit_code::bad_input, "{}: npy header: expected a field that is a number; got {}", file.name(),
         all.descr.substr(0, 200));
  }
  std::set<std::string> different;
  for (const npy_field& f : all.fields) {
    if (different.insert(f.name).second) continue;
    fail(exit_code::bad_input, "{}: npy header: two fields are called \"{}\"; expected different names", file.name(),
         f.name);
  }
  check_npy_size(file, said.shape, "structures", all.bytes);
  all.count = said.shape[0];
  return all;
}

namespace {

npy_rows rows_ahead(input_file& file, bool& fortran_order) {
  const std::string text = npy_dictionary_text(file);
  npy_dictionary_parser parser(file.name(), text);
  npy_dictionary said = parser.parse();
  fortran_order = said.fortran_order;
  const std::size_t item = parser.bytes_of(said.descr);
  constexpr std::size_t most_dimensions = 64;
  if (said.shape.empty() || said.shape.size() > most_dimensions) {
    fail(exit_code::bad_input, "{}: {} dimensions; expected 1 to {}", file.name(), said.shape.size(), most_dimensions);
  }
  if (said.fortran_order && said.shape.size() > 2) {
    fail(exit_code::bad_input, "{}: shape {} in Fortran order; expected rows in C order", file.name(),
         shape_text(said.shape));
  }
  check_npy_size(file, said.shape, fmt::format("'{}'", said.descr), item);
  npy_rows rows;
  rows.row_bytes = item;
  for (std::size_t d = 1; d < said.shape.size(); ++d) rows.row_bytes *= said.shape[d];
  rows.descr = std::move(said.descr);
  rows.shape = std::move(said.shape);
  return rows;
}

}  // namespace

npy_rows read_npy_rows(input_file& file) {
  bool fortran_order = false;
  npy_rows rows = rows_ahead(file, fortran_order);
  const std::size_t columns = rows.shape.size() == 2 ? static_cast<std::size_t>(rows.shape[1]) : 0;
  rows.data = file.take(static_cast<std::size_t>(file.remaining()));
  if (fortran_order && columns > 0) rows.data = rows_of_columns(rows.data, rows.shape, rows.row_bytes / columns);
  return rows;
}

npy_rows read_npy_rows_header(input_file& file) {
  bool fortran_order = false;
  npy_rows rows = rows_ahead(file, fortran_order);
  if (fortran_order && rows.shape.size() == 2) {
    fail(exit_code::bad_input, "{}: shape {} in Fortran order; expected rows in C order", file.name(),
         shape_text(rows.shape));
  }
  return rows;
}

void check_npy_vector(input_file& file, const npy_header& header, std::span<const scalar_type> types) {
  const bool is_column = header.shape.size() == 2 && (header.shape[0] == 1 || header.shape[1] == 1);
  if (header.shape.size() != 1 && !is_column) {
    fail(exit_code::bad_input, "{}: shape {}; expected one dimension, or (n, 1){}", file.name(),
         shape_text(header.shape), header.shape.size() == 2 ? "; rows are sorted by a column, --by column0" : "");
  }
  std::vector<std::string> names;
  for (const scalar_type t : types) {
    if (t == header.type) return;
    names.emplace_back(name_of(t));
  }
  fail(exit_code::bad_input, "{}: elements of type {}; expected one of {}", file.name(), name_of(header.type),
       list_text(names));
}

std::string npy_header_bytes(std::string_view descr, bool fortran_order, const std::vector<std::uint64_t>& shape) {
  const std::string_view quote = descr.starts_with('[') ? "" : "'";
  std::string text = fmt::format("{{'descr': {}{}{}, 'fortran_order': {}, 'shape': {}, }}", quote, descr, quote,
                                 fortran_order ? "True" : "False", shape_text(shape));
  constexpr std::size_t before = 10;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  // Version 1.0 has two bytes for the length of the text, 2.0 four.
  const bool is_long = text.size() >= 65536;
  std::string version_and_length = is_long ? std::string("\2\0", 2) : std::string("\1\0", 2);
  for (std::size_t b = 0; b < (is_long ? 4 : 2); ++b)
    version_and_length += static_cast<char>(text.size() >> 8 * b & 0xff);
  return std::string(magic) + version_and_length + text;
}

void write_npy_header(output_file& file, std::string_view descr, bool fortran_order,
                      const std::vector<std::uint64_t>& shape) {
  file.write(npy_header_bytes(descr, fortran_order, shape));
}

std::string npy_descr(scalar_type type) {
  return fmt::format("{}{}", size_of(type) == 1 ? '|' : '<', npy_name_of(type));
}

void write_npy_header(output_file& file, const npy_header& header) {
  write_npy_header(file, npy_descr(header.type), header.fortran_order, header.shape);
}

}  // namespace upsweep::apps
