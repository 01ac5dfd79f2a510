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

constexpr std::array<descr_name, 10> descr_names = {{{"i1", scalar_type::i8},
                                                     {"u1", scalar_type::u8},
                                                     {"i2", scalar_type::i16},
                                                     {"u2", scalar_type::u16},
                                                     {"i4", scalar_type::i32},
                                                     {"u4", scalar_type::u32},
                                                     {"i8", scalar_type::i64},
                                                     {"u8", scalar_type::u64},
                                                     {"f4", scalar_type::f32},
                                                     {"f8", scalar_type::f64}}};

/// Parses the Python dictionary of an .npy header.
class dictionary_parser {
 public:
  dictionary_parser(const std::string& file, std::string_view text) : file_(file), whole_(text), text_(text) {}

  npy_header parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        once(has_descr_, key);
        header_.type = type();
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

 private:
  [[noreturn]] void bad(std::string_view what) const {
    fail(exit_code::bad_input, "{}: npy header: {}; got {}", file_, what, one_line(whole_.substr(0, 200)));
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

  scalar_type type() {
    const std::string descr = quoted();
    const std::string_view name = std::string_view(descr).substr(descr.empty() ? 0 : 1);
    for (const descr_name& d : descr_names) {
      if (d.name != name) continue;
      if (descr[0] == '<' || descr[0] == '=' || size_of(d.type) == 1) return d.type;
      if (descr[0] == '>') bad(fmt::format("'{}' is big endian; expected little endian, '<{}'", descr, name));
    }
    bad(fmt::format("unknown element type '{}'; expected an integer or float of 1 to 8 bytes, like '<f4'", descr));
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
  npy_header header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

std::string shape_text(const npy_header& header) {
  std::string text = "(";
  for (const std::uint64_t size : header.shape) text += fmt::format("{}, ", size);
  if (header.shape.size() > 1) text.resize(text.size() - 2);
  if (header.shape.size() == 1) text.pop_back();
  return text + ")";
}

/// Fails unless the file's rest is exactly the data that the header promises.
void check_size(const input_file& file, const npy_header& header) {
  std::uint64_t values = 1;
  bool too_many = false;
  bool none = false;
  for (const std::uint64_t size : header.shape) {
    none |= size == 0;
    too_many |= size != 0 && values > std::numeric_limits<std::uint64_t>::max() / size;
    if (!none && !too_many) values *= size;
  }
  if (none) {
    values = 0;
    too_many = false;
  }
  const std::uint64_t item = size_of(header.type);
  if (too_many || values > file.remaining() / item || values * item != file.remaining()) {
    fail(exit_code::bad_input, "{}: the header promises shape {} of {}, {} bytes each; {} bytes of data follow",
         file.name(), shape_text(header), name_of(header.type), item, file.remaining());
  }
}

}  // namespace

npy_header read_npy_header(input_file& file) {
  char start[10] = {};
  if (file.remaining() < sizeof(start)) {
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
  if (length > file.remaining() || length > longest_header) {
    fail(exit_code::bad_input, "{}: npy header of {} bytes; expected at most {} and {} are left in the file",
         file.name(), length, longest_header, file.remaining());
  }
  std::string text(length, ' ');
  file.read(text.data(), length);
  npy_header header = dictionary_parser(file.name(), text).parse();
  check_size(file, header);
  return header;
}

void check_npy_vector(const input_file& file, const npy_header& header, std::span<const scalar_type> types) {
  if (header.shape.size() != 1) {
    fail(exit_code::bad_input, "{}: shape {}; expected one dimension", file.name(), shape_text(header));
  }
  std::vector<std::string> names;
  for (const scalar_type t : types) {
    if (t == header.type) return;
    names.emplace_back(name_of(t));
  }
  fail(exit_code::bad_input, "{}: elements of type {}; expected one of {}", file.name(), name_of(header.type),
       list_text(names));
}

void write_npy_header(output_file& file, const npy_header& header) {
  std::string_view type;
  for (const descr_name& d : descr_names) {
    if (d.type == header.type) type = d.name;
  }
  std::string text =
      fmt::format("{{'descr': '{}{}', 'fortran_order': {}, 'shape': {}, }}", size_of(header.type) == 1 ? '|' : '<',
                  type, header.fortran_order ? "True" : "False", shape_text(header));
  constexpr std::size_t before = 10;
  while ((before + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  const char version_and_length[] = {1, 0, static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  file.write(magic);
  file.write(version_and_length, sizeof(version_and_length));
  file.write(text);
}

}  // namespace upsweep::apps
