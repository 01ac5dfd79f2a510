#include <algorithm>
#include <cstring>
#include <limits>

#include "byte_order.hpp"
#include "failure.hpp"
#include "gather.hpp"
#include "ply.hpp"
#include "ply_ascii.hpp"
#include "ply_values.hpp"

namespace upsweep::apps {
namespace {

/// Binary rows of one size: a block of rows at a time, column by column.
void read_fixed_rows(input_file& file, std::uint64_t count, const std::vector<ply_destination>& to, bool reversed) {
  std::size_t stride = 0;
  for (const ply_destination& d : to) stride += size_of(d.property.type);
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 18) / std::max<std::size_t>(1, stride));
  for (std::uint64_t row = 0; row < count;) {
    const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(block, count - row));
    const auto bytes = file.ahead(rows * stride);
    if (bytes.size() < rows * stride) file.skip(rows * stride);
    const std::byte* from = bytes.data();
    for (const ply_destination& d : to) {
      const std::size_t size = size_of(d.property.type);
      std::byte* at = d.column + row * size;
      gather(size, from, stride, rows, at);
      if (reversed) reverse_bytes(at, size, rows);
      from += size;
    }
    file.consume(rows * stride);
    row += rows;
  }
}

/// The number of items of a binary list that starts here.
std::uint64_t read_list_count(input_file& file, const ply_property& p, bool reversed, std::vector<std::byte>* to) {
  alignas(8) std::byte raw[8];
  file.read(raw, size_of(p.count_type));
  if (to != nullptr) to->insert(to->end(), raw, raw + size_of(p.count_type));
  if (reversed) reverse_bytes(raw, size_of(p.count_type), 1);
  const double count = ply_value_as_double(p.count_type, raw);
  if (count < 0 || count > static_cast<double>(file.size())) {
    fail(exit_code::bad_input, "{}: byte {}: list \"{}\" says it has {} items; only {} bytes are left", file.name(),
         file.position(), p.name, count, file.remaining());
  }
  return static_cast<std::uint64_t>(count);
}

/// Binary rows with lists in them, which are stepped over.
void read_binary_rows(input_file& file, std::uint64_t count, const std::vector<ply_destination>& to, bool reversed) {
  for (std::uint64_t row = 0; row < count; ++row) {
    for (const ply_destination& d : to) {
      const std::size_t size = size_of(d.property.type);
      if (d.property.is_list) {
        file.skip(read_list_count(file, d.property, reversed, nullptr) * size);
      } else if (d.column) {
        file.read(d.column + row * size, size);
        if (reversed) reverse_bytes(d.column + row * size, size, 1);
      } else {
        file.skip(size);
      }
    }
  }
}

void read_rows(input_file& file, const ply_header& header, const ply_element& element,
               const std::vector<ply_destination>& to) {
  if (header.encoding == ply_encoding::ascii) {
    read_ascii_rows(file, element, to);
  } else if (element.has_list()) {
    read_binary_rows(file, element.count, to, header.is_big_endian());
  } else {
    read_fixed_rows(file, element.count, to, header.is_big_endian());
  }
}

void skip_element(input_file& file, const ply_header& header, const ply_element& element) {
  if (element.properties.empty()) return;
  if (!header.is_ascii() && !element.has_list()) {
    file.skip(element.count * element.least_row_bytes());
    return;
  }
  std::vector<ply_destination> nowhere;
  for (const ply_property& p : element.properties) nowhere.push_back({p});
  read_rows(file, header, element, nowhere);
}

/// Rows of an element that is kept, as they are.
ply_rows read_others(input_file& file, const ply_header& header, std::size_t index) {
  const ply_element& element = header.elements[index];
  ply_rows rows{index, {}};
  std::vector<std::byte>& bytes = rows.bytes;
  const auto take = [&](std::uint64_t count) {
    if (count > file.remaining()) file.skip(count);
    const std::size_t before = bytes.size();
    bytes.resize(before + static_cast<std::size_t>(count));
    file.read(bytes.data() + before, static_cast<std::size_t>(count));
  };
  if (!header.is_ascii() && !element.has_list()) {
    take(element.count * element.least_row_bytes());
    return rows;
  }
  // Memory that is never touched is never used.
  bytes.reserve(static_cast<std::size_t>(file.remaining()) + 1);
  for (std::uint64_t row = 0; row < element.count && !element.properties.empty(); ++row) {
    if (header.is_ascii()) {
      ascii_row words(file, element.name);
      for (const ply_property& p : element.properties) {
        alignas(8) std::byte value[8];
        if (p.is_list) {
          words.step_over_list(p);
        } else {
          words.value(p, value);
        }
      }
      words.end();
      const auto* const text = reinterpret_cast<const std::byte*>(words.line().data());
      bytes.insert(bytes.end(), text, text + words.line().size());
      bytes.push_back(static_cast<std::byte>('\n'));
      continue;
    }
    for (const ply_property& p : element.properties) {
      const std::uint64_t count = p.is_list ? read_list_count(file, p, header.is_big_endian(), &bytes) : 1;
      take(count * size_of(p.type));
    }
  }
  return rows;
}

void read_vertices(input_file& file, const ply_header& header, ply_file& result) {
  const ply_element& vertices = header.vertices();
  result.particles.count = static_cast<std::int64_t>(vertices.count);
  std::vector<ply_destination> to;
  for (const ply_property& p : vertices.properties) {
    if (p.is_list) {
      result.notices.push_back(
          fmt::format("{}: skipped list property \"{}\" of element \"{}\"", file.name(), p.name, vertices.name));
      to.push_back({p});
    } else {
      to.push_back({p, result.particles.add(p.name, p.type).data.data()});
    }
  }
  read_rows(file, header, vertices, to);
}

/// Steps over blank lines at the end of an ASCII file.
void skip_trailing_blank(input_file& file) {
  while (file.remaining() > 0) {
    const auto byte = static_cast<char>(file.ahead(1)[0]);
    if (byte != '\n' && byte != '\r' && byte != ' ' && byte != '\t') return;
    file.consume(1);
  }
}

}  // namespace

ply_file read_ply(input_file& file, bool keep_others) {
  ply_file result;
  result.header = read_ply_header(file);
  const ply_header& header = result.header;
  for (std::size_t i = 0; i < header.elements.size(); ++i) {
    if (i == header.vertex) {
      read_vertices(file, header, result);
      continue;
    }
    const ply_element& element = header.elements[i];
    const bool are_few = header.vertices().count < std::numeric_limits<std::uint32_t>::max();
    const vertex_use use = vertex_use_of(element);
    if (keep_others && use != vertex_use::unknown && (are_few || use == vertex_use::none)) {
      result.others.push_back(read_others(file, header, i));
      continue;
    }
    skip_element(file, header, element);
    result.notices.push_back(
        fmt::format("{}: skipped element \"{}\" ({} rows)", file.name(), element.name, element.count));
  }
  if (header.is_ascii()) skip_trailing_blank(file);
  if (file.remaining() > 0) {
    result.notices.push_back(fmt::format("{}: skipped {} bytes after the last element", file.name(), file.remaining()));
  }
  return result;
}

}  // namespace upsweep::apps
