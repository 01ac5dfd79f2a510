#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "byte_order.hpp"
#include "failure.hpp"
#include "ply.hpp"
#include "ply_elements.hpp"
#include "ply_values.hpp"
#include "text.hpp"

namespace upsweep::apps {
namespace {

template <std::size_t Bytes>
void scatter(const std::byte* from, std::size_t count, std::byte* rows, std::size_t stride, bool reversed) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(rows + i * stride, from + i * Bytes, Bytes);
    if (reversed) reverse_bytes(rows + i * stride, Bytes, 1);
  }
}

void write_binary_rows(output_file& file, const particle_table& particles, bool reversed) {
  const std::size_t stride = particles.row_bytes();
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 18) / std::max<std::size_t>(1, stride));
  std::vector<std::byte> rows(block * stride);
  const auto total = static_cast<std::size_t>(particles.count);
  for (std::size_t row = 0; row < total; row += block) {
    const std::size_t count = std::min(block, total - row);
    std::byte* to = rows.data();
    for (const table_column& column : particles.columns) {
      const std::size_t size = size_of(column.type);
      const std::byte* from = column.data.data() + row * size;
      switch (size) {
        case 1:
          scatter<1>(from, count, to, stride, reversed);
          break;
        case 2:
          scatter<2>(from, count, to, stride, reversed);
          break;
        case 4:
          scatter<4>(from, count, to, stride, reversed);
          break;
        default:
          scatter<8>(from, count, to, stride, reversed);
          break;
      }
      to += size;
    }
    file.write(rows.data(), count * stride);
  }
}

void write_ascii_rows(output_file& file, const particle_table& particles) {
  std::vector<char> line(particles.columns.size() * (longest_ply_value + 1));
  for (std::int64_t row = 0; row < particles.count; ++row) {
    char* at = line.data();
    for (const table_column& column : particles.columns) {
      at = print_ply_value(column.type, column.data.data() + static_cast<std::size_t>(row) * size_of(column.type), at);
      *at++ = ' ';
    }
    at[-1] = '\n';
    file.write(line.data(), static_cast<std::size_t>(at - line.data()));
  }
}

/// PCL says in two lines how many columns and rows its points came in, and reads as many as both tell. They are one row
/// when some of them are gone.
class shape_lines {
 public:
  shape_lines(const std::vector<ply_header_line>& lines, std::int64_t count)
      : count_(static_cast<std::uint64_t>(count)) {
    std::uint64_t product = 1;
    for (const ply_header_line& line : lines) {
      const auto words = words_of(line.text);
      std::uint64_t number = 1;
      if (is_size(words)) static_cast<void>(parse_number(words[2], number));
      product *= number;
    }
    hold_ = product == count_;
  }

  std::string of_now(const std::string& line) const {
    const auto words = words_of(line);
    if (hold_ || !is_size(words)) return line;
    return fmt::format("obj_info {} {}", words[1], words[1] == columns ? count_ : 1);
  }

 private:
  static constexpr std::string_view columns = "num_cols", rows = "num_rows";

  static bool is_size(const std::vector<std::string_view>& words) {
    return words.size() > 2 && words[0] == "obj_info" && (words[1] == columns || words[1] == rows);
  }

  std::uint64_t count_;
  bool hold_;
};

}  // namespace

std::vector<std::string> write_ply(output_file& file, const ply_header& header, const particle_table& particles,
                                   std::span<const ply_rows> others, const row_origins& origins) {
  const new_vertices vertices(header.vertices().count, particles.count, origins);
  std::vector<kept_rows> kept;
  for (const ply_rows& rows : others) kept.emplace_back(header, rows, vertices, file.name());
  const auto kept_of = [&](std::size_t element) -> const kept_rows* {
    for (const kept_rows& rows : kept) {
      if (rows.element() == element) return &rows;
    }
    return nullptr;
  };

  const shape_lines shape(header.lines, particles.count);
  file.expect(static_cast<std::uint64_t>(particles.count) * particles.row_bytes());
  for (const ply_header_line& line : header.lines) {
    const bool of_vertices = line.element == header.vertex;
    const kept_rows* const rows = line.element && !of_vertices ? kept_of(*line.element) : nullptr;
    if (line.element && !of_vertices && rows == nullptr) continue;
    const std::uint64_t count = rows != nullptr ? rows->count() : static_cast<std::uint64_t>(particles.count);
    file.write(line.counts ? fmt::format("element {} {}", header.elements[*line.element].name, count)
                           : shape.of_now(line.text));
    file.write("\n");
  }
  std::vector<std::string> notices;
  for (std::size_t e = 0; e < header.elements.size(); ++e) {
    if (e == header.vertex) {
      if (header.is_ascii()) {
        write_ascii_rows(file, particles);
      } else {
        write_binary_rows(file, particles, header.is_big_endian());
      }
    } else if (const kept_rows* const rows = kept_of(e)) {
      rows->write(file);
      const std::uint64_t all = header.elements[e].count;
      if (rows->count() == all) continue;
      notices.push_back(fmt::format("{}: {} of {} rows of element \"{}\", those of which every vertex is there",
                                    file.name(), rows->count(), all, header.elements[e].name));
    }
  }
  return notices;
}

}  // namespace upsweep::apps
