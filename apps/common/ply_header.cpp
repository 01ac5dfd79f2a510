#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <unordered_set>

#include "failure.hpp"
#include "ply.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr std::size_t longest_line = 65536;
constexpr std::size_t most_elements = 1024;
constexpr std::uint64_t longest_ply_header = std::uint64_t{4} << 20;

struct type_name {
  std::string_view name;
  scalar_type type;
};

constexpr std::array<type_name, 18> type_names = {{
    {"char", scalar_type::i8},
    {"uchar", scalar_type::u8},
    {"short", scalar_type::i16},
    {"ushort", scalar_type::u16},
    {"int", scalar_type::i32},
    {"uint", scalar_type::u32},
    {"float", scalar_type::f32},
    {"double", scalar_type::f64},
    {"int8", scalar_type::i8},
    {"uint8", scalar_type::u8},
    {"int16", scalar_type::i16},
    {"uint16", scalar_type::u16},
    {"int32", scalar_type::i32},
    {"uint32", scalar_type::u32},
    {"int64", scalar_type::i64},
    {"uint64", scalar_type::u64},
    {"float32", scalar_type::f32},
    {"float64", scalar_type::f64},
}};

/// What the element of the particles is called, in the order in which they are looked for.
constexpr std::string_view particle_names[] = {"vertex", "point", "particle"};

bool may_be_particles(const ply_element& element) {
  return std::ranges::count(particle_names, element.name) > 0;
}

/// Reads the header's lines one by one; every failure names the file and the line.
class header_parser {
 public:
  explicit header_parser(input_file& file) : file_(file) {}

  ply_header parse() {
    next_line();
    if (line_ != "ply") bad("expected \"ply\"");
    header_.lines.push_back({raw_line_, std::nullopt, false});
    next_line();
    while (line_ != "end_header") {
      if (file_.position() > longest_ply_header) bad("the header has no \"end_header\" in its first 4 MiB");
      take_line();
      next_line();
    }
    header_.lines.push_back({raw_line_, std::nullopt, false});
    if (!has_format_) bad("the header has no \"format\" line");
    header_.vertex = particles();
    drop_lists();
    return std::move(header_);
  }

 private:
  [[noreturn]] void bad(std::string_view what) const {
    fail(exit_code::bad_input, "{}: line {}: {}; got \"{}\"", file_.name(), file_.line_number(), what,
         std::string_view(line_).substr(0, 200));
  }

  void next_line() {
    const auto line = file_.line(longest_line);
    if (!line) fail(exit_code::bad_input, "{}: ends inside the PLY header; expected \"end_header\"", file_.name());
    raw_line_ = *line;
    line_ = raw_line_;
    if (raw_line_.find('\n') != std::string::npos) bad("expected the end of a line as that of the first");
    while (!line_.empty() && std::string_view(" \t\r").find(line_.back()) != std::string_view::npos) line_.pop_back();
  }

  void keep_line(bool of_element, bool counts = false) {
    const auto element = of_element ? std::optional(header_.elements.size() - 1) : std::nullopt;
    header_.lines.push_back({raw_line_, element, counts});
  }

  /// The element that the particles are.
  std::size_t particles() const {
    for (const std::string_view name : particle_names) {
      for (std::size_t i = 0; i < header_.elements.size(); ++i) {
        if (header_.elements[i].name == name) return i;
      }
    }
    std::vector<std::string> names;
    for (const ply_element& e : header_.elements) names.push_back(e.name);
    bad(fmt::format("the header has no \"element vertex\", point or particle{}",
                    names.empty() ? "" : "; it has " + list_text(names)));
  }

  /// List properties of the particles are not kept.
  void drop_lists() {
    std::erase_if(header_.lines, [&](const ply_header_line& line) {
      const auto words = words_of(line.text);
      return line.element == header_.vertex && words.size() > 1 && words[0] == "property" && words[1] == "list";
    });
  }

  void take_line() {
    const auto words = words_of(line_);
    if (words.empty()) bad("expected a header line");
    if (words[0] == "comment" || words[0] == "obj_info") return keep_line(false);
    if (words[0] == "format") return take_format(words);
    if (words[0] == "element") return take_element(words);
    if (words[0] == "property") return take_property(words);
    bad("expected format, comment, obj_info, element, property or end_header");
  }

  void take_format(const std::vector<std::string_view>& words) {
    if (has_format_) bad("expected one \"format\" line, not two");
    if (words.size() != 3) bad("expected \"format ENCODING VERSION\"");
    if (words[1] == "ascii") {
      header_.encoding = ply_encoding::ascii;
    } else if (words[1] == "binary_little_endian") {
      header_.encoding = ply_encoding::binary_little_endian;
    } else if (words[1] == "binary_big_endian") {
      header_.encoding = ply_encoding::binary_big_endian;
    } else {
      bad("expected the format ascii, binary_little_endian or binary_big_endian");
    }
    if (words[2] != "1.0") bad("expected format version 1.0");
    has_format_ = true;
    keep_line(false);
  }

