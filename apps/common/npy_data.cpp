#include <algorithm>
#include <cstring>

#include "byte_order.hpp"
#include "failure.hpp"
#include "npy.hpp"

namespace upsweep::apps {
namespace {

template <class T>
void rows_to_columns(input_file& file, particle_table& particles) {
  const std::size_t width = particles.columns.size();
  const std::size_t stride = width * sizeof(T);
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 18) / stride);
  const auto total = static_cast<std::size_t>(particles.count);
  for (std::size_t row = 0; row < total; row += block) {
    const std::size_t rows = std::min(block, total - row);
    const auto bytes = file.ahead(rows * stride);
    for (std::size_t k = 0; k < width; ++k) {
      T* to = particles.columns[k].data.as<T>() + row;
      const std::byte* from = bytes.data() + k * sizeof(T);
      for (std::size_t i = 0; i < rows; ++i) std::memcpy(to + i, from + i * stride, sizeof(T));
    }
    file.consume(rows * stride);
  }
}

template <class T>
void columns_to_rows(output_file& file, const particle_table& particles) {
  const std::size_t width = particles.columns.size();
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 18) / (width * sizeof(T)));
  std::vector<T> rows(block * width);
  const auto total = static_cast<std::size_t>(particles.count);
  for (std::size_t row = 0; row < total; row += block) {
    const std::size_t count = std::min(block, total - row);
    for (std::size_t k = 0; k < width; ++k) {
      const T* from = particles.columns[k].data.as<T>() + row;
      for (std::size_t i = 0; i < count; ++i) rows[i * width + k] = from[i];
    }
    file.write(rows.data(), count * width * sizeof(T));
  }
}

}  // namespace

std::int64_t count_of_vector(const npy_header& header) {
  // One dimension is 1, if there are two.
  return static_cast<std::int64_t>(header.shape.size() == 2 ? header.shape[0] * header.shape[1] : header.shape[0]);
}

std::string descr_of_vector(const npy_header& header) {
  const std::string_view name = std::string_view(header.descr).substr(1);
  if (name == "b1") return "|b1";
  return name.starts_with('M') || name.starts_with('m') ? fmt::format("<{}", name) : "";
}

bool are_dates(std::string_view descr) {
  return descr.starts_with("<M") || descr.starts_with("<m");
}

npy_vector read_npy_vector(input_file& file, const npy_header& header) {
  npy_vector vector;
  vector.type = header.type;
  vector.count = count_of_vector(header);
  vector.descr = descr_of_vector(header);
  const auto bytes = static_cast<std::size_t>(file.remaining());
  if (header.big_endian) {
    vector.data = byte_array(bytes);
    file.read(vector.data.data(), bytes);
    reverse_bytes(vector.data.data(), size_of(header.type), static_cast<std::size_t>(vector.count));
  } else {
    vector.data = file.take(bytes);
  }
  return vector;
}

void write_npy_rows(output_file& file, const npy_rows& like, const void* data, std::size_t bytes) {
  file.expect(bytes);
  write_npy_header(file, like.descr, false, like.shape);
  file.write(data, bytes);
}

particle_table read_npy_table(input_file& file, const npy_header& header, const std::vector<std::string>& names) {
  if (header.shape.size() != 2 || (header.type != scalar_type::f32 && header.type != scalar_type::f64)) {
    fail(exit_code::bad_input, "{}: {} dimensions of {}; expected two dimensions of f32 or f64, one particle a row",
         file.name(), header.shape.size(), name_of(header.type));
  }
  const std::uint64_t width = header.shape[1];
  if (width == 0 || width > most_columns) {
    fail(exit_code::bad_input, "{}: {} columns; expected 1 to {}", file.name(), width, most_columns);
  }
  particle_table particles;
  particles.count = static_cast<std::int64_t>(header.shape[0]);
  for (std::size_t k = 0; k < width; ++k) {
    particles.add(k < names.size() ? names[k] : fmt::format("column{}", k), header.type);
  }
  if (header.fortran_order) {
    for (table_column& column : particles.columns) file.read(column.data.data(), column.data.bytes());
  } else if (header.type == scalar_type::f32) {
    rows_to_columns<float>(file, particles);
  } else {
    rows_to_columns<double>(file, particles);
  }
  for (table_column& column : particles.columns) {
    if (header.big_endian)
      reverse_bytes(column.data.data(), size_of(header.type), static_cast<std::size_t>(particles.count));
  }
  return particles;
}

void write_npy_vector(output_file& file, scalar_type type, const void* data, std::int64_t count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * size_of(type);
  file.expect(bytes);
  write_npy_header(file, {type, false, {static_cast<std::uint64_t>(count)}});
  file.write(data, bytes);
}

void write_npy_table(output_file& file, bool fortran_order, const particle_table& particles) {
  const scalar_type type = particles.columns.front().type;
  file.expect(static_cast<std::uint64_t>(particles.count) * particles.row_bytes());
  write_npy_header(file,
                   {type, fortran_order, {static_cast<std::uint64_t>(particles.count), particles.columns.size()}});
  if (fortran_order) {
    for (const table_column& column : particles.columns) file.write(column.data.data(), column.data.bytes());
  } else if (type == scalar_type::f32) {
    columns_to_rows<float>(file, particles);
  } else {
    columns_to_rows<double>(file, particles);
  }
}

}  // namespace upsweep::apps
