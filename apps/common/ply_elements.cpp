#include "ply_elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "byte_order.hpp"
#include "failure.hpp"
#include "ply_values.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

constexpr std::uint32_t gone = std::numeric_limits<std::uint32_t>::max();

bool is_face_list(std::string_view name) {
  return name == "vertex_indices" || name == "vertex_index";
}
bool is_edge_end(std::string_view name) {
  return name == "vertex1" || name == "vertex2";
}

/// Stores a number as an integer of type `t`; false when it does not fit.
bool store(scalar_type t, std::uint64_t number, std::byte* to) {
  const bool has_sign = t == scalar_type::i8 || t == scalar_type::i16 || t == scalar_type::i32 || t == scalar_type::i64;
  const std::size_t bits = 8 * size_of(t) - (has_sign ? 1 : 0);
  if (bits < 64 && number >> bits != 0) return false;
  std::memcpy(to, &number, size_of(t));
  return true;
}

}  // namespace

vertex_use vertex_use_of(const ply_element& element) {
  vertex_use use = vertex_use::none;
  for (const ply_property& p : element.properties) {
    const bool is_whole = p.type != scalar_type::f32 && p.type != scalar_type::f64;
    if (element.name == "face" && p.is_list && is_face_list(p.name) && is_whole) {
      use = vertex_use::list;
    } else if (element.name == "edge" && !p.is_list && is_edge_end(p.name) && is_whole) {
      use = vertex_use::ends;
    } else if (p.name.find("vert") != std::string::npos || element.name == "tristrips") {
      return vertex_use::unknown;
    }
  }
  return use;
}

new_vertices::new_vertices(std::uint64_t before, std::int64_t now, const row_origins& origins)
    : now_(static_cast<std::uint64_t>(now)) {
  if (!origins) return;
  new_of_old_.assign(static_cast<std::size_t>(before), gone);
  for (std::int64_t i = 0; i < now; ++i) {
    const std::uint64_t old = origins(i);
    if (old < before) new_of_old_[static_cast<std::size_t>(old)] = static_cast<std::uint32_t>(i);
  }
}

std::optional<std::uint64_t> new_vertices::operator[](double old) const {
  if (!(old >= 0) || old != std::floor(old)) return std::nullopt;
  if (new_of_old_.empty()) {
    return old < static_cast<double>(now_) ? std::optional(static_cast<std::uint64_t>(old)) : std::nullopt;
  }
  if (old >= static_cast<double>(new_of_old_.size())) return std::nullopt;
  const std::uint32_t number = new_of_old_[static_cast<std::size_t>(old)];
  return number == gone ? std::nullopt : std::optional<std::uint64_t>(number);
}

kept_rows::kept_rows(const ply_header& header, const ply_rows& rows, const new_vertices& vertices,
                     const std::string& file)
    : header_(&header),
      rows_(&rows),
      vertices_(&vertices),
      file_(file),
      use_(vertex_use_of(header.elements[rows.element])) {
  if (use_ == vertex_use::none) {
    count_ = header.elements[rows.element].count;
  } else {
    each([&](std::string_view) { ++count_; });
  }
}

bool kept_rows::is_vertex(const ply_property& p) const {
  return use_ == vertex_use::list   ? p.is_list && is_face_list(p.name)
         : use_ == vertex_use::ends ? !p.is_list && is_edge_end(p.name)
                                    : false;
}

void kept_rows::does_not_fit(const ply_property& p, std::uint64_t vertex) const {
  fail(exit_code::bad_input, "{}: vertex {}, as it is numbered now, does not fit \"{}\" of element \"{}\", which is {}",
       file_, vertex, p.name, header_->elements[rows_->element].name, name_of(p.type));
}

/// Calls take(row) with the new bytes of every row that stays.
template <class Take>
void kept_rows::each(const Take& take) const {
  if (header_->is_ascii()) {
    each_line(take);
  } else {
    each_binary(take);
  }
}

template <class Take>
void kept_rows::each_binary(const Take& take) const {
  const ply_element& element = header_->elements[rows_->element];
  const bool reversed = header_->is_big_endian();
  const std::byte* at = rows_->bytes.data();
  std::vector<std::byte> row;
  for (std::uint64_t r = 0; r < element.count; ++r) {
    row.clear();
    bool stays = true;
    const auto number = [&](scalar_type type) {
      alignas(8) std::byte raw[8];
      std::memcpy(raw, at, size_of(type));
      if (reversed) reverse_bytes(raw, size_of(type), 1);
      return ply_value_as_double(type, raw);
    };
    for (const ply_property& p : element.properties) {
      const std::size_t size = size_of(p.type);
      std::size_t items = 1;
      if (p.is_list) {
        items = static_cast<std::size_t>(number(p.count_type));
        row.insert(row.end(), at, at + size_of(p.count_type));
        at += size_of(p.count_type);
      }
      if (!is_vertex(p)) {
        row.insert(row.end(), at, at + items * size);
        at += items * size;
        continue;
      }
      for (std::size_t i = 0; i < items; ++i, at += size) {
        const auto vertex = (*vertices_)[number(p.type)];
        stays &= vertex.has_value();
        if (!stays) continue;
        alignas(8) std::byte raw[8];
        if (!store(p.type, *vertex, raw)) does_not_fit(p, *vertex);
        if (reversed) reverse_bytes(raw, size, 1);
        row.insert(row.end(), raw, raw + size);
      }
    }
    if (stays) take(std::string_view(reinterpret_cast<const char*>(row.data()), row.size()));
  }
}

template <class Take>
void kept_rows::each_line(const Take& take) const {
  const ply_element& element = header_->elements[rows_->element];
  std::string_view rest(reinterpret_cast<const char*>(rows_->bytes.data()), rows_->bytes.size());
  std::string row;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    row.clear();
    bool stays = true;
    std::string_view left = line;
    // Reading has made sure that every word is there, and is what the header says.
    const auto word = [&] {
      constexpr std::string_view blank = " \t\r\v\f";
      left.remove_prefix(std::min(left.find_first_not_of(blank), left.size()));
      const std::string_view found = left.substr(0, left.find_first_of(blank));
      left.remove_prefix(found.size());
      return found;
    };
    const auto put = [&](std::string_view text) {
      if (!row.empty()) row += ' ';
      row += text;
    };
    const auto number = [](scalar_type type, std::string_view text) {
      alignas(8) std::byte raw[8] = {};
      static_cast<void>(parse_ply_value(type, text, raw));
      return ply_value_as_double(type, raw);
    };
    for (const ply_property& p : element.properties) {
      double items = 1;
      if (p.is_list) {
        const std::string_view count = word();
        put(count);
        items = number(p.count_type, count);
      }
      for (double i = 0; i < items; ++i) {
        const std::string_view text = word();
        if (!is_vertex(p)) {
          put(text);
          continue;
        }
        alignas(8) std::byte raw[8];
        const bool is_number = parse_ply_value(p.type, text, raw) == text_number::taken;
        const auto vertex = is_number ? (*vertices_)[number(p.type, text)] : std::nullopt;
        stays &= vertex.has_value();
        if (!stays) continue;
        if (!store(p.type, *vertex, raw)) does_not_fit(p, *vertex);
        put(std::to_string(*vertex));
      }
    }
    row += '\n';
    if (stays) take(std::string_view(row));
  }
}

void kept_rows::write(output_file& file) const {
  if (use_ == vertex_use::none) {
    file.write(rows_->bytes.data(), rows_->bytes.size());
  } else {
    each([&](std::string_view row) { file.write(row); });
  }
}

}  // namespace upsweep::apps