  void take_element(const std::vector<std::string_view>& words) {
    if (words.size() != 3) bad("expected \"element NAME COUNT\"");
    ply_element element;
    element.name = words[1];
    const auto [end, error] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), element.count);
    if (error != std::errc() || end != words[2].data() + words[2].size()) bad("expected a count of 0 or more");
    for (const ply_element& before : header_.elements) {
      if (!may_be_particles(element) || before.name != element.name) continue;
      bad(fmt::format("expected one \"element {}\", not two", element.name));
    }
    if (header_.elements.size() == most_elements) bad(fmt::format("expected at most {} elements", most_elements));
    header_.elements.push_back(std::move(element));
    names_.clear();
    keep_line(true, true);
  }

  scalar_type type_named(std::string_view name) const {
    for (const type_name& t : type_names) {
      if (t.name == name) return t.type;
    }
    std::vector<std::string> known;
    for (const type_name& t : type_names) known.emplace_back(t.name);
    bad(fmt::format("unknown type \"{}\"; expected one of {}", name, list_text(known)));
  }

  void take_property(const std::vector<std::string_view>& words) {
    if (header_.elements.empty()) bad("expected \"element\" before the first \"property\"");
    ply_element& element = header_.elements.back();
    ply_property property;
    property.is_list = words.size() > 1 && words[1] == "list";
    if (property.is_list) {
      if (words.size() != 5) bad("expected \"property list COUNT_TYPE TYPE NAME\"");
      property.count_type = type_named(words[2]);
      if (property.count_type == scalar_type::f32 || property.count_type == scalar_type::f64) {
        bad("expected an integer type for a list's count");
      }
      property.type = type_named(words[3]);
    } else {
      if (words.size() != 3) bad("expected \"property TYPE NAME\"");
      property.type = type_named(words[1]);
    }
    property.name = words.back();
    if (may_be_particles(element) && !names_.insert(property.name).second)
      bad("expected properties of different names");
    if (names_.size() > most_columns) bad(fmt::format("expected at most {} properties", most_columns));
    element.properties.push_back(property);
    keep_line(true);
  }

  input_file& file_;
  std::string raw_line_;  ///< as in the file
  std::string line_;      ///< without blanks at its end
  ply_header header_;
  bool has_format_ = false;
  std::unordered_set<std::string> names_;  ///< of the properties of the last element
};

/// The fewest bytes that a row takes in the file.
std::uint64_t least_bytes_in_file(const ply_header& header, const ply_element& element) {
  return header.encoding == ply_encoding::ascii ? 2 * element.properties.size() : element.least_row_bytes();
}

/// Fails unless the file can hold as many rows as the header says.
void check_counts(input_file& file, const ply_header& header) {
  const std::uint64_t missing_newline = header.encoding == ply_encoding::ascii ? 1 : 0;
  // Too large for 64 bits is too much for any file.
  double needed = 0;
  for (const ply_element& element : header.elements) {
    needed += static_cast<double>(element.count) * static_cast<double>(least_bytes_in_file(header, element));
  }
  constexpr double most = 9e15;
  if (needed < most && file.may_come(static_cast<std::uint64_t>(needed))) return;
  std::uint64_t left = file.remaining() + missing_newline;
  for (const ply_element& element : header.elements) {
    const std::uint64_t row = least_bytes_in_file(header, element);
    if (row == 0) continue;
    if (element.count > left / row) {
      fail(exit_code::bad_input,
           "{}: the header says {} of element \"{}\", at least {} bytes each; only {} bytes are left", file.name(),
           element.count, element.name, row, left);
    }
    left -= element.count * row;
  }
}

}  // namespace

std::string_view name_of(ply_encoding encoding) {
  switch (encoding) {
    case ply_encoding::ascii:
      return "ascii";
    case ply_encoding::binary_little_endian:
      return "binary_little_endian";
    case ply_encoding::binary_big_endian:
      break;
  }
  return "binary_big_endian";
}

bool ply_element::has_list() const {
  for (const ply_property& p : properties) {
    if (p.is_list) return true;
  }
  return false;
}

std::uint64_t ply_element::least_row_bytes() const {
  std::uint64_t bytes = 0;
  for (const ply_property& p : properties) bytes += size_of(p.is_list ? p.count_type : p.type);
  return bytes;
}

ply_header read_ply_header(input_file& file) {
  ply_header header = header_parser(file).parse();
  bool has_scalar = false;
  for (const ply_property& p : header.vertices().properties) has_scalar |= !p.is_list;
  if (!has_scalar) {
    fail(exit_code::bad_input, "{}: element vertex has no scalar properties; expected at least one", file.name());
  }
  check_counts(file, header);
  return header;
}

ply_header make_ply_header(ply_encoding encoding, const particle_table& particles) {
  ply_header header;
  header.encoding = encoding;
  const auto add = [&](std::string text, bool of_vertex, bool counts = false) {
    header.lines.push_back({std::move(text), of_vertex ? std::optional(std::size_t{0}) : std::nullopt, counts});
  };
  add("ply", false);
  add(fmt::format("format {} 1.0", name_of(encoding)), false);
  add("element vertex 0", true, true);
  ply_element element;
  element.name = "vertex";
  element.count = static_cast<std::uint64_t>(particles.count);
  for (const table_column& column : particles.columns) {
    for (const type_name& t : type_names) {
      if (t.type != column.type) continue;
      add(fmt::format("property {} {}", t.name, column.name), true);
      break;
    }
    element.properties.push_back({column.name, column.type});
  }
  header.elements.push_back(std::move(element));
  add("end_header", false);
  return header;
}

}  // namespace upsweep::apps
