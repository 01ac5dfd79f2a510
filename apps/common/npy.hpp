// NumPy's .npy files: one array of numbers, little endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byte_array.hpp"
#include "input_file.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"

namespace upsweep::apps {

/// What stands before the data.
struct npy_header {
  scalar_type type = scalar_type::f32;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// One row of numbers.
struct npy_vector {
  scalar_type type = scalar_type::u32;
  std::int64_t count = 0;
  byte_array data;
};

/// Reads the header of a version 1.0, 2.0 or 3.0 file. The data that the header promises is exactly what is left.
npy_header read_npy_header(input_file& file);

/// Fails unless the array has one dimension and one of the types.
void check_npy_vector(const input_file& file, const npy_header& header, std::span<const scalar_type> types);

/// Reads the data behind a header that check_npy_vector let through.
npy_vector read_npy_vector(input_file& file, const npy_header& header);

/// Reads a two-dimensional float array as particles: row i is particle i. Columns are named by `names`, and "columnK"
/// (K from 0) past its end.
particle_table read_npy_table(input_file& file, const npy_header& header, const std::vector<std::string>& names);

/// Writes the bytes before the data, version 1.0, padded to 64 bytes as NumPy does.
void write_npy_header(output_file& file, const npy_header& header);

/// Writes a one-dimensional array.
void write_npy_vector(output_file& file, scalar_type type, const void* data, std::int64_t count);

/// Writes a table whose columns are of one type as a two-dimensional array in C or Fortran order.
void write_npy_table(output_file& file, bool fortran_order, const particle_table& particles);

}  // namespace upsweep::apps
