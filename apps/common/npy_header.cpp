#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <set>

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
        header_.descr = element_type();
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
      if (descr[0] == '<' || descr[0] == '=' || descr[0] == '>' || size_of(d.type) == 1) return d.type;
    }
    if (descr.starts_with('[')) bad("structures are not taken here; expected one number an element");
    bad(fmt::format("unknown element type '{}'; expected an integer or float of 1 to 8 bytes, like '<f4'", descr));
  }

  /// The same where it is a truth, a date or a duration too.
  scalar_type type_of_any(const std::string& descr) const {
    const std::string_view name = std::string_view(descr).substr(descr.empty() ? 0 : 1);
    if (name == "b1") return scalar_type::u8;
    if ((name.starts_with("M8") || name.starts_with("m8")) && bytes_of(descr) == 8) return scalar_type::i64;
    return type_of(descr);
  }

  /// Takes a list of fields from the text, ('x', '<f4') or ('p', '<f8', (3,)) each; a type may be a list of fields too.
  void structure(const std::string& prefix, npy_structures& to, int depth) {
    constexpr int deepest = 16;
    if (depth > deepest) bad(fmt::format("expected structures in at most {} others", deepest));
    expect('[');
    while (!accept(']')) {
      expect('(');
      const std::string name = prefix + quoted();
      expect(',');
      skip_blank();
      if (text_.starts_with('[')) {
        structure(name + ".", to, depth + 1);
        accept(',');
        expect(')');
      } else {
        const std::string descr = quoted();
        std::uint64_t count = 1;
        const bool is_array =
            accept(',') && text_.find_first_not_of(" ") != text_.npos && text_[text_.find_first_not_of(" ")] == '(';
        if (is_array) {
          for (const std::uint64_t size : shape()) {
            if (size > largest_structure)
              bad(fmt::format("expected structures of at most {} bytes", largest_structure));
            count *= std::min<std::uint64_t>(size, largest_structure);
            count = std::min<std::uint64_t>(count, largest_structure);
          }
        }
        accept(',');
        expect(')');
        add_field(name, descr, is_array, count, to);
      }
      if (!accept(',')) {
        expect(']');
        break;
      }
    }
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
  static constexpr std::uint64_t largest_structure = std::uint64_t{1} << 20;

  void add_field(const std::string& name, const std::string& descr, bool is_array, std::uint64_t count,
                 npy_structures& to) const {
    const std::size_t size = bytes_of(descr);
    if (to.bytes + size * count > largest_structure) {
      bad(fmt::format("expected structures of at most {} bytes", largest_structure));
    }
    const std::string_view kind = std::string_view(descr).substr(0, 2);
    const bool is_number = size <= 8 && kind.size() == 2 && std::string_view("biufmM").find(kind[1]) != kind.npos;
    if (!is_number) {
      // Without a name: what an aligned structure leaves free.
      if (!name.empty()) to.others.push_back(name);
      to.bytes += size * count;
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if (to.fields.size() == most_columns) bad(fmt::format("expected at most {} fields", most_columns));
      to.fields.push_back(
          {is_array ? fmt::format("{}_{}", name, i) : name, type_of_any(descr), descr[0] == '>', to.bytes});
      to.bytes += size;
    }
  }

  /// A quoted word, or a list of fields as it is.
  std::string element_type() {
    skip_blank();
    if (!text_.starts_with('[')) return quoted();
    std::size_t depth = 0, end = 0;
    char quote = '\0';
    do {
      if (end == text_.size()) bad("expected a closing ']'");
      const char c = text_[end++];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else {
        depth += c == '[' ? 1 : 0;
        depth -= c == ']' ? 1 : 0;
      }
    } while (depth > 0);
    std::string list(text_.substr(0, end));
    text_.remove_prefix(end);
    return list;
  }

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
    if (quote != '\'' && quote != '"') bad("expected a quoted word");
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
  const scalar_type type = parser.type_of_any(said.descr);
  check_size(file, said.shape, name_of(type), size_of(type));
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
  const std::string text = dictionary_text(file);
  const dictionary said = dictionary_parser(file.name(), text).parse();
  npy_structures all;
  all.descr = said.descr;
  dictionary_parser(file.name(), all.descr).structure("", all, 0);
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
  check_size(file, said.shape, "structures", all.bytes);
  all.count = said.shape[0];
  return all;
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
  rows.data = file.take(static_cast<std::size_t>(file.remaining()));
  return rows;
}

void check_npy_vector(input_file& file, const npy_header& header, std::span<const scalar_type> types) {
  const bool is_column = header.shape.size() == 2 && (header.shape[0] == 1 || header.shape[1] == 1);
  if (header.shape.size() != 1 && !is_column) {
    fail(exit_code::bad_input, "{}: shape {}; expected one dimension, or (n, 1)", file.name(),
         shape_text(header.shape));
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
  file.write(magic);
  file.write(version_and_length);
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
