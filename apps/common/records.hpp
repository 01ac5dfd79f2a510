// Tables whose rows are kept as they came: CSV, and .npy of structures. What is computed on is taken out as columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "byte_array.hpp"
#include "growing_array.hpp"
#include "input_file.hpp"
#include "npy.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"
#include "ply.hpp"

namespace upsweep::apps {

/// Rows of a file, and what comes before them.
struct record_rows {
  std::string head;   ///< of CSV, its first line with its end
  std::string descr;  ///< of .npy, the type of its rows as Python writes it; else empty
  byte_array bytes;
  growing_array<std::uint64_t> ends;  ///< after each row of CSV
  std::size_t row_bytes = 0;          ///< of .npy
  char delimiter = '\0';              ///< of CSV

  bool is_csv() const { return descr.empty(); }
  std::span<const std::byte> row(std::uint64_t i) const;
};

/// Which columns to read; all of them when there is no set. Of others, particle_table::others has only the names.
struct wanted_columns {
  bool all = true;
  std::set<std::string> names;
  bool has(const std::string& name) const { return all || names.count(name) > 0; }
};

/// Reads CSV with names in its first line. Fields may be in double quotes. A column is i64 if all that is in it are
/// whole numbers, u64 where some need it, else f64; an empty field, NA and null are NaN. Of all columns, those that are
/// not numbers are left to their rows; a wanted one fails with exit_code::bad_input, by line and name.
///   types      of columns: every number is one of that type, and only floats may be missing
///   delimiter  '\0': the one of tab, comma and semicolon that the first line has most of
record_rows read_csv(input_file& file, char delimiter, const wanted_columns& wanted, particle_table& particles,
                     const column_types& types = {});

/// Reads lines of text, each with a number that becomes the column `name`: all of the line for field 0, else the field
/// of that number, from 1, where blanks are between fields, or `delimiter`. A line without it has a NaN.
record_rows read_lines(input_file& file, char delimiter, std::size_t field, const std::string& name,
                       particle_table& particles);

/// Reads an .npy file of structures. Numbers and truths become columns; see npy_structures.
record_rows read_npy_records(input_file& file, const wanted_columns& wanted, particle_table& particles);

/// Makes columns of those of the fields that are wanted, out of rows of so many bytes; the names of others are kept.
void add_columns(const npy_structures& said, const byte_array& rows, std::size_t row_bytes,
                 const wanted_columns& wanted, particle_table& particles);

/// Writes the head and `count` rows, those at `origins`.
void write_records(output_file& file, const record_rows& records, std::int64_t count, const row_origins& origins);

}  // namespace upsweep::apps
