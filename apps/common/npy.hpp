// NumPy's .npy files: one array. What is big endian is little endian once it is read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "byte_array.hpp"
#include "input_file.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"

namespace upsweep::apps {

/// What comes before the data.
struct npy_header {
  scalar_type type = scalar_type::f32;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  bool big_endian = false;  ///< as it lies in the file
  std::string descr = {};   ///< as the file has it
};

/// One row of numbers.
struct npy_vector {
  scalar_type type = scalar_type::u32;
  std::int64_t count = 0;
  byte_array data;
  std::string descr = {};  ///< what the numbers mean where that is more than their type: truths, dates, durations
};

/// Whether the file goes on as an .npy file does.
bool begins_as_npy(input_file& file);

/// Reads the header of a version 1.0, 2.0 or 3.0 file. The data that the header promises is exactly what is left.
/// Truths count as u8, dates and durations as i64.
npy_header read_npy_header(input_file& file);

/// A field of an .npy file of structures.
struct npy_field {
  std::string name;
  scalar_type type = scalar_type::f32;
  bool big_endian = false;
  std::size_t offset = 0;  ///< in a structure
  std::string date = {};   ///< of dates and durations, what they are without a byte order: M8[us]
};

/// The header of an .npy file of structures.
struct npy_structures {
  std::string descr;                ///< as the file has it
  std::vector<npy_field> fields;    ///< the numbers, those of an array in a structure as name_0, name_1 and so on
  std::vector<std::string> others;  ///< names of what are not numbers
  std::size_t bytes = 0;            ///< of a structure
  std::uint64_t count = 0;
};

/// Whether the file goes on as an .npy file of structures does.
bool begins_as_structures(input_file& file);
/// Reads that of one dimension, or of (n, 1).
npy_structures read_npy_structures(input_file& file);

/// Fails unless the array has one dimension and one of the types.
void check_npy_vector(input_file& file, const npy_header& header, std::span<const scalar_type> types);

/// How many elements those of such a header are, and what they mean, as npy_vector::descr has it.
std::int64_t count_of_vector(const npy_header& header);
std::string descr_of_vector(const npy_header& header);
/// Whether that says dates or durations, of which NaT is one.
bool are_dates(std::string_view descr);

/// Reads the data after a header that check_npy_vector has accepted.
npy_vector read_npy_vector(input_file& file, const npy_header& header);

/// The names of the columns of a two-dimensional array where nobody gives others: x y z vx vy vz lifetime id.
inline std::vector<std::string> usual_npy_columns() {
  return {"x", "y", "z", "vx", "vy", "vz", "lifetime", "id"};
}

/// Reads a two-dimensional float array as particles: row i is particle i. Columns are named by `names`, and "columnK"
/// (K from 0) past its end.
particle_table read_npy_table(input_file& file, const npy_header& header, const std::vector<std::string>& names);

/// Rows of elements of any type, as bytes.
struct npy_rows {
  std::string descr;                 ///< the element type, as the file has it
  std::vector<std::uint64_t> shape;  ///< the first size is that of rows
  std::size_t row_bytes = 0;
  byte_array data;
};

/// Reads an array of any type whose elements are so many bytes: numbers, booleans, complex numbers, dates, fixed-length
/// strings. Of three dimensions and more in C order; of two, what is in Fortran order is in C order then.
npy_rows read_npy_rows(input_file& file);
/// The same without its data, which is what the file has from there on. What is in Fortran order is refused.
npy_rows read_npy_rows_header(input_file& file);

/// Writes an array of the same type and shape with other data.
void write_npy_rows(output_file& file, const npy_rows& like, const void* data, std::size_t bytes);

/// Writes the bytes before the data, version 1.0, padded to 64 bytes as NumPy does.
void write_npy_header(output_file& file, const npy_header& header);
/// The same of an array of any element type, in quotes unless it is that of structures.
void write_npy_header(output_file& file, std::string_view descr, bool fortran_order,
                      const std::vector<std::uint64_t>& shape);

/// An element type as such a header has it: "<u4".
std::string npy_descr(scalar_type type);

/// Those bytes.
std::string npy_header_bytes(std::string_view descr, bool fortran_order, const std::vector<std::uint64_t>& shape);

/// Writes a one-dimensional array.
void write_npy_vector(output_file& file, scalar_type type, const void* data, std::int64_t count);

/// Writes a table whose columns are of one type as a two-dimensional array in C or Fortran order.
void write_npy_table(output_file& file, bool fortran_order, const particle_table& particles);

}  // namespace upsweep::apps
