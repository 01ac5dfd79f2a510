#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "failure.hpp"
#include "npy.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::size_t longest_header = std::size_t{1} << 20;

struct descr_name {
  std::string_view name;
  scalar_type type;
};

constexpr std::array<descr_name, 11> descr_names = {{{"i1", scalar_type::i8},
                                                     {"u1", scalar_type::u8},
                                                     {"i2", scalar_type::i16},
                                                     {"u2", scalar_type::u16},
                                                     {"i4", scalar_type::i32},
                                                     {"u4", scalar_type::u32},
                                                     {"i8", scalar_type::i64},
                                                     {"u8", scalar_type::u64},
                                                     {"f2", scalar_type::f16},
                                                     {"f4", scalar_type::f32},
                                                     {"f8", scalar_type::f64}}};

/// What a dictionary says.
struct dictionary {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// Parses the Python dictionary of an .npy header.
class dictionary_parser {
 public:
  dictionary_parser(const std::string& file, std::string_view text) : file_(file), whole_(text), text_(text) {}

  dictionary parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        once(has_descr_, key);
        header_.descr = quoted();
      } else if (key == "fortran_order") {
        once(has_order_, key);
        header_.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape_, key);
        header_.shape = shape();
      } else {
        bad(fmt::format("unknown key '{}'", key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blank();
    if (!text_.empty()) bad("expected nothing after the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_) bad("expected the keys 'descr', 'fortran_order' and 'shape'");
    return header_;
  }

  /// Of that descr; fails where it is none of descr_names.
  scalar_type type_of(const std::string& descr) const {
    const std::string_view name = std::string_view(descr).substr(descr.empty() ? 0 : 1);
    for (const descr_name& d : descr_names) {
      if (d.name != name) continue;
      if (descr[0] == '<' || descr[0] == '=' || size_of(d.type) == 1) return d.type;
      if (descr[0] == '>') bad(fmt::format("'{}' is big endian; expected little endian, '<{}'", descr, name));
    }
    bad(fmt::format("unknown element type '{}'; expected an integer or float of 1 to 8 bytes, like '<f4'", descr));
  }

  /// Bytes of an element of any type: '<f4' has 4, '<U5' has 20, '<M8[ns]' has 8.
  std::size_t bytes_of(const std::string& descr) const {
    std::string_view rest = descr;
    if (!rest.empty() && std::string_view("<>=|").find(rest[0]) != std::string_view::npos) rest.remove_prefix(1);
    const char kind = rest.empty() ? '\0' : rest[0];
    if (!rest.empty()) rest.remove_prefix(1);
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
    const std::string_view unit(end, static_cast<std::size_t>(rest.data() + rest.size() - end));
    const bool has_unit = (kind == 'm' || kind == 'M') && unit.size() < 16 && unit.starts_with('[') &&
                          unit.ends_with(']') && unit.find_first_of("'\"\\") == unit.npos;
    constexpr std::size_t most = std::size_t{1} << 20;
    if (error != std::errc() || count == 0 || count > most || (!unit.empty() && !has_unit) ||
        std::string_view("biufcSaUVmM").find(kind) == std::string_view::npos) {
      bad(fmt::format("unknown element type '{}'; expected one of a fixed size, like '<f4', '|b1' or '<c16'", descr));
    }
    return kind == 'U' ? 4 * count : count;
  }

 private:
  [[noreturn]] void bad(std::string_view what) const {
    fail(exit_code::bad_input, "{}: npy header: {}; got {}", file_, what, whole_.substr(0, 200));
  }

  void once(bool& seen, std::string_view key) {
    if (seen) bad(fmt::format("key '{}' appears twice", key));
    seen = true;
  }

  void skip_blank() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }

  bool accept(char c) {
    skip_blank();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) bad(fmt::format("expected '{}' at character {}", c, whole_.size() - text_.size()));
  }

  std::string quoted() {
    skip_blank();
    const char quote = text_.empty() ? '\0' : text_[0];
    if (quote != '\'' && quote != '"') bad("expected a quoted word (structured arrays are not supported)");
    const std::size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) bad("expected a closing quote");
    std::string word(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return word;
  }

  bool boolean() {
    skip_blank();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(0, word.size()) != word) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    bad("expected True or False as 'fortran_order'");
  }

  std::vector<std::uint64_t> shape() {
    std::vector<std::uint64_t> sizes;
    expect('(');
    while (!accept(')')) {
      skip_blank();
      std::uint64_t size = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc()) bad("expected sizes of 0 or more as 'shape'");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      accept('L');
      sizes.push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  const std::string& file_;
  std::string_view whole_;
  std::string_view text_;
  dictionary header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (const std::uint64_t size : shape) text += fmt::format("{}, ", size);
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

/// Fails unless the file's rest is exactly the data that the header promises: elements of so many bytes.
void check_size(input_file& file, const std::vector<std::uint64_t>& shape, std::string_view type, std::uint64_t item) {
  std::uint64_t values = 1;
  bool too_many = false;
  bool none = false;
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

/// The text of the dictionary; the file then stands at the data.
std::string dictionary_text(input_file& file) {
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

}  // namespace

bool begins_as_npy(input_file& file) {
  const auto bytes = file.ahead(magic.size());
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

npy_header read_npy_header(input_file& file) {
  const std::string text = dictionary_text(file);
  dictionary_parser parser(file.name(), text);
  dictionary said = parser.parse();
  const scalar_type type = parser.type_of(said.descr);
  check_size(file, said.shape, name_of(type), size_of(type));
  return {type, said.fortran_order, std::move(said.shape)};
}

npy_rows read_npy_rows(input_file& file) {
  const std::string text = dictionary_text(file);
  dictionary_parser parser(file.name(), text);
  dictionary said = parser.parse();
  const std::size_t item = parser.bytes_of(said.descr);
  constexpr std::size_t most_dimensions = 64;
  if (said.shape.empty() || said.shape.size() > most_dimensions) {
    fail(exit_code::bad_input, "{}: {} dimensions; expected 1 to {}", file.name(), said.shape.size(), most_dimensions);
  }
  if (said.fortran_order && said.shape.size() > 1) {
    fail(exit_code::bad_input, "{}: shape {} in Fortran order; expected rows in C order", file.name(),
         shape_text(said.shape));
  }
  check_size(file, said.shape, fmt::format("'{}'", said.descr), item);
  npy_rows rows;
  rows.row_bytes = item;
  for (std::size_t d = 1; d < said.shape.size(); ++d) rows.row_bytes *= said.shape[d];
  rows.descr = std::move(said.descr);
  rows.shape = std::move(said.shape);
  rows.data = byte_array(static_cast<std::size_t>(file.remaining()));
  file.read(rows.data.data(), rows.data.bytes());
  return rows;
}

void check_npy_vector(input_file& file, const npy_header& header, std::span<const scalar_type> types) {
  if (header.shape.size() != 1) {
    fail(exit_code::bad_input, "{}: shape {}; expected one dimension", file.name(), shape_text(header.shape));
  }
  std::vector<std::string> names;
  for (const scalar_type t : types) {
    if (t == header.type) return;
    names.emplace_back(name_of(t));
  }
  fail(exit_code::bad_input, "{}: elements of type {}; expected one of {}", file.name(), name_of(header.type),
       list_text(names));
}

void write_npy_header(output_file& file, std::string_view descr, bool fortran_order,
                      const std::vector<std::uint64_t>& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                 fortran_order ? "True" : "False", shape_text(shape));
  constexpr std::size_t before = 10;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  const char version_and_length[] = {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  file.write(magic);
  file.write(version_and_length, sizeof(version_and_length));
  file.write(text);
}

void write_npy_header(output_file& file, const npy_header& header) {
  std::string_view type;
  for (const descr_name& d : descr_names) {
    if (d.type == header.type) type = d.name;
  }
  const std::string descr = fmt::format("{}{}", size_of(header.type) == 1 ? '|' : '<', type);
  write_npy_header(file, descr, header.fortran_order, header.shape);
}

}  // namespace upsweep::apps
