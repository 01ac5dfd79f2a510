// PLY files: ASCII and binary little endian, the vertex element's scalar properties as columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"

namespace upsweep::apps {

enum class ply_encoding { ascii, binary_little_endian };

/// One property of an element. A list has `count_type` items' count before its items.
struct ply_property {
  std::string name;
  scalar_type type = scalar_type::f32;
  bool is_list = false;
  scalar_type count_type = scalar_type::u8;
};

struct ply_element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<ply_property> properties;

  bool has_list() const;
  /// Bytes of one binary row whose lists are all empty.
  std::uint64_t least_row_bytes() const;
};

/// What stands before the data.
struct ply_header {
  ply_encoding encoding = ply_encoding::ascii;
  std::vector<ply_element> elements;
  std::size_t vertex = 0;  ///< the index of the element "vertex"

  /// The header's lines as they were, but for what an output file drops: other elements and list properties.
  std::vector<std::string> kept_lines;
  std::size_t vertex_line = 0;  ///< the index in `kept_lines` of the line that counts the vertices

  const ply_element& vertices() const { return elements[vertex]; }
};

/// A file's particles, and what is needed to write them back as they were.
struct ply_file {
  ply_header header;
  particle_table particles;
  std::vector<std::string> notices;  ///< what was skipped, one line each
};

/// Reads the header up to and with "end_header" and checks every count against the file's size.
ply_header read_ply_header(input_file& file);

/// Reads a whole file. Nothing is allocated from a number that the file's size does not allow.
ply_file read_ply(input_file& file);

/// Writes the columns of `particles`, which are the scalar vertex properties of `header`, in its encoding.
void write_ply(output_file& file, const ply_header& header, const particle_table& particles);

/// A header for the columns of `particles`, for files that come from nowhere.
ply_header make_ply_header(ply_encoding encoding, const particle_table& particles);

}  // namespace upsweep::apps
