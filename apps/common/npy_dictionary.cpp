#include "npy_dictionary.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "failure.hpp"

namespace upsweep::apps {
namespace {

constexpr std::uint64_t largest_structure = std::uint64_t{1} << 20;

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

}  // namespace

std::string_view npy_name_of(scalar_type type) {
  for (const descr_name& d : descr_names) {
    if (d.type == type) return d.name;
  }
  return {};
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text = "(";
  for (const std::uint64_t size : shape) text += fmt::format("{}, ", size);
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

npy_dictionary npy_dictionary_parser::parse() {
  npy_dictionary said;
  bool has_descr = false, has_order = false, has_shape = false;
  expect('{');
  while (!accept('}')) {
    const std::string key = quoted();
    expect(':');
    if (key == "descr") {
      once(has_descr, key);
      said.descr = element_type();
    } else if (key == "fortran_order") {
      once(has_order, key);
      said.fortran_order = boolean();
    } else if (key == "shape") {
      once(has_shape, key);
      said.shape = shape();
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
  if (!has_descr || !has_order || !has_shape) bad("expected the keys 'descr', 'fortran_order' and 'shape'");
  return said;
}

scalar_type npy_dictionary_parser::type_of(const std::string& descr) const {
  const std::string_view name = std::string_view(descr).substr(descr.empty() ? 0 : 1);
  for (const descr_name& d : descr_names) {
    if (d.name != name) continue;
    if (descr[0] == '<' || descr[0] == '=' || descr[0] == '>' || size_of(d.type) == 1) return d.type;
  }
  if (descr.starts_with('[')) bad("structures are not taken here; expected one number an element");
  bad(fmt::format("unknown element type '{}'; expected an integer or float of 1 to 8 bytes, like '<f4'", descr));
}

scalar_type npy_dictionary_parser::type_of_any(const std::string& descr) const {
  const std::string_view name = std::string_view(descr).substr(descr.empty() ? 0 : 1);
  if (name == "b1") return scalar_type::u8;
  if ((name.starts_with("M8") || name.starts_with("m8")) && bytes_of(descr) == 8) return scalar_type::i64;
  return type_of(descr);
}

void npy_dictionary_parser::structure(const std::string& prefix, npy_structures& to, int depth) {
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
          if (size > largest_structure) bad(fmt::format("expected structures of at most {} bytes", largest_structure));
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

std::size_t npy_dictionary_parser::bytes_of(const std::string& descr) const {
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

void npy_dictionary_parser::add_field(const std::string& name, const std::string& descr, bool is_array,
                                      std::uint64_t count, npy_structures& to) const {
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
    to.fields.push_back({is_array ? fmt::format("{}_{}", name, i) : name, type_of_any(descr), descr[0] == '>', to.bytes,
                         kind[1] == 'm' || kind[1] == 'M' ? descr.substr(1) : ""});
    to.bytes += size;
  }
}

/// A quoted word, or a list of fields as it is.
std::string npy_dictionary_parser::element_type() {
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

void npy_dictionary_parser::bad(std::string_view what) const {
  const std::size_t end = whole_.find_last_not_of(" \n") + 1;  // without its padding
  fail(exit_code::bad_input, "{}: npy header: {}; got {}", file_, what,
       whole_.substr(0, (std::min)(end, std::size_t{200})));
}

void npy_dictionary_parser::once(bool& seen, std::string_view key) const {
  if (seen) bad(fmt::format("key '{}' appears twice", key));
  seen = true;
}

void npy_dictionary_parser::skip_blank() {
  text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size()));
}

bool npy_dictionary_parser::accept(char c) {
  skip_blank();
  if (text_.empty() || text_[0] != c) return false;
  text_.remove_prefix(1);
  return true;
}

void npy_dictionary_parser::expect(char c) {
  if (!accept(c)) bad(fmt::format("expected '{}' at character {}", c, whole_.size() - text_.size()));
}

std::string npy_dictionary_parser::quoted() {
  skip_blank();
  const char quote = text_.empty() ? '\0' : text_[0];
  if (quote != '\'' && quote != '"') bad("expected a quoted word");
  const std::size_t end = text_.find(quote, 1);
  if (end == std::string_view::npos) bad("expected a closing quote");
  std::string word(text_.substr(1, end - 1));
  text_.remove_prefix(end + 1);
  return word;
}

bool npy_dictionary_parser::boolean() {
  skip_blank();
  for (const bool value : {true, false}) {
    const std::string_view word = value ? "True" : "False";
    if (text_.substr(0, word.size()) != word) continue;
    text_.remove_prefix(word.size());
    return value;
  }
  bad("expected True or False as 'fortran_order'");
}

std::vector<std::uint64_t> npy_dictionary_parser::shape() {
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

}  // namespace upsweep::apps
