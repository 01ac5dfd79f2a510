// PLY files: ASCII and binary of both byte orders, the vertex element's scalar properties as columns, rows of other
// elements as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input_file.hpp"
#include "output_file.hpp"
#include "particle_table.hpp"

namespace upsweep::apps {

enum class ply_encoding { ascii, binary_little_endian, binary_big_endian };
/// As the format line of a file says it.
std::string_view name_of(ply_encoding encoding);

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

/// A line of the header that an output file has too.
struct ply_header_line {
  std::string text;
  std::optional<std::size_t> element;  ///< the index of the element that it belongs to
  bool counts = false;                 ///< it says how many rows the element has
};

/// What comes before the data. Particles are the element "vertex"; where there is none, "point" or "particle".
struct ply_header {
  ply_encoding encoding = ply_encoding::ascii;
  std::vector<ply_element> elements;
  std::size_t vertex = 0;  ///< the index of the element that the particles are

  /// The header's lines as they were, but for list properties of the particles.
  std::vector<ply_header_line> lines;

  const ply_element& vertices() const { return elements[vertex]; }
  bool is_ascii() const { return encoding == ply_encoding::ascii; }
  bool is_big_endian() const { return encoding == ply_encoding::binary_big_endian; }
};

/// Rows of an element other than the particles, as they are in the file; text ends each line with "\n".
struct ply_rows {
  std::size_t element = 0;
  std::vector<std::byte> bytes;
};

/// A file's particles, and what is needed to write them back as they were.
struct ply_file {
  ply_header header;
  particle_table particles;
  std::vector<ply_rows> others;      ///< of the other elements that are kept
  std::vector<std::string> notices;  ///< what was skipped, one line each
};

/// Reads the header up to and with "end_header" and checks every count against the file's size.
ply_header read_ply_header(input_file& file);

/// How an element other than the particles speaks of them: not at all, by a face's list of vertices, by the two ends of
/// an edge, or in a way that we do not know, so that it cannot be kept.
enum class vertex_use { none, list, ends, unknown };
vertex_use vertex_use_of(const ply_element& element);

/// Reads a whole file, the other elements too where `keep_others`. Nothing is allocated from a number that the file's
/// size does not allow.
ply_file read_ply(input_file& file, bool keep_others = true);

/// Where the particles of a table were in the file that they came from.
using row_origins = std::function<std::uint64_t(std::int64_t)>;

/// Writes the columns of `particles`, which are the scalar vertex properties of `header`, in its encoding, and those
/// rows of `others` whose vertices are all among them, with their new numbers. Returns what was dropped of these, a
/// line each.
std::vector<std::string> write_ply(output_file& file, const ply_header& header, const particle_table& particles,
                                   std::span<const ply_rows> others = {}, const row_origins& origins = {});

/// A header for the columns of `particles`, for files that come from nowhere.
ply_header make_ply_header(ply_encoding encoding, const particle_table& particles);

}  // namespace upsweep::apps
